/* What an empty launch takes is in every time. Where it is a large part of one, the time less it says more of the
 * kernel, and is less well known. Pure. */
#ifndef STATS_FLOOR_H
#define STATS_FLOOR_H

#include <stdbool.h>

#include "stats/math.h"
#include "stats/stats.h"

/* Above this share of a time figures are shown with and without it, and words need both. */
#define FLOOR_SHARE 0.05

/* NaN: not known. It lies within `unc_ns` to either side: bounds, not a deviation. */
struct floor_time {
  double ns, unc_ns;
};

bool floor_counts(const struct floor_time *floor, double ns);

/* The interval of a time less the floor, from the time's own. False where it is not known to a half of itself, or
 * below zero: then it says nothing. */
bool floor_left(const struct floor_time *floor, double ns, struct interval ci95, struct interval *left);

/* Widens the intervals of a ratio to cover those of another, as for another floor. */
void stats_ratio_cover(struct ratio *ratio, const struct ratio *other);

#endif
