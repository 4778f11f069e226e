#include "model/proof/untimed.h"

#include <math.h>

/* CPU time in ns that is ignored, because a thread that waits with a timeout uses a little at each wake-up. */
static const double waiting_ns = 1e4;

void untimed_add(struct untimed_times *times, double ns, double slots) {
  if (times->count == UNTIMED_MOST) return;
  times->ns[times->count] = ns;
  times->slots[times->count++] = slots;
}

void untimed_join(struct untimed_times *times, const struct untimed_times *more) {
  for (uint32_t i = 0; i < more->count; i++)
    untimed_add(times, more->ns[i], more->slots[i]);
}

/* Returns the number of slots (series of samples) in which threads worked for `ns` or longer, as estimated from the
 * observed slots. */
static double slots_from(const struct untimed_times *times, double ns) {
  double slots = 0;
  for (uint32_t i = 0; i < times->count; i++)
    if (times->ns[i] >= ns) slots += times->slots[i];
  return slots;
}

double untimed_ahead_ns(const struct untimed_times *times) {
  const double all = slots_from(times, 0);
  double most = times->count > 0 ? 0 : (double)NAN;
  for (uint32_t i = 0; i < times->count; i++)
    if (2 * slots_from(times, times->ns[i]) > all) most = fmax(most, times->ns[i]);
  return most < waiting_ns ? 0 : most;
}
