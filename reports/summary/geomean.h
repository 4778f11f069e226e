/* How much faster variants are over all cases of a bench, as geometric means. No I/O. */
#pragma once

#include "summary/bench.h"

/* A geometric mean of speedups over cases. The errors of its rows may depend on each other, because the process that
 * measures the cases can favour one variant in all of them. Therefore the lower end of the mean's interval is the
 * geometric mean of the lower ends of the rows' intervals, and the upper end that of the upper ends. This is exact if
 * all rows have the same error, and otherwise wider than necessary. The verdict follows from the interval by the same
 * rule as the verdict of a single row. */
struct geomean {
  size_t count;     /* number of cases that the mean is over */
  size_t undecided; /* number of these cases whose verdict is "undecided", or that have none */
  double ratio;     /* the mean; NaN without cases */
  double lo, hi;    /* 95% interval; NaN for a single case, or if not all speedups are paired */
  /* the verdict in the words used for rows, or the reason why there is none; "" without an interval */
  const char *word;
  /* if the verdict is "faster" or "slower": a case without which the verdict would be different; NULL: there is no such
   * case */
  const struct run_case *swayed;
  double without; /* the mean without the case `swayed` */
};

/* Returns how much faster `variant` is than `over`. Uses the paired speedups that the rows record if `over` is the
 * baseline, otherwise the ratios of the medians. */
struct geomean geomean_over(const struct run_bench *bench, size_t variant, size_t over);
/* Returns how much faster `variant` is than the baseline, over the cases whose baseline is `base`. Cases in which
 * `variant` is that baseline do not count. */
struct geomean geomean_named(const struct run_bench *bench, size_t variant, const char *base);
/* Returns how much faster `variant` is than each case's own baseline. There is no mean if cases have different
 * baselines, because 1.04 times the speed of a vendor's library and 12 times that of a plain loop have no meaningful
 * mean. There is one if the baseline of each case is the fastest of the variants that --baseline named. */
struct geomean geomean_base(const struct run_bench *bench, size_t variant);

/* Writes what the mean was computed from: "4 cases, 1 undecided; 1.003x without gpt2/logits". */
void geomean_count_text(const struct run_bench *bench, const struct geomean *mean, char *to, size_t size);
/* Writes the mean without the case in `swayed`: "1.003x without gpt2/logits"; "" if that is NULL. */
void geomean_swayed_text(const struct run_bench *bench, const struct geomean *mean, char *to, size_t size);
