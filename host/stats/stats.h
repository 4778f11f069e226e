/* Statistics as pure functions; the rules and their reasons are in the design of the measurement (README of reports).
 */
#ifndef STATS_STATS_H
#define STATS_STATS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/math.h"
#include "stats/slot.h"

/* ---- One variant --------------------------------------------------------------------------------------------- */

struct distribution {
  size_t samples, rounds;
  size_t outliers, outliers_far; /* outside Tukey's fences at 1.5 and, of these, at 3 IQR; the IQR at least a tick */
  double median, mean, stddev, cv, skew, mad, min, p05, p25, p75, p95, p99, p999, max;
  double n_eff;            /* rounds, discounted for autocorrelation; NaN with fewer than 3 */
  double ci95_lo, ci95_hi; /* of the median under this run's conditions; NaN with fewer than 3 rounds. No interval goes
                              beyond the samples, unless all are within a step of the clock, and none below zero */
  struct interval p95_ci, p99_ci, p999_ci;
  double drift; /* relative change of the time from the first to the last sample of a process; NaN with one sample */
};

/* P99 needs 368 samples and P99.9 3688 to mean anything: they are NaN below. The intervals of P95, P99 and P99.9 need
 * samples worth 72, 368 and 3688 independent ones: samples of one slot, and of neighbouring ones, are often worth
 * fewer than they are. `tick_ns`: the clock's step. Returns -1 with no samples. */
int stats_summary(const struct slot *slots, size_t count, double tick_ns, uint64_t seed, struct distribution *summary);

/* The median and its interval alone, as in the summary: for the stopping rule. Returns -1 with no samples. */
int stats_median_interval(const struct slot *slots, size_t count, double tick_ns, uint64_t seed, double *median,
                          struct interval *ci95);

/* ---- Two variants -------------------------------------------------------------------------------------------- */

struct ratio {
  size_t rounds;                          /* in which both were measured */
  size_t restarts;                        /* processes in which both were measured */
  double speedup, lo95, hi95, lo99, hi99; /* base time / other time; above 1: other is faster */
  double half_width95;                    /* in ln */
  double theta;                           /* ln(other time / base time) */
  double nearest;   /* of the rounds' the one nearest to 0, as theta; 0: they are on both sides, or it is not known */
  double error, df; /* of its Student interval, */
  double least_error, least_df; /* which is never narrower than this one; 0: no such bound */
  double
      alone; /* what one process may make equal variants differ by, in ln; less than STATS_ONE_PROCESS counts as that */
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

/* Speedup of `other` over `base` from the rounds they share, as one process. Returns -1 with fewer than 3 of them. */
int stats_ratio(const struct slot *base, size_t base_count, const struct slot *other, size_t other_count,
                double tick_ns, uint64_t seed, struct ratio *ratio);

/* The same from pairs that are already found (stats/slot.h). */
struct unit;
int stats_ratio_of(const struct unit *pairs, size_t count, double tick_error, struct ratio *ratio);

double stats_ratio_nearest(const struct unit *pairs, size_t count);

/* The intervals, from the other members. */
void stats_ratio_widths(struct ratio *ratio);

/* Probability of a difference at least as large as this one if the true one were within +-`beyond`, in ln; two-sided
 * for 0. 1 for no ratio. */
double stats_ratio_p(const struct ratio *ratio, double beyond);

enum verdict { VERDICT_NONE, VERDICT_SAME, VERDICT_FASTER, VERDICT_SLOWER, VERDICT_UNDECIDED };

enum verdict stats_verdict(const struct ratio *ratio);
const char *stats_verdict_name(enum verdict verdict); /* "" for none */
enum verdict stats_verdict_parse(const char *name);   /* VERDICT_NONE for what is no such name, and for NULL */

/* Where a process has its memory and code makes equal variants differ for as long as it lives, and no interval from it
 * tells: from one process there is no word but for more than 2%, by the 99% interval, and for more than 15% of what the
 * launches alone take. (On an H200 four of five kernels of 5 to 7 us took 0.3 us more in one process than in another,
 * the fifth 0.03; an empty launch takes 3.5.) "Same" and "undecided" take one. */
#define STATS_ONE_PROCESS 0.02
#define STATS_ONE_PROCESS_LAUNCHES 0.15

/* A ratio's `alone`, where the smaller time is `ns` and `launches_ns` of it are launches; NaN: not known. */
double stats_alone(double ns, double launches_ns);
enum { STATS_PROCESSES = 3 }; /* are enough; of two an interval is 64 standard errors wide to either side */

/* Faster or slower, but of one process? */
bool stats_needs_processes(const struct ratio *ratio);

/* Of many words some are false by chance. So those of a bench share an error of 5%, by Holm's rule: beside its own 99%
 * interval each needs a p that is small among theirs. Up to five words that takes nothing away. */
#define STATS_FAMILY_ERROR 0.05

/* Of what a word has to rule out: no difference, or what one process alone may make. NaN for no ratio. */
double stats_word_p(const struct ratio *ratio);

/* In how many processes a word for less than 2% among so many is found as easily as in STATS_PROCESSES alone. */
uint32_t stats_processes_for(size_t words);

/* Is this number of rounds one at which the stopping rule may look? 12, 18, 27, 41, 61, 92, 138, ... */
bool stats_is_look(size_t rounds);

#endif
