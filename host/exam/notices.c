/* Outputs that are right, and then made wrong one after the other: somebody has to notice. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "case/calls.h"
#include "case/tensors.h"
#include "case/verify.h"
#include "exam/stations.h"
#include "exam/watch.h"
#include "model/dtype.h"
#include "model/fill.h"

static bool is_output(const struct tensor *t) {
  return t->role == GB_OUT || t->role == GB_INOUT;
}

/* As contestant_check() does, but for what becomes of the variant. */
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

/* ---- Ways to be wrong ---- */

enum wrong { WRONG_ZEROS, WRONG_FIRST, WRONG_LAST, WRONG_COUNT };

static const char *const words[] = {"zeros everywhere", "a wrong first element", "a wrong last element"};

/* Far from what it was, in every type. */
static void spoil(const struct tensor *t, unsigned char *storage, uint64_t index) {
  double value = 0;
  tensor_load(t, storage, 0, index, 1, &value);
  fill_store(t->dtype, storage, tensor_storage_index(t, index),
             isfinite(value) && fabs(value) > 1 ? -value : value + 32);
}

/* False: it is as it was. */
static bool make(enum wrong wrong, const struct tensor *t, unsigned char *storage, size_t bytes) {
  SCOPED unsigned char *before = xcalloc(bytes, 1);
  memcpy(before, storage, bytes);
  if (wrong == WRONG_ZEROS)
    memset(storage, 0, bytes);
  else
    spoil(t, storage, wrong == WRONG_FIRST ? 0 : t->elements - 1);
  return memcmp(before, storage, bytes) != 0;
}

static int try_one(struct sitting *s, struct tensor *t, enum wrong wrong, const unsigned char *right, size_t bytes,
                   struct err *err) {
  const struct device_ops *ops = s->c->device->ops;
  SCOPED unsigned char *storage = xcalloc(bytes, 1);
  bool pass = false;
  memcpy(storage, right, bytes);
  int rc = 0;
  if (make(wrong, t, storage, bytes)) {
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
    rc = try_one(s, t, wrong, right, bytes, err);
  return rc;
}

int station_notices(struct sitting *s, struct err *err) {
  struct exam *e = s->exam;
  bool any = false;
  if ((e->variant->desc.flags & VARIANT_YARDSTICK) != 0) return 0; /* others are judged by values */
  int rc = sitting_verify(s, false, RULE_REPEAT, err);
  if (rc != 0) return rc;
  watch_expect_failure(true);
  for (uint32_t i = 0; i < s->c->tensor_count && rc == 0; i++) {
    if (!is_output(&s->c->tensors[i])) continue;
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
