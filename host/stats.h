/* Statistics as pure functions; the rules and their reasons are in the design of the measurement (README of reports).
 */
#ifndef STATS_H
#define STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conditions.h"

/* Consecutive samples of one variant in one round. An epoch is one process: slots of different ones are never paired.
 */
struct slot {
  uint32_t epoch, round, count;
  const double *ns;
  struct slot_state state;
};

struct summary {
  size_t samples, rounds, outliers;
  double median, mean, stddev, mad, min, p05, p25, p75, p95, p99, p999, max;
  double ci95_lo, ci95_hi; /* of the median under this run's conditions; NaN with fewer than 3 rounds */
};

/* Quantile with linear interpolation (type 7) of sorted values. */
double stats_quantile(const double *sorted, size_t count, double p);

/* Two-sided Student quantile: P(|T| <= t) = level, for real df > 0. */
double stats_student(double level, double df);

/* P99 needs 368 samples and P99.9 3688 to mean anything: they are NaN below. Outliers are Tukey's, the IQR at least a
 * tick. `tick_ns`: the clock's step. Returns -1 with no samples. */
int stats_summary(const struct slot *slots, size_t count, double tick_ns, uint64_t seed, struct summary *summary);

struct ratio {
  size_t rounds;                          /* in which both were measured */
  double speedup, lo95, hi95, lo99, hi99; /* base time / other time; above 1: other is faster */
  double half_width95;                    /* in ln */
};

enum verdict { VERDICT_NONE, VERDICT_SAME, VERDICT_FASTER, VERDICT_SLOWER, VERDICT_UNDECIDED };

/* Speedup of `other` over `base` from the rounds they share. Returns -1 with fewer than 3 of them. */
int stats_ratio(const struct slot *base, size_t base_count, const struct slot *other, size_t other_count,
                double tick_ns, uint64_t seed, struct ratio *ratio);
enum verdict stats_verdict(const struct ratio *ratio);
const char *stats_verdict_name(enum verdict verdict); /* "" for none */

/* Is this number of rounds one at which the stopping rule may look? 12, 18, 27, 41, 61, 92, 138, ... */
bool stats_is_look(size_t rounds);

#endif
