/* Runs whose outputs are judged, on the same inputs and on others. */
#include "case/calls.h"
#include "case/contents.h"
#include "exam/stations.h"
#include "measure/verify.h"

enum { AGAIN = 2 };

static bool is_yardstick(const struct exam *e) {
  return (e->variant->desc.flags & VARIANT_YARDSTICK) != 0;
}

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
  if (is_yardstick(e))
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
  exam_pass(s->exam, RULE_COMPLETE); /* a thread or a stream that nobody waits for has had its chances */
  return 0;
}

static int fill(struct sitting *s, uint64_t seed, struct err *err) {
  struct outcome outcome;
  bench_fill(s->c, seed, &outcome); /* whose failure has been told */
  if (outcome.kind != OUTCOME_OK) return s->exam->over = true, 1;
  if (tensors_fill(s->c, seed, err) != 0 || verify_reference(&s->m, err) != 0) return sitting_spoilt(s, err);
  return sitting_goes_on(s, RULE_FRESH) ? 0 : 1;
}

/* Who has prepared for the inputs is told; the others are not. */
static int tell_variant(struct sitting *s, struct err *err) {
  struct contestant *k = sitting_variant(s);
  if (!contestant_is_derived(k)) return 0;
  if (verify_prepare_again(&s->m, k, err) != 0) return sitting_spoilt(s, err);
  return sitting_goes_on(s, RULE_FRESH) ? 0 : 1;
}

/* Outputs hold what was right of the inputs before, and not poison: who takes it for his own work is found out. */
static int run_over(struct sitting *s, struct err *err) {
  struct contestant *k = sitting_variant(s);
  double ns;
  struct turn turn = {.timing = (enum timing)s->request.mode.timing, .count = 1, .single = true, .ns = &ns};
  s->m.running = k;
  if (tensors_restore(s->c, err) != 0 || contestant_slot(k, &turn, err) != 0 ||
      s->c->device->ops->sync(s->c->device, err) != 0)
    return sitting_spoilt(s, err);
  const struct look look = {"over outputs of other inputs: ", 1, false};
  if (contestant_alive(k) && verify_look(&s->m, k, &look, err) != 0) return sitting_spoilt(s, err);
  s->m.running = NULL;
  return sitting_goes_on(s, RULE_FRESH) ? 0 : 1;
}

int station_fresh(struct sitting *s, struct err *err) {
  if (!tensors_have_inputs(s->c)) {
    exam_skip(s->exam, RULE_FRESH, "its bench has no inputs");
    return 0;
  }
  int rc = 0;
  for (uint64_t other = 1; other < 3 && rc == 0; other++) {
    rc = fill(s, s->request.seed + other, err);
    if (rc == 0) rc = tell_variant(s, err);
    if (rc == 0) rc = other == 1 ? sitting_verify(s, false, RULE_FRESH, err) : run_over(s, err);
  }
  if (rc == 0) exam_pass(s->exam, RULE_FRESH);
  return rc;
}
