/* Subtracts the launch overhead from times. Every measured time includes the time that an empty launch would take. If
 * the launch is a large part of the time, the rest says more about the kernel than the whole, but the rest is known
 * less precisely. The functions do no I/O and use no global state. */
#pragma once

#include <stdbool.h>

#include "stats/math.h"
#include "stats/stats.h"

/* If the launch overhead is more than this share of a time, results are given both with and without the overhead, and a
 * verdict must hold for both. */
#define OVERHEAD_SHARE 0.05

/* A launch overhead; NaN: not known. The true value lies between ns - unc_ns and ns + unc_ns; unc_ns is a bound, not a
 * standard deviation. */
struct launch_overhead {
  double ns, unc_ns;
};

bool overhead_counts(const struct launch_overhead *overhead, double ns);

/* Computes the interval of `ns` without the launch overhead from `ci95`, the interval of the whole time. Returns false
 * if the result must not be used, because half of its width is more than half of the remaining time. */
bool overhead_left(const struct launch_overhead *overhead, double ns, struct interval ci95, struct interval *left);

/* Widens the intervals of `ratio` so that they also cover the intervals of `other`, such as the same ratio for another
 * launch overhead. */
void stats_ratio_cover(struct ratio *ratio, const struct ratio *other);
