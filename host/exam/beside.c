/* Two stations (steps) of an examination: one with a second case of the same bench, and one in which the host gives the
 * variant no memory. */
#include "case/tensors.h"
#include "exam/state.h"
#include "exam/stations.h"
#include "measure/verify.h"

/* ---- Two cases at the same time ---- */

static bool has_room(const struct sitting *s) {
  const int64_t left = s->c->device->ops->memory_free(s->c->device);
  return left < 0 || tensors_bytes(s->c) < (uint64_t)left / 4;
}

/* Computes the expected values of the second case, whose inputs differ from those of the first. Then runs the variant
 * on the first case and on the second one, and verifies both. */
static int alternate_cases(struct sitting *s, struct sitting *second, struct err *err) {
  int rc = 0;
  if (!sitting_goes_on(second, RULE_STATICS)) return 1;
  if (verify_reference(&second->m, err) != 0) return sitting_spoilt(second, err);
  if (!sitting_goes_on(second, RULE_STATICS)) return 1;
  rc = sitting_verify(s, false, RULE_STATICS, err);
  if (rc == 0) rc = sitting_verify(second, false, RULE_STATICS, err);
  return rc;
}

int station_beside(struct sitting *s, struct err *err) {
  struct exam *e = s->exam;
  struct sitting second;
  if (!has_room(s)) {
    exam_find(e, RULE_STATICS, FINDING_NOT_CHECKED, "no memory for two cases");
    return 0;
  }
  exam_try(e, RULE_STATICS, "beside a second case");
  int rc = sitting_begin(&second, e, s->request.seed + 7, err);
  if (rc != 0) return rc;
  rc = alternate_cases(s, &second, err);
  if (rc < 0) return rc;
  exam_try(e, RULE_NONE, "");
  sitting_end(&second);
  exam_try(e, RULE_STATICS, "after a second case has ended");
  if (rc == 0) rc = sitting_verify(s, false, RULE_STATICS, err);
  exam_try(e, RULE_NONE, "");
  if (rc == 0) exam_pass(e, RULE_STATICS);
  return rc;
}

/* ---- A host without memory ---- */

/* Prepares the variant while the host gives it no memory. If `prepare` succeeds nevertheless, the variant's results
 * must be right. If it fails, as it mostly does, the variant is dropped from the case. */
static int prepare_without(struct sitting *s, struct contestant *k, struct err *err) {
  const uint64_t limit = s->c->memory_limit;
  contestant_release(k);
  s->c->memory_limit = 1;
  watch_expect_failure(true);
  s->m.running = k;
  const int rc = contestant_prepare(k, err);
  watch_expect_failure(false);
  s->c->memory_limit = limit;
  if (rc != 0 || s->c->device->ops->sync(s->c->device, err) != 0) return sitting_spoilt(s, err);
  s->m.running = NULL;
  return contestant_alive(k) ? sitting_verify(s, false, RULE_NO_MEMORY, err) : 0;
}

int station_no_memory(struct sitting *s, struct err *err) {
  struct exam *e = s->exam;
  struct contestant *k = sitting_variant(s);
  if (k->report.figures.extra_bytes == 0) {
    exam_skip(e, RULE_NO_MEMORY, "it takes none of gb.mem/1");
    return 0;
  }
  exam_try(e, RULE_NO_MEMORY, "where gb.mem/1 gave no memory");
  const int rc = prepare_without(s, k, err);
  if (rc < 0) return rc;
  exam_try(e, RULE_NONE, "");
  if (rc == 0) exam_pass(e, RULE_NO_MEMORY);
  return rc;
}
