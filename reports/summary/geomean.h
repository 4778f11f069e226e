/* How much faster variants are over all cases of a bench. Pure. */
#pragma once

#include "summary/bench.h"

/* A geometric mean of speedups. The same cause may make all rows' intervals miss: a process can favour a variant in
 * each of its cases alike. So the ends of the mean's interval are the means of the rows' ends: right if the rows'
 * errors are all the same, and otherwise wider than necessary. The verdict is that of such a ratio by the rule for a
 * single one. */
struct geomean {
  size_t count;                  /* cases */
  size_t undecided;              /* of them without a verdict, or undecided */
  double ratio;                  /* NaN without cases */
  double lo, hi;                 /* 95%; NaN for a single case, or if not all speedups are paired */
  const char *word;              /* the verdict, or why there is none, as for a row; "" without an interval */
  const struct run_case *swayed; /* a case without which a mean that is faster or slower has another verdict; or NULL */
  double without;                /* the mean without that case */
};

/* Returns how much faster `variant` is than `over`: by paired speedups if `over` is the baseline, otherwise by
 * medians. */
struct geomean geomean_over(const struct run_bench *bench, size_t variant, size_t over);
/* Returns the same over the cases whose baseline is `base`. The baseline's own rows do not count. */
struct geomean geomean_named(const struct run_bench *bench, size_t variant, const char *base);
/* Returns the same over each case's own baseline. There is no mean if cases have different baselines, unless each has
 * the fastest of those that --baseline named: 1.04 times a vendor's speed and 12 times a loop's have no meaningful
 * mean. */
struct geomean geomean_base(const struct run_bench *bench, size_t variant);

/* Writes "4 cases, 1 undecided; 1.003x without gpt2/logits". */
void geomean_count_text(const struct run_bench *bench, const struct geomean *mean, char *to, size_t size);
/* Writes "1.003x without gpt2/logits", or "". */
void geomean_swayed_text(const struct run_bench *bench, const struct geomean *mean, char *to, size_t size);
