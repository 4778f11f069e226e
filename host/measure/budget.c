/* Decides what verification may cost, as shares of the sampling time. On a scripted device every cost is allowed, so
 * that runs of the same script take the same course, however long they take. */
#include "measure/budget.h"

#include <math.h>

#include "base/clock.h"
#include "case/contents.h"
#include "case/stated.h"

static const double time_share = 0.06, kept_share = 0.02, calls_share = 0.04, dear_share = 0.25;

/* A verification that takes less than `quick_s` always compares all values. If the bench's `reference` takes longer
 * than `slow_s`, it is computed once for all variants, and their rows get a mark that says so. */
static const double quick_s = 0.005, slow_s = 0.5;

static double share_s(const struct measurement *m, double while_sampling) {
  const bool over = m->over_ns != 0;
  const int64_t end = over ? m->over_ns : clock_now_ns();
  return (over ? time_share : while_sampling) * (double)(end - m->sampling_ns) * 1e-9;
}

double budget_s(const struct measurement *m) {
  return share_s(m, kept_share);
}

bool budget_allows(const struct measurement *m, double seconds) {
  /* this row only shows the machine's highest rate, so cheating gains nothing */
  if (m->request->yardstick) return false;
  return device_is(m->c->device, DEVICE_SCRIPTED) || m->spot_checks_s + seconds <= budget_s(m);
}

bool budget_allows_calls(const struct measurement *m) {
  return device_is(m->c->device, DEVICE_SCRIPTED) || m->spot_checks_s - m->verifications_s <= share_s(m, calls_share);
}

double budget_verification_s(const struct measurement *m) {
  const bool draws = stated_is_drawn(m->c) && m->reference_s <= slow_s;
  return m->verification_s + (draws ? m->reference_s : 0);
}

/* Returns true if `reference` is called to draw new elements for the comparison. Before anything is timed it must be
 * quick; for timed slots it must only not be slow. After sampling (over_ns is set), the second and later draws for a
 * variant must also fit into the budget. */
bool budget_draws(const struct measurement *m, const struct contestant *k, bool timed) {
  if (device_is(m->c->device, DEVICE_SCRIPTED)) return true;
  if (!timed) return m->reference_s <= quick_s;
  return m->reference_s <= slow_s && (k->unforeseen == 0 || m->over_ns == 0 || budget_allows(m, m->reference_s));
}

double budget_verifications(const struct measurement *m, double seconds) {
  const double most = 0.5;
  if (m->request->yardstick) return 0;
  return device_is(m->c->device, DEVICE_SCRIPTED)
             ? most
             : fmin(most, kept_share * seconds / fmax(budget_verification_s(m) + m->mend_s, 1e-9));
}

double budget_verification_share(const struct measurement *m) {
  const double least = 1.0 / 16;
  if (device_is(m->c->device, DEVICE_SCRIPTED) || m->verification_s < quick_s) return 1;
  return fmax(least, dear_share * budget_s(m) / fmax(2 * m->verification_s * m->count, 1e-9));
}

/* Returns true if filling the inputs takes more than a quarter (dear_share) of the longest slot. A bench that fills its
 * inputs itself can do so only between slots, which always counts as too long. */
bool budget_fills_are_dear(const struct measurement *m) {
  if (bench_fills(m->c)) return true;
  double slot_ns = 0;
  for (const struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1))
    slot_ns = fmax(slot_ns, k->slot_wall_ns);
  return !device_is(m->c->device, DEVICE_SCRIPTED) && m->fill_s > dear_share * slot_ns * 1e-9;
}

bool budget_news_is_dear(const struct measurement *m) {
  return !device_is(m->c->device, DEVICE_SCRIPTED) &&
         2 * (m->reference_s + m->fill_s) * m->count > dear_share * budget_s(m);
}
