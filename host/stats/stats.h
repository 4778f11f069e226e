/* Summaries of variants and ratios between them, as pure functions. reports/METHOD.md documents the rules and their
 * reasons. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/math.h"
#include "stats/slot.h"

/* ---- One variant --------------------------------------------------------------------------------------------- */

struct distribution {
  size_t samples, rounds;
  /* number of samples outside Tukey's fences at 1.5 IQR (outliers) and at 3 IQR (outliers_far); the IQR counts as at
   * least a tick of the clock */
  size_t outliers, outliers_far;
  double median, mean, stddev, cv, skew, mad, min, p05, p25, p75, p95, p99, p999, max;
  double n_eff; /* effective number of rounds: fewer than `rounds` if they are autocorrelated; NaN with fewer than 3 */
  double ci95_lo, ci95_hi; /* 95% interval of the median under this run's conditions; NaN with fewer than 3 rounds */
  struct interval p95_ci, p99_ci, p999_ci;
  /* relative change of the time from the first sample of a process to the last; NaN with one sample */
  double drift;
};

/* Summarises the samples. Returns -1 if there are none. `tick_ns` is the clock's resolution. P99 and P99.9 are NaN with
 * fewer than 368 and 3688 samples. The intervals of P95, P99 and P99.9 need 72, 368 and 3688 independent samples;
 * neighbouring samples are often not independent. No interval reaches below zero. None reaches beyond the samples,
 * unless all are equal up to a tick. */
int stats_summary(const struct slot *slots, size_t count, double tick_ns, uint64_t seed, struct distribution *summary);

/* Computes only the median and its interval, with the same results as stats_summary(), for the rule that ends sampling.
 * Returns -1 if there are no samples. */
int stats_median_interval(const struct slot *slots, size_t count, double tick_ns, uint64_t seed, double *median,
                          struct interval *ci95);

/* ---- Two variants -------------------------------------------------------------------------------------------- */

struct ratio {
  size_t rounds;                          /* rounds in which both variants were measured */
  size_t restarts;                        /* processes in which both were measured */
  double speedup, lo95, hi95, lo99, hi99; /* base time / other time; above 1: `other` is faster */
  double half_width95;                    /* half the width of the 95% interval, in ln */
  double theta;                           /* ln(other time / base time) */
  /* ln(other time / base time) of the round in which the two times differ least. 0: in some rounds `other` is faster
   * and in some slower, or the value is not known */
  double nearest;
  double error, df; /* standard error and degrees of freedom of the ratio's Student interval */
  /* standard error and degrees of freedom of another Student interval; the ratio's interval is made at least as wide as
   * that one. 0: there is no other interval */
  double least_error, least_df;
  /* ln of the largest ratio that equal variants may show within one process by chance; a verdict from one process needs
   * a larger ratio */
  double alone;
};

#define RATIO_NONE                     \
  ((struct ratio){.speedup = NAN,      \
                  .lo95 = NAN,         \
                  .hi95 = NAN,         \
                  .lo99 = NAN,         \
                  .hi99 = NAN,         \
                  .half_width95 = NAN, \
                  .theta = NAN,        \
                  .error = NAN,        \
                  .df = NAN})

/* Computes the speedup of `other` over `base` from the rounds that both have, as if all rounds came from one process.
 * Returns -1 if there are fewer than 3 such rounds. */
int stats_ratio(const struct slot *base, size_t base_count, const struct slot *other, size_t other_count,
                double tick_ns, uint64_t seed, struct ratio *ratio);

/* Computes the ratio of stats_ratio() from pairs made by units_paired(). */
struct unit;
int stats_ratio_of(const struct unit *pairs, size_t count, double tick_error, struct ratio *ratio);

double stats_ratio_nearest(const struct unit *pairs, size_t count);

/* Computes the members `speedup`, `half_width95` and the limits of the intervals from the other members. */
void stats_ratio_widths(struct ratio *ratio);

/* Returns the p-value of the ratio: the probability that chance makes a measured ratio differ from 1 at least as much
 * as this one, if ln of the true ratio lies within +-`beyond`. For `beyond` = 0 it is two-sided. Returns 1 if there is
 * no ratio. */
double stats_ratio_p(const struct ratio *ratio, double beyond);

enum verdict { VERDICT_NONE, VERDICT_SAME, VERDICT_FASTER, VERDICT_SLOWER, VERDICT_UNDECIDED };

enum verdict stats_verdict(const struct ratio *ratio);
const char *stats_verdict_name(enum verdict verdict); /* "" for VERDICT_NONE */
enum verdict stats_verdict_parse(const char *name);   /* VERDICT_NONE for NULL and unknown names */

/* Equal variants may differ throughout a process, because a process places memory and code once. On an H200 kernels of
 * 5 to 7 us differed by 0.3 us between two processes. So one process is enough for "faster" or "slower" only if the
 * difference surely exceeds both 2% of the time and 15% of what the launches take. */
#define STATS_ONE_PROCESS 0.02
#define STATS_ONE_PROCESS_LAUNCHES 0.15

/* Returns ln of the largest ratio that two equal variants may show within one process (the member `alone` of struct
 * ratio). `ns`: the smaller of the two times; `launches_ns`: the part of it that launches take, NaN if not known. */
double stats_alone(double ns, double launches_ns);

/* With this many processes, even a small difference can get a verdict. Two processes would be too few: the 99% interval
 * would reach 64 standard errors to either side. */
enum { STATS_PROCESSES = 3 };

/* Returns true if the verdict is faster or slower and the processes measured so far are not enough for it. */
bool stats_needs_processes(const struct ratio *ratio);

/* Largest probability that any verdict of a bench is false. Among many verdicts some would be false by chance, so
 * Holm's rule tests the verdicts of a bench together: besides its 99% interval, each needs a p-value that is small
 * enough for the number of verdicts. With up to five verdicts the 99% interval alone is strict enough. */
#define STATS_FAMILY_ERROR 0.05

/* Returns the p-value by which a verdict is tested: the probability of such a ratio if the variants do not differ. With
 * only one process it is the probability if the variants differ by as much as equal variants may differ within a
 * process (member `alone` of the ratio). Returns 1 if there is no ratio. */
double stats_word_p(const struct ratio *ratio);

/* Returns how many processes are needed if `words` verdicts are tested together. The more verdicts there are, the more
 * strictly each is tested. With the returned number, a difference below 2% is found as easily as STATS_PROCESSES
 * processes find it for a single verdict. */
uint32_t stats_processes_for(size_t words);

/* Returns true if the stopping rule tests the precision after this number of rounds: 12, 18, 27, 41, 61, 92, 138, ...
 */
bool stats_is_interim(size_t rounds);
