/* The kinds of noise that the statistics are tested on, and the bounds of their rates. */
#ifndef TEST_STATS_MODELS_H
#define TEST_STATS_MODELS_H

#include "noise.h"

/* A kind of noise, and bounds of the rates that a simulation with it measures; 0: no bound. `found_least` is the
 * smallest share of differences of 1% that must get a verdict; for differences of 2% it is always 97%. There is no
 * upper bound for how often intervals contain the true value: README.md says why. */
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
