/* The kinds of noise that the statistics are held to, and what of them is bound. */
#ifndef TEST_STATS_MODELS_H
#define TEST_STATS_MODELS_H

#include "noise.h"

/* Bounds of rates; 0: none. `found_least`: of 1%; then of 2% it is 97%. Intervals may hold more than they say:
 * README.md says why. */
struct model {
  struct noise noise;
  uint32_t rounds_most; /* by then its time is used up; 0: ROUNDS_MOST */
  double false_most, found_least, ratio_least, median_least;
  const char *remark;
};

enum { ROUNDS_MOST = 311 };

extern const struct model models[];
extern const size_t model_count;

#endif
