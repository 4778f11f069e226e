/* How much faster variants are over all cases of a bench, as geometric means. No I/O. */
#pragma once

#include "summary/bench.h"

/* A geometric mean of speedups. Its interval does not assume that the rows' errors are independent: a process can
 * favour a variant in each of its cases alike. So the ends of the mean's interval are the means of the rows' ends,
 * which is right if the rows' errors are all the same, and otherwise wider than necessary. The verdict follows the rule
 * for the ratio of a single row. */
struct geomean {
  size_t count;     /* number of cases */
  size_t undecided; /* of these cases, those undecided or without a verdict */
  double ratio;     /* the mean; NaN without cases */
  double lo, hi;    /* 95% interval; NaN for a single case, or if not all speedups are paired */
  const char *word; /* the verdict, or why there is none, in the words for a row; "" without an interval */
  /* a case without which a mean that is faster or slower would have another verdict; NULL: there is none */
  const struct run_case *swayed;
  double without; /* the mean without that case */
};

/* Returns how much faster `variant` is than `over`: by paired speedups if `over` is the baseline, otherwise by
 * medians. */
struct geomean geomean_over(const struct run_bench *bench, size_t variant, size_t over);
/* Returns how much faster `variant` is over the cases whose baseline is `base`. The baseline's own rows do not
 * count. */
struct geomean geomean_named(const struct run_bench *bench, size_t variant, const char *base);
/* Returns how much faster `variant` is than each case's own baseline. There is no mean if cases have different
 * baselines, unless each has the fastest of those that --baseline named: 1.04 times a vendor's speed and 12 times a
 * loop's have no meaningful mean. */
struct geomean geomean_base(const struct run_bench *bench, size_t variant);

/* Writes what the mean is of: "4 cases, 1 undecided; 1.003x without gpt2/logits". */
void geomean_count_text(const struct run_bench *bench, const struct geomean *mean, char *to, size_t size);
/* Writes the mean without the case that decides the verdict: "1.003x without gpt2/logits", or "" if there is none. */
void geomean_swayed_text(const struct run_bench *bench, const struct geomean *mean, char *to, size_t size);
