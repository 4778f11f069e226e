/* How much faster variants are over all cases of a bench. Pure. */
#ifndef SUMMARY_GEOMEAN_H
#define SUMMARY_GEOMEAN_H

#include "summary/bench.h"

/* Geometric mean of how much faster `variant` is than `over`, and of how many cases. Against the baseline the paired
 * speedups are used, between others the medians. NaN with no case. */
double geomean_over(const struct run_bench *bench, size_t variant, size_t over, size_t *count);
/* The same over each case's own baseline; the baseline's own rows do not count. */
double geomean_base(const struct run_bench *bench, size_t variant, size_t *count);

#endif
