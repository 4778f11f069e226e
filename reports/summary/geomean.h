/* How much faster variants are over all cases of a bench. Pure. */
#ifndef SUMMARY_GEOMEAN_H
#define SUMMARY_GEOMEAN_H

#include "summary/bench.h"

/* A geometric mean of speedups. Whatever makes one row's interval miss may be in all of them: a process favours a
 * variant in each of its cases alike. So the ends of the mean's intervals are the means of the rows' ends: right where
 * the rows' errors are all one, and wider than it has to be where they are not. The word is that of such a ratio by the
 * rules for rows; below 2% it takes as many processes in each row. */
struct geomean {
  size_t count;     /* cases */
  size_t undecided; /* of them without a word, or with "undecided" */
  double ratio;     /* NaN with no case */
  double lo, hi;    /* 95%; NaN: of one case, or not of paired speedups alone */
  const char *word; /* or why there is none, as a row's; "": without an interval */
  const struct run_case
      *swayed;    /* by this case: without it a mean that is faster or slower has another word; or NULL */
  double without; /* then the mean without it */
};

/* How much faster `variant` is than `over`. Against the baseline the paired speedups are used, between others the
 * medians. */
struct geomean geomean_over(const struct run_bench *bench, size_t variant, size_t over);
/* The same over the cases whose baseline is `base`; the baseline's own rows do not count. */
struct geomean geomean_named(const struct run_bench *bench, size_t variant, const char *base);
/* The same over each case's own baseline. Where cases differ, and not because each has the fastest of those that
 * --baseline named, there is none: 1.04 times a vendor's speed and 12 times a loop's have no mean that says anything.
 */
struct geomean geomean_base(const struct run_bench *bench, size_t variant);

/* "4 cases, 1 undecided; 1.003x without gpt2/logits" */
void geomean_count_text(const struct run_bench *bench, const struct geomean *mean, char *to, size_t size);
/* "1.003x without gpt2/logits", or "". */
void geomean_swayed_text(const struct run_bench *bench, const struct geomean *mean, char *to, size_t size);

#endif
