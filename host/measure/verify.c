/* The pass of verification that comes before anything is timed, and what it shares with trials. */
#include "measure/verify.h"

#include "base/clock.h"
#include "case/calls.h"
#include "case/tensors.h"
#include "case/verify.h"
#include "measure/set_up.h"

int verify_reference(struct measurement *m, struct err *err) {
  struct gb_case *c = m->c;
  int64_t start = clock_now_ns();
  if (c->bench->own.reference == NULL) return 0;
  call_begin(c, PHASE_REFERENCE, OWNER_BENCH);
  if (!measure_bench_ok(m, c->bench->own.reference(c->bench->theirs, c, c->state), "reference")) return 0;
  int rc = c->device->ops->sync(c->device, err);
  m->reference_s = measure_seconds_since(start);
  return rc;
}

static int refresh(struct measurement *m, struct contestant *k, struct err *err) {
  m->running = k;
  if (contestant_refresh(k, err) != 0 || m->c->device->ops->sync(m->c->device, err) != 0) return -1;
  m->running = NULL;
  return 0;
}

static int prepare(struct measurement *m, struct contestant *k, struct err *err) {
  contestant_release(k);
  return measure_prepare(m, k, err);
}

int verify_prepare_again(struct measurement *m, struct contestant *k, struct err *err) {
  if ((k->variant->own.refresh != NULL ? refresh(m, k, err) : prepare(m, k, err)) != 0) return -1;
  return contestant_alive(k) ? contestant_capture(k, m->request->mode, err) : 0;
}

/* Its work must be done when a sample of its mode would be over. */
static int verify_run(const struct measurement *m, struct contestant *k, bool held, struct err *err) {
  const struct mode mode = m->request->mode;
  double ns;
  struct turn turn = {.timing = mode_is_by_host(mode) ? (enum timing)mode.timing : TIMING_COLD,
                      .count = 1,
                      .single = true,
                      .check_held = held,
                      .check_done = true,
                      .ns = &ns};
  return contestant_verify(k, &turn, err);
}

/* Once with either poison: what is written each time is not what was left alone. */
static int verify_integers(const struct measurement *m, struct contestant *k, struct err *err) {
  struct gb_case *c = k->c;
  if (!case_has_integers(c)) return 0;
  if (case_note_plain(c, &k->plain, err) != 0) return -1;
  c->other_poison = true;
  k->plain.known = true;
  k->plain.seed = c->seed;
  int rc = verify_run(m, k, false, err);
  if (rc == 0 && contestant_alive(k)) rc = case_note_plain(c, &k->plain, err);
  c->other_poison = false;
  return rc;
}

int verify_outputs(const struct measurement *m, struct contestant *k, bool held, struct err *err) {
  if (verify_run(m, k, held, err) != 0) return -1;
  return contestant_alive(k) ? verify_integers(m, k, err) : 0;
}

/* Each variant's first run, which nobody times. */
static int verify_first(struct measurement *m, struct contestant *k, struct err *err) {
  m->running = k;
  if (verify_outputs(m, k, false, err) != 0) return -1;
  if (contestant_alive(k) && contestant_capture(k, m->request->mode, err) != 0) return -1;
  m->running = NULL;
  measure_tell(m, k);
  return 0;
}

int measure_verify(struct measurement *m, struct err *err) {
  const int64_t start = clock_now_ns();
  if (verify_reference(m, err) != 0) return -1;
  const int64_t known = clock_now_ns();
  for (struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1))
    if (verify_first(m, k, err) != 0) return -1;
  m->look_s = measure_seconds_since(known) / m->count;
  m->report->seconds_verify += measure_seconds_since(start);
  return 0;
}
