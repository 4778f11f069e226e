/* Passes of verification, and the audits of times that follow them. */
#include "measure/verify.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "case/calls.h"
#include "case/tensors.h"
#include "measure/set_up.h"

static int compute_reference(struct measurement *m, struct err *err) {
  struct gb_case *c = m->c;
  if (c->bench->own.reference == NULL) return 0;
  call_begin(c, PHASE_REFERENCE, OWNER_BENCH);
  if (!measure_bench_ok(m, c->bench->own.reference(c->bench->theirs, c, c->state), "reference")) return 0;
  return c->device->ops->sync(c->device, err);
}

/* What a variant computed from former inputs goes with them. */
static int prepare_again(struct measurement *m, struct contestant *k, struct err *err) {
  if (!(k->variant->desc.flags & GB_VARIANT_DERIVED)) return 0;
  contestant_release(k);
  if (measure_prepare(m, k, err) != 0) return -1;
  return contestant_alive(k) ? contestant_capture(k, m->request->mode, err) : 0;
}

/* Each variant's first run, which nobody times. */
static int verify_first(struct measurement *m, struct contestant *k, struct err *err) {
  double ns;
  struct turn turn = {.timing = TIMING_COLD, .count = 1, .check_done = true, .ns = &ns};
  m->running = k;
  if (contestant_verify(k, &turn, err) != 0) return -1;
  if (contestant_alive(k) && contestant_capture(k, m->request->mode, err) != 0) return -1;
  m->running = NULL;
  return 0;
}

/* Verification after the first: as in a slot, on new inputs. */
static int verify_again(struct measurement *m, struct contestant *k, struct err *err) {
  double ns;
  struct turn turn = measure_turn(m, 1, &ns);
  turn.check_held = true;
  if (prepare_again(m, k, err) != 0) return -1;
  if (!contestant_alive(k)) return 0;
  m->running = k;
  if (contestant_verify(k, &turn, err) != 0) return -1;
  m->running = NULL;
  return 0;
}

static int fill_anew(struct measurement *m, struct err *err) {
  return tensors_fill(m->c, m->request->seed + ++m->fills, err);
}

/* One sample as in a slot: on new inputs into poisoned outputs, or on the same ones into outputs that are right. */
static int time_once(struct measurement *m, struct contestant *k, bool fresh, struct err *err) {
  double ns = NAN;
  struct turn turn = measure_turn(m, 1, &ns);
  if (prepare_again(m, k, err) != 0) return -1;
  if (!contestant_alive(k)) return 0;
  if ((fresh ? tensors_poison(m->c, err) : tensors_rewrite(m->c, err)) != 0 || tensors_restore(m->c, err) != 0)
    return -1;
  m->running = k;
  if (contestant_slot(k, &turn, err) != 0) return -1;
  m->running = NULL;
  audit_note(&k->audits, fresh, ns);
  return 0;
}

/* Two samples of each variant: its work is still to be done before the first, and done before the second. All that is
 * written in between is written alike, since what lies in the caches counts. */
static int audit(struct measurement *m, struct err *err) {
  if (fill_anew(m, err) != 0) return -1;
  for (struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1))
    if (time_once(m, k, true, err) != 0) return -1;
  if (tensors_fill(m->c, m->request->seed + m->fills, err) != 0) return -1;
  for (struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1))
    if (time_once(m, k, false, err) != 0) return -1;
  m->audits++;
  return 0;
}

static int verify_all(struct measurement *m, struct err *err) {
  if (m->passes > 0 && fill_anew(m, err) != 0) return -1;
  if (compute_reference(m, err) != 0) return -1;
  for (struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1))
    if ((m->passes > 0 ? verify_again(m, k, err) : verify_first(m, k, err)) == 0)
      measure_tell(m, k);
    else
      return -1;
  return 0;
}

int measure_verify(struct measurement *m, struct err *err) {
  int64_t start = clock_now_ns();
  if (verify_all(m, err) != 0 || (m->passes > 0 && audit(m, err) != 0)) return -1;
  m->passes++;
  m->report->seconds_verify += measure_seconds_since(start);
  return 0;
}

double measure_learned_ns(const struct measurement *m) {
  bool by_host = m->request->mode.timing >= TIMING_LATENCY || strcmp(m->c->device->facts.backend, "cpu") == 0;
  return by_host ? 200e3 : 0;
}

static bool any_suspect(const struct measurement *m) {
  for (struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1)) {
    if (audit_judge(&k->audits, measure_learned_ns(m)).suspect) return true;
  }
  return false;
}

int measure_audit(struct measurement *m, struct err *err) {
  enum { AUDITS_LEAST = 5 };
  int64_t start = clock_now_ns();
  double most_s = 0.2 * measure_seconds_since(m->started_ns);
  while (measure_next(m, 0) != NULL && !measure_stopped(m) &&
         ((m->audits < AUDITS_LEAST && measure_seconds_since(start) < most_s) || any_suspect(m)))
    if (audit(m, err) != 0) return -1;
  m->report->seconds_verify += measure_seconds_since(start);
  return 0;
}
