/* Stations (steps of an examination) that run the variant and verify its outputs, on the same inputs and on others. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "case/calls.h"
#include "case/contents.h"
#include "case/stated.h"
#include "case/tensors.h"
#include "case/verify.h"
#include "exam/state.h"
#include "exam/stations.h"
#include "measure/verify.h"
#include "model/data/fill.h"

enum { AGAIN = 2 };

static bool has_outputs(const struct gb_case *c) {
  for (uint32_t i = 0; i < c->tensor_count; i++)
    if (c->tensors[i].role == GB_OUT) return true;
  return false;
}

int station_first(struct sitting *s, struct err *err) {
  struct exam *e = s->exam;
  exam_pass(e, RULE_PREPARE);
  const int rc = sitting_verify(s, false, RULE_VALUES, err);
  if (rc != 0) return rc;
  exam_pass(e, RULE_RUN);
  if ((e->variant->desc.flags & VARIANT_YARDSTICK) != 0)
    exam_skip(e, RULE_VALUES, "a yardstick's outputs are not compared");
  else
    exam_pass(e, RULE_VALUES);
  if (has_outputs(s->c))
    exam_pass(e, RULE_WRITES);
  else
    exam_skip(e, RULE_WRITES, "its bench has no GB_OUT");
  exam_pass(e, RULE_BOUNDS);
  if (tensors_have_inputs(s->c))
    exam_pass(e, RULE_INPUTS);
  else
    exam_skip(e, RULE_INPUTS, "its bench has no inputs");
  return 0;
}

int station_again(struct sitting *s, struct err *err) {
  int rc = 0;
  for (int i = 0; i < AGAIN && rc == 0; i++)
    rc = sitting_verify(s, false, RULE_REPEAT, err);
  if (rc != 0) return rc;
  exam_pass(s->exam, RULE_REPEAT);
  /* the runs so far were enough to notice a variant that returns before its work is done */
  exam_pass(s->exam, RULE_COMPLETE);
  return 0;
}

static int fill_inputs(struct sitting *s, uint64_t seed, struct err *err) {
  struct outcome outcome;
  bench_fill(s->c, seed, &outcome); /* bench_fill() has already reported a failure */
  if (outcome.kind != OUTCOME_OK) return s->exam->over = true, 1;
  if (tensors_fill(s->c, seed, err) != 0 || verify_reference(&s->m, err) != 0) return sitting_spoilt(s, err);
  return sitting_goes_on(s, RULE_FRESH) ? 0 : 1;
}

/* If the variant derived data from the inputs when it was prepared, calls its `refresh`, or its `release` and
 * `prepare`, so that it derives them from the new inputs. */
static int tell_variant(struct sitting *s, struct err *err) {
  struct contestant *k = sitting_variant(s);
  if (!contestant_is_derived(k)) return 0;
  if (verify_prepare_again(&s->m, k, err) != 0) return sitting_spoilt(s, err);
  return sitting_goes_on(s, RULE_FRESH) ? 0 : 1;
}

/* Runs the variant with outputs that hold the right values for earlier inputs, instead of poison (a pattern that marks
 * unwritten outputs). So a variant that writes nothing is detected. */
static int run_over(struct sitting *s, struct err *err) {
  struct contestant *k = sitting_variant(s);
  double ns;
  struct slot_task task = {.timing = (enum timing)s->request.mode.timing, .count = 1, .single = true, .ns = &ns};
  s->m.running = k;
  if (tensors_restore(s->c, err) != 0 || contestant_slot(k, &task, err) != 0 ||
      s->c->device->ops->sync(s->c->device, err) != 0)
    return sitting_spoilt(s, err);
  const struct verify_options options = {"over outputs of other inputs: ", 1, false};
  if (contestant_alive(k) && verify_present_outputs(&s->m, k, &options, err) != 0) return sitting_spoilt(s, err);
  s->m.running = NULL;
  return sitting_goes_on(s, RULE_FRESH) ? 0 : 1;
}

/* Computes a checksum of all inputs. */
static int sum_inputs(struct sitting *s, uint64_t *all, struct err *err) {
  struct gb_case *c = s->c;
  uint64_t sum;
  *all = 0;
  for (uint32_t i = 0; i < c->tensor_count; i++) {
    const struct tensor *t = &c->tensors[i];
    if (t->role != GB_IN && t->role != GB_INOUT) continue;
    if (c->device->ops->checksum(c->device, t->data, (size_t)tensor_bytes(t), 0, &sum, err) != 0)
      return sitting_spoilt(s, err);
    *all = rng_key(*all, sum);
  }
  return 0;
}

int station_fresh(struct sitting *s, struct err *err) {
  if (!tensors_have_inputs(s->c)) {
    exam_skip(s->exam, RULE_FRESH, "its bench has no inputs");
    return 0;
  }
  uint64_t sums[3];
  int rc = sum_inputs(s, &sums[0], err);
  for (uint64_t other = 1; other < 3 && rc == 0; other++) {
    rc = fill_inputs(s, s->request.seed + other, err);
    if (rc == 0) rc = sum_inputs(s, &sums[other], err);
    if (rc == 0) rc = tell_variant(s, err);
    if (rc == 0) rc = other == 1 ? sitting_verify(s, false, RULE_FRESH, err) : run_over(s, err);
  }
  if (rc == 0 && sums[0] == sums[1] && sums[1] == sums[2])
    exam_find(s->exam, RULE_FRESH, FINDING_NOT_CHECKED,
              "inputs never change: they are the same for three seeds, and a variant that keeps its results is right");
  else if (rc == 0)
    exam_pass(s->exam, RULE_FRESH);
  return rc;
}

/* Checks that `reference` or `verify` notices wrong outputs: makes right outputs wrong in several ways, and verifies
 * each. */

/* Verifies the outputs as they are now and sets `*pass` to the result. Unlike contestant_check(), leaves the variant's
 * status unchanged. */
static int passes(struct sitting *s, bool *pass, struct err *err) {
  struct contestant *k = sitting_variant(s);
  struct gb_case *c = s->c;
  const struct bench *bench = c->bench;
  struct verification v;
  struct outcome outcome = {.kind = OUTCOME_OK};
  if (case_verify(c, case_math(c, k->variant->desc.math), &k->plain, &PORTION_ALL, &v, err) != 0) return -1;
  if (v.pass && bench->own.verify != NULL) {
    call_begin(c, PHASE_VERIFY, (int)k->index);
    c->variant = k->variant;
    call_end(c, bench->own.verify(bench->theirs, c, c->state), &outcome);
  }
  *pass = v.pass && outcome.kind == OUTCOME_OK;
  return 0;
}

/* ---- Kinds of wrong outputs ---- */

enum wrong { WRONG_ZEROS, WRONG_FIRST, WRONG_LAST, WRONG_MIDDLE, WRONG_COUNT };

static const char *const words[] = {"zeros everywhere", "a wrong first element", "a wrong last element",
                                    "a wrong element in the middle"};

static uint64_t spoilt_place(enum wrong wrong, const struct tensor *t) {
  return wrong == WRONG_FIRST ? 0 : wrong == WRONG_LAST ? t->elements - 1 : t->elements / 2;
}

/* Returns true if the bench must notice this kind of wrong output. A wrong element in the middle must be noticed only
 * if `reference` gives expected values of few elements, so that `verify` must check the rest. If `verify` checks
 * elements that it chooses at random, it may miss a single one. */
static bool must_notice(const struct gb_case *c, enum wrong wrong, const struct tensor *t) {
  return wrong != WRONG_MIDDLE || (stated_too_few(t) && !c->asked[1]);
}

/* Changes an element enough for the change to be visible in every storage type. */
static void spoil_element(const struct tensor *t, unsigned char *storage, uint64_t index) {
  double value = 0;
  tensor_load(t, storage, 0, index, 1, &value);
  fill_store(t->dtype, storage, tensor_storage_index(t, index),
             isfinite(value) && fabs(value) > 1 ? -value : value + 32);
}

/* Makes the outputs wrong. Returns false if that changed nothing. */
static bool make_wrong(enum wrong wrong, const struct tensor *t, unsigned char *storage, size_t bytes) {
  SCOPED unsigned char *before = xcalloc(bytes, 1);
  memcpy(before, storage, bytes);
  if (wrong == WRONG_ZEROS)
    memset(storage, 0, bytes);
  else
    spoil_element(t, storage, spoilt_place(wrong, t));
  return memcmp(before, storage, bytes) != 0;
}

static int try_one(struct sitting *s, struct tensor *t, enum wrong wrong, const unsigned char *right, size_t bytes,
                   struct err *err) {
  const struct device_ops *ops = s->c->device->ops;
  SCOPED unsigned char *storage = xcalloc(bytes, 1);
  bool pass = false;
  memcpy(storage, right, bytes);
  int rc = 0;
  if (make_wrong(wrong, t, storage, bytes)) {
    rc = ops->copy(s->c->device, t->data, storage, bytes, err);
    if (rc == 0) rc = passes(s, &pass, err);
  }
  if (rc == 0) rc = ops->copy(s->c->device, t->data, right, bytes, err);
  if (rc == 0 && pass)
    exam_find(s->exam, RULE_VERIFY, FINDING_FAILED,
              "output '%s' with %s passes: let `reference` expect it, or `verify` look at it", t->name, words[wrong]);
  return rc;
}

static int try_tensor(struct sitting *s, struct tensor *t, struct err *err) {
  const size_t bytes = (size_t)tensor_bytes(t);
  SCOPED unsigned char *right = xcalloc(bytes, 1);
  int rc = s->c->device->ops->copy(s->c->device, right, t->data, bytes, err);
  for (enum wrong wrong = 0; rc == 0 && wrong < WRONG_COUNT && !s->exam->found[RULE_VERIFY]; wrong++)
    if (must_notice(s->c, wrong, t)) rc = try_one(s, t, wrong, right, bytes, err);
  return rc;
}

int station_notices(struct sitting *s, struct err *err) {
  struct exam *e = s->exam;
  bool any = false;
  /* a yardstick, that is a variant for comparison only, such as a plain copy, is not verified */
  if ((e->variant->desc.flags & VARIANT_YARDSTICK) != 0) return 0;
  int rc = sitting_verify(s, false, RULE_REPEAT, err);
  if (rc != 0) return rc;
  watch_expect_failure(true);
  for (uint32_t i = 0; i < s->c->tensor_count && rc == 0; i++) {
    if (!tensor_is_output(&s->c->tensors[i])) continue;
    any = true;
    rc = try_tensor(s, &s->c->tensors[i], err);
  }
  watch_expect_failure(false);
  if (rc != 0) return sitting_spoilt(s, err);
  if (any)
    exam_pass(e, RULE_VERIFY);
  else
    exam_skip(e, RULE_VERIFY, "the bench has no outputs");
  return 0;
}

/* ---- Comparing the expected values of different inputs ---- */

/* A digest of the expected values: their number, sum, sum of squares, and a sum weighted by position. Digests are
 * compared in place of the values. */
struct digest {
  uint64_t count, inputs;       /* inputs: checksum of the inputs */
  uint64_t odd;                 /* number of values that are not finite */
  double sum, squares, ordered; /* sums of the finite values */
};

enum { ORDERS = 8191 };

static struct digest digest(const struct gb_case *c) {
  struct digest d = {0};
  for (uint32_t i = 0; i < c->tensor_count; i++)
    for (size_t s = 0; s < c->tensors[i].span_count; s++)
      for (uint64_t n = 0; n < c->tensors[i].spans[s].count; n++, d.count++) {
        const double value = c->tensors[i].spans[s].values[n];
        if (!isfinite(value)) {
          d.odd++;
          continue;
        }
        d.sum += value;
        d.squares += value * value;
        d.ordered += value * (double)(d.count % ORDERS + 1);
      }
  return d;
}

static bool same_digest(const struct digest *a, const struct digest *b) {
  return a->count == b->count && a->odd == b->odd && a->sum == b->sum && a->squares == b->squares &&
         a->ordered == b->ordered;
}

static int expect_values(struct sitting *s, uint64_t seed, struct digest *d, struct err *err) {
  struct outcome outcome;
  *d = (struct digest){0};
  bench_fill(s->c, seed, &outcome);
  if (outcome.kind != OUTCOME_OK) {
    if (!s->exam->found[RULE_FILL]) exam_find(s->exam, RULE_FILL, FINDING_FAILED, "fill: %s", outcome.message);
    return s->exam->over = true, 1;
  }
  if (tensors_fill(s->c, seed, err) != 0 || verify_reference(&s->m, err) != 0) return sitting_spoilt(s, err);
  *d = digest(s->c);
  if (sum_inputs(s, &d->inputs, err) != 0) return -1;
  return sitting_goes_on(s, RULE_VALUES) ? 0 : 1;
}

/* Reports outputs for which `reference` gives expected values of no elements or of too few. Does nothing if the bench
 * has a `verify`: station_notices() tests whether `verify` notices wrong outputs. */
static void judge_stated(struct exam *e, const struct gb_case *c) {
  for (uint32_t i = 0; i < c->tensor_count && c->bench->own.verify == NULL; i++) {
    const struct tensor *t = &c->tensors[i];
    if (!tensor_is_output(t) || e->found[RULE_VERIFY]) continue;
    if (t->span_count == 0)
      exam_find(e, RULE_VERIFY, FINDING_FAILED, "nothing is expected of output '%s', and there is no verify", t->name);
    else if (stated_too_few(t))
      exam_find(e, RULE_VERIFY, FINDING_FAILED, "states %llu of the %llu elements of output '%s': state all, or %d",
                (unsigned long long)t->stated.elements, (unsigned long long)t->elements, t->name, STATED_ENOUGH);
  }
}

static void judge_reference(struct sitting *s, const struct digest *first, const struct digest *other,
                            const struct digest *again) {
  struct exam *e = s->exam;
  const char *undrawn = stated_undrawn(s->c);
  if (undrawn != NULL)
    exam_find(e, RULE_REFERENCE, FINDING_FAILED,
              "states a part of '%s' at places that `run` may foresee: draw them from gb.case/1 places", undrawn);
  else if (!same_digest(first, again))
    exam_find(e, RULE_REFERENCE, FINDING_FAILED,
              "expects other values of the same inputs: their sum was %.17g, and is %.17g", first->sum, again->sum);
  else if (first->inputs != other->inputs && first->count > 0 && same_digest(first, other))
    exam_find(e, RULE_REFERENCE, FINDING_FAILED, "expects the same of other inputs: %llu values whose sum is %.17g",
              (unsigned long long)first->count, first->sum);
  else
    exam_pass(e, RULE_REFERENCE);
}

int station_expect(struct sitting *s, struct err *err) {
  struct digest ignored;
  return expect_values(s, s->request.seed, &ignored, err);
}

int station_reference(struct sitting *s, struct err *err) {
  struct exam *e = s->exam;
  const struct bench *bench = s->c->bench;
  const uint64_t seed = s->request.seed;
  struct digest first, other, again;
  /* replaces the random number by which a `reference` chooses the elements whose expected values it gives, so that
   * equal inputs give equal digests */
  s->c->places_given = 1;
  int rc = expect_values(s, seed, &first, err);
  if (rc == 0) rc = expect_values(s, seed + 1, &other, err);
  if (rc == 0) rc = expect_values(s, seed, &again, err);
  s->c->places_given = 0;
  if (rc != 0) return rc;
  if (bench_fills(s->c))
    exam_pass(e, RULE_FILL);
  else
    exam_skip(e, RULE_FILL, "no tensor is GB_FILL_BENCH");
  if (bench->own.reference == NULL)
    exam_skip(e, RULE_REFERENCE, "has none: verify alone judges");
  else
    judge_reference(s, &first, &other, &again);
  judge_stated(e, s->c);
  return 0;
}
