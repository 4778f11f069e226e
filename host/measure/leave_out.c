/* Drops variants that are so slow that there would be no time for the rows of the other variants or of later cases. */
#include <math.h>

#include "base/clock.h"
#include "measure/orders.h"
#include "measure/steps.h"
#include "model/denominator.h"
#include "model/time_left.h"

/* The fewest calls that a variant needs for a row of results: for the warm-up, for ROUNDS_LEAST rounds, and for the
 * reuse test. */
enum { CALLS_LEAST = 12 };

static double case_left_s(const struct measurement *m) {
  return (double)(m->request->last_ns - clock_now_ns()) * 1e-9;
}

/* Returns the seconds that are left for samples, until the later of two times: when the case must end, and when
 * sampling has taken as long as all preparations before it. */
static double there_s(const struct measurement *m) {
  const int64_t now = clock_now_ns(), begun_ns = m->sampling_ns != 0 ? m->sampling_ns : now;
  return fmax(case_left_s(m), (double)(2 * begun_ns - m->started_ns - now) * 1e-9);
}

static bool may_leave_out(const struct measurement *m) {
  return m->request->last_ns != 0 && !device_is(m->c->device, DEVICE_SCRIPTED) && !orders_given(m) &&
         m->request->trajectory == 0;
}

/* Computes the seconds that each variant needs for its row. A first call may load modules and compile, so if it took
 * more than the variant's part of the time, a second call is timed. */
static int look_for_slow(struct measurement *m, double *needs_s, struct err *err) {
  const double part_s = case_left_s(m) / m->count / CALLS_LEAST;
  for (uint32_t i = 0; i < m->count; i++) {
    struct contestant *k = &m->contestants[i];
    struct slot_task task = measure_slot_task(m, 1, &k->first_ns);
    if (!mode_is_by_host(m->request->mode)) task.timing = TIMING_COLD; /* the size of a batch is not known yet */
    const int64_t start = clock_now_ns();
    const bool again = contestant_alive(k) && k->first_s > part_s && k->first_s <= case_left_s(m);
    if (again && measure_take(m, k, &task, err) != 0) return -1;
    if (again) k->first_s = clock_seconds_since(start);
    needs_s[i] = contestant_alive(k) ? CALLS_LEAST * k->first_s : 0;
  }
  return 0;
}

/* Sets `bases` to true for each variant that would be the denominator of another variant's speedup if the times of the
 * first calls decided. */
static void find_bases(const struct measurement *m, bool *bases) {
  struct denominator against[CASE_VARIANTS_MAX];
  double first_s[CASE_VARIANTS_MAX];
  for (uint32_t i = 0; i < m->count; i++) {
    const struct contestant *k = &m->contestants[i];
    against[i] = m->request->variants[i].against;
    first_s[i] = contestant_alive(k) ? k->first_s : NAN;
    bases[i] = false;
  }
  for (uint32_t i = 0; i < m->count; i++) {
    const size_t base = denominator_of(against, first_s, m->count, i);
    if (base < m->count && base != i && !isnan(first_s[i])) bases[base] = true;
  }
}

/* Returns the mean duration of the variant's slots. The expected duration is counted as one more slot, so that a single
 * pause of the machine does not make the variant seem slow. */
static double slot_s(const struct contestant *k) {
  return (k->slots_s + k->slot_wall_ns * 1e-9) / (double)(k->slot_count + 1);
}

/* Drops the variants that do not fit into the time that is left. `needs_s`: the seconds that each variant still needs.
 * `slots`: the number of slots that each variant still needs; 0: no slots were taken yet, and `needs_s` is estimated
 * from first calls. */
static void drop_unfit(struct measurement *m, const double *needs_s, uint32_t slots) {
  const double seconds = there_s(m);
  bool bases[CASE_VARIANTS_MAX], left_out[CASE_VARIANTS_MAX];
  find_bases(m, bases);
  time_leave_out(needs_s, bases, m->count, seconds, m->request->others_wait, left_out);
  for (struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1)) {
    if (!left_out[k->index]) continue;
    k->report.needs_s = needs_s[k->index];
    if (slots == 0)
      contestant_drop(k, ROW_NOT_RUN,
                      "a call takes %.2g s, %.2g s with what goes with it, and %d of each variant take more than the "
                      "%.2g s that there are",
                      k->first_ns * 1e-9, k->first_s, CALLS_LEAST, fmax(0, seconds));
    else
      contestant_drop(
          k, ROW_NOT_RUN,
          "a slot takes %.2g s by now, and %u more of each variant take more than the %.2g s that there are", slot_s(k),
          slots, fmax(0, seconds));
    measure_tell(m, k);
  }
}

int leave_out_slow(struct measurement *m, struct err *err) {
  double needs_s[CASE_VARIANTS_MAX];
  if (!may_leave_out(m)) return 0;
  if (look_for_slow(m, needs_s, err) != 0) return -1;
  drop_unfit(m, needs_s, 0);
  return 0;
}

void leave_out_late(struct measurement *m, uint32_t rounds) {
  double needs_s[CASE_VARIANTS_MAX];
  if (rounds == 0 || rounds >= ROUNDS_LEAST || !may_leave_out(m)) return;
  const uint32_t slots = ROUNDS_LEAST - rounds + 1; /* + 1: a slot in the last round */
  for (uint32_t i = 0; i < m->count; i++)
    needs_s[i] = contestant_alive(&m->contestants[i]) ? slots * slot_s(&m->contestants[i]) : 0;
  drop_unfit(m, needs_s, slots);
}

void leave_out_limit(const struct measurement *m, uint32_t calls, struct slot_task *task) {
  const uint32_t rounds = m->report->rounds - m->kept_from; /* number of kept rounds, including the present one */
  /* + 2: the present slot, and one in the last round */
  const double slots = (rounds < ROUNDS_LEAST ? ROUNDS_LEAST - rounds : 0) + 2;
  task->calls_left = slots * calls;
  task->left_ns = may_leave_out(m) ? fmax(0, there_s(m) * 1e9) : 0;
}
