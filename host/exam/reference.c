/* Expectations of some inputs against those of others. */
#include <math.h>

#include "base/rng.h"
#include "case/calls.h"
#include "case/contents.h"
#include "case/stated.h"
#include "case/tensors.h"
#include "exam/stations.h"
#include "measure/verify.h"

/* How many values are expected, their sum, their squares', and one in which each counts by its place in the order: the
 * elements may be others, the values not. */
struct digest {
  uint64_t count, inputs;       /* inputs: a checksum of what they are of */
  uint64_t odd;                 /* values that are not finite */
  double sum, squares, ordered; /* of the others */
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

static int sum_inputs(struct gb_case *c, uint64_t *all, struct err *err) {
  uint64_t sum;
  *all = 0;
  for (uint32_t i = 0; i < c->tensor_count; i++) {
    const struct tensor *t = &c->tensors[i];
    if (t->role != GB_IN && t->role != GB_INOUT) continue;
    if (c->device->ops->checksum(c->device, t->data, (size_t)tensor_bytes(t), 0, &sum, err) != 0) return -1;
    *all = rng_key(*all, sum);
  }
  return 0;
}

static bool same(const struct digest *a, const struct digest *b) {
  return a->count == b->count && a->odd == b->odd && a->sum == b->sum && a->squares == b->squares &&
         a->ordered == b->ordered;
}

static int expect(struct sitting *s, uint64_t seed, struct digest *d, struct err *err) {
  struct outcome outcome;
  *d = (struct digest){0};
  bench_fill(s->c, seed, &outcome);
  if (outcome.kind != OUTCOME_OK) {
    if (!s->exam->found[RULE_FILL]) exam_find(s->exam, RULE_FILL, FINDING_FAILED, "fill: %s", outcome.message);
    return s->exam->over = true, 1;
  }
  if (tensors_fill(s->c, seed, err) != 0 || verify_reference(&s->m, err) != 0) return sitting_spoilt(s, err);
  *d = digest(s->c);
  if (sum_inputs(s->c, &d->inputs, err) != 0) return sitting_spoilt(s, err);
  return sitting_goes_on(s, RULE_VALUES) ? 0 : 1;
}

static const char *unexpected_output(const struct gb_case *c) {
  for (uint32_t i = 0; i < c->tensor_count; i++) {
    const struct tensor *t = &c->tensors[i];
    if ((t->role == GB_OUT || t->role == GB_INOUT) && t->span_count == 0) return t->name;
  }
  return NULL;
}

static void judge(struct sitting *s, const struct digest *first, const struct digest *other,
                  const struct digest *again) {
  struct exam *e = s->exam;
  const char *undrawn = stated_undrawn(s->c);
  if (undrawn != NULL)
    exam_find(e, RULE_REFERENCE, FINDING_FAILED,
              "states a part of '%s' at places that `run` may foresee: draw them from gb.case/1 places", undrawn);
  else if (!same(first, again))
    exam_find(e, RULE_REFERENCE, FINDING_FAILED,
              "expects other values of the same inputs: their sum was %.17g, and is %.17g", first->sum, again->sum);
  else if (first->inputs != other->inputs && first->count > 0 && same(first, other))
    exam_find(e, RULE_REFERENCE, FINDING_FAILED, "expects the same of other inputs: %llu values whose sum is %.17g",
              (unsigned long long)first->count, first->sum);
  else
    exam_pass(e, RULE_REFERENCE);
}

int station_expect(struct sitting *s, struct err *err) {
  struct digest ignored;
  return expect(s, s->request.seed, &ignored, err);
}

int station_reference(struct sitting *s, struct err *err) {
  struct exam *e = s->exam;
  const struct bench *bench = s->c->bench;
  const uint64_t seed = s->request.seed;
  struct digest first, other, again;
  s->c->places_given = 1; /* of the same places it is to expect the same */
  int rc = expect(s, seed, &first, err);
  if (rc == 0) rc = expect(s, seed + 1, &other, err);
  if (rc == 0) rc = expect(s, seed, &again, err);
  s->c->places_given = 0;
  if (rc != 0) return rc;
  if (bench_fills(s->c))
    exam_pass(e, RULE_FILL);
  else
    exam_skip(e, RULE_FILL, "no tensor is GB_FILL_BENCH");
  if (bench->own.reference == NULL)
    exam_skip(e, RULE_REFERENCE, "has none: verify alone judges");
  else
    judge(s, &first, &other, &again);
  const char *output = unexpected_output(s->c);
  if (output != NULL && bench->own.verify == NULL)
    exam_find(e, RULE_VERIFY, FINDING_FAILED, "nothing is expected of output '%s', and there is no verify", output);
  return 0;
}
