/* Times less the launch overhead. Every time includes what an empty launch takes. If that is a large part of the time,
 * the remainder says more about the kernel, but is less precisely known. The functions do no I/O and use no global
 * state. */
#pragma once

#include <stdbool.h>

#include "stats/math.h"
#include "stats/stats.h"

/* If the launch overhead is more than this share of a time, results are shown with and without it, and a verdict must
 * hold for both. */
#define OVERHEAD_SHARE 0.05

/* A launch overhead; NaN: not known. The true value is within `unc_ns` to either side: bounds, not a deviation. */
struct launch_overhead {
  double ns, unc_ns;
};

bool overhead_counts(const struct launch_overhead *overhead, double ns);

/* Computes the interval of a time less the launch overhead from the interval of the time. Returns false, and the
 * interval means nothing, if half its width is more than half of the value or the interval lies below zero. */
bool overhead_left(const struct launch_overhead *overhead, double ns, struct interval ci95, struct interval *left);

/* Widens the intervals of a ratio to cover those of another one, such as one for another launch overhead. */
void stats_ratio_cover(struct ratio *ratio, const struct ratio *other);
