/* Comparisons whose unit is the restart: each process places memory, code and clocks anew, so that what one process
 * repeats well another may not repeat. Pure. */
#ifndef STATS_RESTARTS_H
#define STATS_RESTARTS_H

#include "stats/floor.h"
#include "stats/stats.h"

/* What is assumed of the standard deviation between restarts of a case that was not restarted: so much of its time, and
 * so much of what its launches take; and how well it is known, as if so many restarts and one more had shown it. On an
 * H200 800 processes differed by 72 ns in spins of 20 us and by 79 in such of 100 us, of empty launches of 3.4 us; 64
 * kernels one after the other by 64 times as much. */
#define STATS_RESTART_SD 0.003
#define STATS_RESTART_LAUNCH_SD 0.02
#define STATS_RESTART_DF 4

/* As stats_ratio, for one run in which both variants took turns in each of k processes. With k = 1 it is stats_ratio.
 * From 2 on each process gives one ratio, and the interval is Student's of their mean, with k - 1 degrees of freedom:
 * it covers what differs from process to process. 2 processes say little (the 95% interval is 9 standard deviations to
 * either side), 3 say much more; it is never narrower than the rounds alone make it. */
int stats_ratio_restarts(const struct slot *base, size_t base_count, const struct slot *other, size_t other_count,
                         double tick_ns, uint64_t seed, struct ratio *ratio);

/* The same of times less what an empty launch takes. That is off by as much for both, by an unknown amount within its
 * uncertainty: the interval covers those that both its ends lead to. Returns -1 where nothing may be left of a time. */
int stats_ratio_floor(const struct slot *base, size_t base_count, const struct slot *other, size_t other_count,
                      double tick_ns, uint64_t seed, const struct floor_time *floor, struct ratio *ratio);

/* A variant of one run: its restarts reduced to one number each, the trimmed mean of their slots' trimmed means. */
struct restart_side {
  size_t restarts;
  double log_ns;   /* mean over the restarts, of ln */
  double within;   /* standard error of log_ns as the rounds alone tell it, the clock's step included */
  double sd;       /* of the restarts, relative; NaN with one */
  double launches; /* what its launches alone would take, relative; 0: nothing, or not known */
  bool drifts; /* the run as a whole may be off by as much again: its restarts lie minutes closer than two runs do */
};

/* Returns -1 where no process has 3 rounds. */
int stats_side(const struct slot *slots, size_t count, double tick_ns, uint64_t seed, struct restart_side *side);

/* The same of a row without samples. Compare such a side only with another such side: medians of all samples and means
 * of slots are not the same thing. `restart_sd` is NaN where `restarts` is 1. */
struct restart_side stats_side_of_row(double median_ns, double ci95_lo_ns, double ci95_hi_ns, size_t restarts,
                                      double restart_sd);

/* The deviation between restarts that both sides have where one of them has fewer than 3 of its own, and its degrees
 * of freedom: the side's with more restarts from 5 on, and else what both have shown, but at least what is assumed. */
struct lent {
  double sd, df;
};

struct lent stats_lent(const struct restart_side *base, const struct restart_side *other);

/* Speedup of `other` over `base` where they did not take turns: variants of two runs, or of two processes. Sides with 3
 * restarts and more bring their own standard deviations (Welch, Biometrika 34, 1947), else both have `stats_lent`.
 * Returns -1 where a side has no time. `rounds` stays 0. */
int stats_across(const struct restart_side *base, const struct restart_side *other, struct ratio *ratio);

/* The same of times less the floors that each run has measured. The interval covers those of floors that are off by as
 * much for both, within the larger uncertainty, and of one floor for both: the runs may have measured the same. Returns
 * -1 where nothing may be left of a time. */
int stats_across_floor(const struct restart_side *base, const struct restart_side *other,
                       const struct floor_time *base_floor, const struct floor_time *other_floor, struct ratio *ratio);

#endif
