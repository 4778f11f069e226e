/* The speedup of one row over the same row of another run. The unit is the restart: two runs differ by more than the
 * scatter within each of them. Pure. */
#ifndef COMPARE_RATIO_H
#define COMPARE_RATIO_H

#include <stdbool.h>

#include "record/run_data.h"
#include "stats/stats.h"

struct compare_ratio {
  double speedup, lo95, hi95, lo99, hi99; /* base time / other time; NaN: not known */
  struct ratio less;                      /* of times less the floor; NaN: not known */
  bool floored;                           /* the floor counts in one of them: a word needs both ratios */
  double p;                               /* of no change, two-sided */
  size_t base_restarts, other_restarts;
  double assumed_sd; /* noise between restarts that was taken from elsewhere; NaN: measured on both sides */
  bool alone;     /* of processors that others share, and a side has so few processes that nothing is known of that */
  bool from_rows; /* a side has no samples: made of medians and their intervals */
};

/* Both rows are ok and timed. */
void compare_ratio_find(const struct run_data *base_data, const struct record *base, const struct run_data *other_data,
                        const struct record *other, struct compare_ratio *ratio);

/* Faster and slower: the 99% interval excludes 1 and the difference is at least 0.5%, as within a run. Same: neither,
 * and the 95% interval lies within the threshold. */
enum verdict compare_ratio_word(const struct compare_ratio *ratio, double threshold);

/* Does the ratio of times less the floor, where that counts, say this word too? Of what is undecided: is it known at
 * least as well as the threshold? */
bool compare_floor_agrees(const struct compare_ratio *ratio, enum verdict word, double threshold);

#endif
