#include "model/proof/outside.h"

/* Largest share of a batch's time that may pass outside its iterations, such as in the loop around them and for
 * recording events. */
static const double excess_open = 0.05;

double outside_batches_ns(double shortest_ns, double usual_ns) {
  const double all_ns = 21e6, disturbed_ns = 150e6;
  return shortest_ns > usual_ns / (1 - OUTSIDE_SAMPLES_OPEN) ? disturbed_ns : all_ns;
}

enum outside_word outside_judge(const struct outside *outside, double median_ns) {
  if (isnan(outside->ns) || isnan(outside->claimed_ns) || isnan(outside->slack_ns)) return OUTSIDE_UNKNOWN;
  const double passed = outside->ns - outside->slack_ns;
  if (outside->excess > excess_open) return OUTSIDE_BROKEN;
  if (outside->queued && median_ns < passed * (1 - OUTSIDE_SAMPLES_OPEN)) return OUTSIDE_BROKEN;
  const double claimed = median_ns < outside->claimed_ns ? median_ns : outside->claimed_ns;
  return outside->slack_ns > claimed ? OUTSIDE_LOOSE : OUTSIDE_HOLDS;
}
