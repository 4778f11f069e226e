/* Verifies variants before anything is timed. The verification of timed slots (measure/audit/spot_check.c) uses some of
 * these functions, too. */
#include "measure/verify.h"

#include "base/clock.h"
#include "case/calls.h"
#include "case/case.h"
#include "case/contents.h"
#include "case/stated.h"
#include "case/tensors.h"
#include "case/verify.h"
#include "measure/audit/overruns.h"
#include "measure/budget.h"
#include "measure/steps.h"

int verify_reference(struct measurement *m, struct err *err) {
  struct gb_case *c = m->c;
  int64_t start = clock_now_ns();
  if (c->bench->own.reference == NULL) return 0;
  tensors_forget(c);
  call_begin(c, PHASE_REFERENCE, OWNER_BENCH);
  if (!measure_bench_ok(m, c->bench->own.reference(c->bench->theirs, c, c->state), "reference")) return 0;
  stated_end(c);
  int rc = call_sync(c, err);
  m->reference_s = clock_seconds_since(start);
  m->references_s += m->reference_s;
  return rc;
}

/* ---- Verifying outputs ---- */

static bool contestant_is_yardstick(const struct contestant *k) {
  return (k->variant->desc.flags & VARIANT_YARDSTICK) != 0;
}

/* Calls the bench's `reference` if there are no expected values for the present inputs, or if other elements than
 * before, chosen at random, are to be compared. Otherwise the existing expected values are kept. */
static int provide_expected(struct measurement *m, const struct contestant *k, const struct verify_options *options,
                            struct err *err) {
  const bool drawn = stated_is_drawn(m->c) && !m->c->afterwards && !contestant_is_yardstick(k);
  if (!case_is_known(m->c) || !(m->unexpected || (drawn && budget_draws(m, k, options->timed)))) return 0;
  m->unexpected = false;
  return verify_reference(m, err);
}

static int check_seal(struct contestant *k, const char *where, struct err *err) {
  const char *broken;
  if (!contestant_alive(k)) return 0;
  if (seal_check(k->c, &broken, err) != 0) return -1;
  if (broken != NULL)
    contestant_break(k, RULE_COMPLETE, ROW_WRONG,
                     "%soutput '%s' changed while it was compared: a thread or a stream that run does not wait for "
                     "still writes it",
                     where, broken);
  return 0;
}

static void note_foreseen(struct contestant *k, const struct verify_options *options) {
  if (!contestant_alive(k) || contestant_is_yardstick(k) || !contestant_is_checked(k) || !options->timed) return;
  k->unforeseen += stated_afterwards(k->c, case_is_one_step(k->c));
}

/* Compares the present outputs with expected values. The elements to be compared are chosen at random only after the
 * outputs are final, so that a variant cannot write only these. */
static int compare_final(struct measurement *m, struct contestant *k, const struct verify_options *options,
                         struct err *err) {
  struct gb_case *c = m->c;
  const bool sealed = m->unexpected || stated_is_drawn(c) || c->bench->own.verify != NULL;
  if (contestant_deliver(k, options->where, err) != 0) return -1;
  if (!contestant_alive(k)) return 0;
  if (sealed && seal_outputs(c, err) != 0) return -1;
  if (provide_expected(m, k, options, err) != 0) return -1;
  const struct portion portion = {options->share, case_draw(c)};
  if (contestant_alive(k) && contestant_check(k, options->where, &portion, err) != 0) return -1;
  if (sealed && check_seal(k, options->where, err) != 0) return -1;
  note_foreseen(k, options);
  return 0;
}

int verify_present_outputs(struct measurement *m, struct contestant *k, const struct verify_options *options,
                           struct err *err) {
  const int64_t start = clock_now_ns();
  const double before_s = m->references_s;
  const int rc = compare_final(m, k, options, err);
  if (options->share >= 1) m->verification_s = clock_seconds_since(start) - (m->references_s - before_s);
  return rc;
}

/* ---- Before anything is timed ---- */

static int refresh_derived(struct measurement *m, struct contestant *k, struct err *err) {
  m->running = k;
  if (contestant_refresh(k, err) != 0 || call_sync(m->c, err) != 0) return -1;
  m->running = NULL;
  return 0;
}

static int prepare_anew(struct measurement *m, struct contestant *k, struct err *err) {
  contestant_release(k);
  return measure_prepare(m, k, err);
}

int verify_prepare_again(struct measurement *m, struct contestant *k, struct err *err) {
  if ((k->variant->own.refresh != NULL ? refresh_derived(m, k, err) : prepare_anew(m, k, err)) != 0) return -1;
  return contestant_alive(k) ? contestant_capture(k, m->request->mode, err) : 0;
}

/* Fills the outputs with a pattern that marks unwritten elements, runs the variant once, and verifies the outputs. Also
 * drops the variant if an output is written after the clock of a sample would have stopped. `held`: see
 * verify_outputs(). */
static int verify_run(struct measurement *m, struct contestant *k, bool held, struct err *err) {
  const struct mode mode = m->request->mode;
  double ns = 0;
  struct slot_task task = {.timing = mode_is_by_host(mode) ? (enum timing)mode.timing : TIMING_COLD,
                           .count = 1,
                           .single = true,
                           .check_held = held,
                           .check_done = true,
                           .poisoned = true,
                           .ns = &ns};
  const int64_t start = clock_now_ns();
  if (contestant_run_poisoned(k, &task, err) != 0) return -1;
  k->first_s = clock_seconds_since(start);
  k->first_ns = ns;
  if (contestant_alive(k) && verify_present_outputs(m, k, &(struct verify_options){"", 1, false}, err) != 0) return -1;
  if (contestant_check_done(k, &task, err) != 0) return -1;
  /* repairs what the variant may have damaged, so that the next variant is not blamed */
  return contestant_alive(k) ? 0 : tensors_repair(k->c, err);
}

/* If outputs hold integers, runs and verifies again with another poison (the value that marks unwritten elements): an
 * integer that equals one poison may be a right result, but one that equals the poison in both runs was not written. */
static int verify_integers(struct measurement *m, struct contestant *k, struct err *err) {
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

int verify_outputs(struct measurement *m, struct contestant *k, bool held, struct err *err) {
  if (verify_run(m, k, held, err) != 0) return -1;
  return contestant_alive(k) ? verify_integers(m, k, err) : 0;
}

/* Runs and verifies a variant for the first time, before anything is timed. */
static int verify_first(struct measurement *m, struct contestant *k, struct err *err) {
  m->running = k;
  if (verify_outputs(m, k, false, err) != 0) return -1;
  if (contestant_alive(k) && overruns_look(m, k, GUARDS_ALL, err) != 0) return -1;
  if (contestant_alive(k) && contestant_capture(k, m->request->mode, err) != 0) return -1;
  m->running = NULL;
  measure_tell(m, k);
  return 0;
}

int measure_verify(struct measurement *m, struct err *err) {
  const int64_t start = clock_now_ns();
  if (verify_reference(m, err) != 0) return -1;
  for (struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1))
    if (verify_first(m, k, err) != 0) return -1;
  m->report->seconds_verify += clock_seconds_since(start);
  return 0;
}
