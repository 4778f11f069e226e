/* Comparisons whose unit is the restart: each process places memory and code and sets clocks anew, so results that
 * repeat well in one process may differ in another. The functions do no I/O and use no global state. */
#pragma once

#include "stats/launch_overhead.h"
#include "stats/stats.h"

/* For a case without restarts a standard deviation between restarts is assumed: STATS_RESTART_SD of its time, and
 * STATS_RESTART_LAUNCH_SD of the time that its launches take. It counts as if STATS_RESTART_DF + 1 restarts had shown
 * it. On an H200, 800 processes differed by 72 ns in spins of 20 us and by 79 ns in spins of 100 us, with empty
 * launches of 3.4 us; 64 kernels in a row differed by 64 times as much. */
#define STATS_RESTART_SD 0.003
#define STATS_RESTART_LAUNCH_SD 0.02
#define STATS_RESTART_DF 4

/* Extends stats_ratio() to a run in which both variants took turns in each of k processes. k = 1 gives stats_ratio().
 * For larger k each process gives one ratio, and the interval is Student's of their mean with k - 1 degrees of freedom,
 * so it covers differences between processes. 2 processes say little (the 95% interval is 9 standard deviations to
 * either side), 3 much more. The interval is never narrower than the rounds alone make it. */
int stats_ratio_restarts(const struct slot *base, size_t base_count, const struct slot *other, size_t other_count,
                         double tick_ns, uint64_t seed, struct ratio *ratio);

/* Computes the ratio of stats_ratio_restarts() for times less the launch overhead. The overhead is off by the same
 * unknown amount for both variants, within its uncertainty: the interval covers the results for both bounds. Returns -1
 * if the overhead may be as long as a whole time. */
int stats_ratio_overhead(const struct slot *base, size_t base_count, const struct slot *other, size_t other_count,
                         double tick_ns, uint64_t seed, const struct launch_overhead *overhead, struct ratio *ratio);

/* One side of a comparison: a variant of a run. Each of its restarts is reduced to one number, the trimmed mean of the
 * trimmed means of its slots. */
struct restart_side {
  size_t restarts;
  double log_ns; /* mean over the restarts of ln of the time */
  /* standard error of log_ns that follows from the scatter of rounds within processes and from the clock's
   * resolution */
  double within;
  double sd;       /* relative standard deviation of the restarts; NaN with one */
  double launches; /* share of the time that empty launches would take; 0: none, or not known */
  /* the time of the whole run may be off by as much as that of one restart, because two runs are farther apart in time
   * than the restarts of one run */
  bool drifts;
};

/* Reduces the slots of a variant to a side of a comparison. Returns -1 if no process has 3 rounds. */
int stats_side(const struct slot *slots, size_t count, double tick_ns, uint64_t seed, struct restart_side *side);

/* Returns the side of a comparison that follows from the figures of a row, for rows without samples. Compare such a
 * side only with another such side: a median of all samples is not a mean of slots. `restart_sd` is NaN if `restarts`
 * is 1. */
struct restart_side stats_side_of_row(double median_ns, double ci95_lo_ns, double ci95_hi_ns, size_t restarts,
                                      double restart_sd);

/* The standard deviation between restarts that both sides use if one of them has fewer than 3 restarts, and its degrees
 * of freedom. It is that of the side with more restarts if these are at least 5. Otherwise it is what both have shown,
 * but no less than the assumed one. */
struct lent {
  double sd, df;
};

struct lent stats_lent(const struct restart_side *base, const struct restart_side *other);

/* Computes the speedup of `other` over `base` if they did not take turns: variants of two runs, or of two processes.
 * Sides with at least 3 restarts use their own standard deviations (Welch, Biometrika 34, 1947); otherwise both use
 * stats_lent(). Returns -1 if a side has no time. `rounds` stays 0. */
int stats_across(const struct restart_side *base, const struct restart_side *other, struct ratio *ratio);

/* Computes the speedup of stats_across() for times less the launch overhead that each run measured. The interval covers
 * overheads that are off by the same amount for both, within the larger uncertainty, and also one common overhead,
 * because the two runs may have had the same. Returns -1 if the overhead may be as long as a whole time. */
int stats_across_overhead(const struct restart_side *base, const struct restart_side *other,
                          const struct launch_overhead *base_overhead, const struct launch_overhead *other_overhead,
                          struct ratio *ratio);
