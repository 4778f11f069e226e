/* Compares variants that were measured in several processes (restarts). Each restart counts as one value: a process
 * places memory and code anew and sets clocks anew, so results that repeat well in one process may differ in another.
 * The functions do no I/O and use no global state. */
#pragma once

#include "stats/launch_overhead.h"
#include "stats/stats.h"

/* The standard deviation between restarts (processes) that is assumed for a case that was measured in one process:
 * STATS_RESTART_SD of its time and STATS_RESTART_LAUNCH_SD of its launches' time. It has the weight of STATS_RESTART_DF
 * + 1 measured restarts. Measured in 800 processes on an H200. */
#define STATS_RESTART_SD 0.003
#define STATS_RESTART_LAUNCH_SD 0.02
#define STATS_RESTART_DF 4

/* Computes the ratio of two variants that took turns in each of k processes. For k = 1 that is stats_ratio(). For
 * larger k the interval is Student's, of the mean of one ratio per process, or the one from the scatter of the rounds
 * if that is wider. With 2 processes the 95% interval reaches 9 standard deviations to either side. */
int stats_ratio_restarts(const struct slot *base, size_t base_count, const struct slot *other, size_t other_count,
                         double tick_ns, uint64_t seed, struct ratio *ratio);

/* Computes stats_ratio_restarts() for the times minus the launch overhead, which is the same for both variants. The
 * overhead is uncertain, so the interval also covers the results for the smallest and the largest overhead that is
 * possible. Returns -1 if the overhead may be as long as a whole time. */
int stats_ratio_overhead(const struct slot *base, size_t base_count, const struct slot *other, size_t other_count,
                         double tick_ns, uint64_t seed, const struct launch_overhead *overhead, struct ratio *ratio);

/* One side of a comparison: a variant of a run. The time of a restart is the trimmed mean of the trimmed means of its
 * slots. */
struct restart_side {
  size_t restarts;
  double log_ns; /* mean over the restarts of ln of the time */
  /* standard error of log_ns that follows from the scatter of rounds within processes and from the clock's
   * resolution */
  double within;
  double sd;       /* relative standard deviation of the restarts; NaN with one */
  double launches; /* share of the time that empty launches would take; 0: none, or not known */
  /* true for runs on CPUs. The load of other programs changes over minutes, so all restarts of a run may be off
   * together, by as much as a single restart may be off. */
  bool drifts;
};

/* Reduces the slots of a variant to a side of a comparison. Returns -1 if no process has 3 rounds. */
int stats_side(const struct slot *slots, size_t count, double tick_ns, uint64_t seed, struct restart_side *side);

/* Makes a side of a comparison from the figures of a row that has no samples. Compare it only with a side that was made
 * in the same way, because a median of all samples is not a mean of slots. `restart_sd` is NaN if `restarts` is 1. */
struct restart_side stats_side_of_row(double median_ns, double ci95_lo_ns, double ci95_hi_ns, size_t restarts,
                                      double restart_sd);

/* The standard deviation between restarts, with its degrees of freedom, for both sides of a comparison if one has fewer
 * than 3 restarts. If the other side has at least 5, its standard deviation is used. Otherwise it is computed from both
 * sides, and is at least STATS_RESTART_SD. */
struct lent {
  double sd, df;
};

struct lent stats_lent(const struct restart_side *base, const struct restart_side *other);

/* Computes the speedup of `other` over `base` for variants that did not take turns, because they come from two runs or
 * two processes. If both sides have at least 3 restarts, each uses its own standard deviation (Welch, Biometrika 34,
 * 1947); otherwise both use that of stats_lent(). Returns -1 if a side has no time. `rounds` stays 0. */
int stats_across(const struct restart_side *base, const struct restart_side *other, struct ratio *ratio);

/* Computes stats_across() for the times minus the launch overhead that each run measured. The interval also covers the
 * uncertainty of the overheads: both may be larger, both smaller, or both equal to their mean, by the larger of the two
 * uncertainties more or less. Returns -1 if the overhead may be as long as a whole time. */
int stats_across_overhead(const struct restart_side *base, const struct restart_side *other,
                          const struct launch_overhead *base_overhead, const struct launch_overhead *other_overhead,
                          struct ratio *ratio);
