/* The kinds of noise that the statistics are tested on, and the bounds of their rates. */
#ifndef TEST_STATS_MODELS_H
#define TEST_STATS_MODELS_H

#include "noise.h"

/* Bounds of rates; 0: none. `found_least` is for a difference of 1%; for 2% the bound is 97%. Intervals may cover
 * more than 95%: README.md says why. */
struct model {
  struct noise noise;
  uint32_t rounds_most; /* rounds until the time is used up; 0: ROUNDS_MOST */
  double false_most, found_least, ratio_least, median_least;
  const char *remark;
};

enum { ROUNDS_MOST = 311 };

extern const struct model models[];
extern const size_t model_count;

#endif
