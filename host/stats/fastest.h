/* Finds the fastest of several variants that were measured in the same rounds. The functions do no I/O and use no
 * global state. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/launch_overhead.h"
#include "stats/slot.h"
#include "stats/stats.h"

struct entrant {
  const struct slot *slots;
  size_t count;
  double median_ns;
  /* true if the time without the launch overhead is not known */
  bool lost;
  double kernels; /* number of kernels that follow each other in an iteration; 0 counts as 1 */
};

/* The two ratios of variants that were measured in the same rounds: `raw` of their times, `less` of their times without
 * the launch overhead. */
struct duel {
  struct ratio raw, less;
  bool launch_limited; /* the launch overhead is a large part of a time, so a verdict must follow from both ratios */
};

/* Computes both ratios of two variants, with and without the launch overhead. Returns -1 if there is no ratio;
 * `raw.rounds` may be set even then. */
int stats_duel(const struct entrant *base, const struct entrant *other, const struct launch_overhead *overhead,
               double tick_ns, uint64_t seed, struct duel *duel);
const char *stats_duel_word(const struct duel *duel, bool contended);

/* Returns the index of the entrant (a variant that takes part) with the smallest median, if the verdicts say that it is
 * faster than each of the others. Returns SIZE_MAX if another entrant may be as fast, or if there are fewer than two.
 * `lacks_processes` (may be NULL) is set if measuring in more processes could make it the fastest. */
size_t stats_fastest(const struct entrant *entrants, size_t count, const struct launch_overhead *overhead,
                     double tick_ns, uint64_t seed, bool contended, bool *lacks_processes);

/* Returns the median time in the rounds from which the denominator of ratios is chosen: the first third of the rounds
 * of each process. Returns NaN if there are none. The slots of a process must be adjacent, in order of their rounds. */
double choice_median(const struct slot *slots, size_t count, double tick_ns, uint64_t seed);

/* Computes the ratio of stats_ratio_restarts() from the later rounds only: those from which the denominator was not
 * chosen, so that the choice does not bias the ratio. */
int choice_ratio(const struct slot *base, size_t base_count, const struct slot *other, size_t other_count,
                 double tick_ns, uint64_t seed, struct ratio *ratio);

/* Computes both ratios of stats_duel() from the later rounds only, those from which the denominator was not chosen. */
int choice_duel(const struct entrant *base, const struct entrant *other, const struct launch_overhead *overhead,
                double tick_ns, uint64_t seed, struct duel *duel);
