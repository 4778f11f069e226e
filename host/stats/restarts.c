/* Computes ratios of variants that were measured in several processes (restarts), each of which counts as one value. */
#include "stats/restarts.h"

#include <math.h>

#include "base/memory.h"
#include "base/rng.h"
#include "stats/slot.h"

/* Returns the robust mean of each process that has at least 3 units (values of one slot each). The caller frees the
 * array. */
static struct centre *centres_of(const struct unit *units, size_t count, size_t *centre_count, size_t *used) {
  struct centre *centres = xcalloc(count, sizeof *centres);
  *centre_count = *used = 0;
  for (size_t i = 0, length; i < count; i += length) {
    length = units_in_epoch(units + i, count - i);
    if (length < 3) continue;
    centres[(*centre_count)++] = units_centre(units + i, length);
    *used += length;
  }
  return centres;
}

/* Returns the mean of the processes' means, with the error and degrees of freedom that follow from the errors of these
 * means. */
static struct centre centres_mean(const struct centre *centres, size_t count) {
  double n = (double)count, sum = 0, square = 0, fourth = 0;
  for (size_t i = 0; i < count; i++) {
    double variance = centres[i].error * centres[i].error;
    sum += centres[i].value;
    square += variance;
    fourth += variance * variance / centres[i].df;
  }
  double df = fourth > 0 ? square * square / fourth : 1e6;
  return (struct centre){sum / n, sqrt(square) / n, df};
}

static double centres_sd(const struct centre *centres, size_t count, double mean) {
  double squares = 0;
  for (size_t i = 0; i < count; i++)
    squares += (centres[i].value - mean) * (centres[i].value - mean);
  return count > 1 ? sqrt(squares / ((double)count - 1)) : NAN;
}

/* Computes the ratio of the times minus `launch_overhead_ns`. */
static int ratio_less(const struct slot *base, size_t base_count, const struct slot *other, size_t other_count,
                      double tick_ns, uint64_t seed, double launch_overhead_ns, struct ratio *ratio) {
  size_t pair_count, count, used;
  double tick_error;
  SCOPED struct unit *pairs =
      units_paired(base, base_count, other, other_count, tick_ns, seed, launch_overhead_ns, &pair_count, &tick_error);
  SCOPED struct centre *centres = centres_of(pairs, pair_count, &count, &used);
  if (count < 2) return stats_ratio_of(pairs, pair_count, tick_error, ratio);
  struct centre within = centres_mean(centres, count);
  *ratio = (struct ratio){.rounds = used, .restarts = count, .theta = within.value};
  ratio->nearest = stats_ratio_nearest(pairs, pair_count);
  ratio->error = centres_sd(centres, count, within.value) / sqrt((double)count);
  ratio->df = (double)count - 1;
  ratio->least_error = hypot(within.error, tick_error);
  ratio->least_df = within.df;
  stats_ratio_widths(ratio);
  return 0;
}

int stats_ratio_restarts(const struct slot *base, size_t base_count, const struct slot *other, size_t other_count,
                         double tick_ns, uint64_t seed, struct ratio *ratio) {
  return ratio_less(base, base_count, other, other_count, tick_ns, seed, 0, ratio);
}

int stats_ratio_overhead(const struct slot *base, size_t base_count, const struct slot *other, size_t other_count,
                         double tick_ns, uint64_t seed, const struct launch_overhead *overhead, struct ratio *ratio) {
  const double ends[] = {fmax(overhead->ns - overhead->unc_ns, 0), overhead->ns + overhead->unc_ns};
  struct ratio end;
  int rc = isnan(ends[1]) ? -1 : ratio_less(base, base_count, other, other_count, tick_ns, seed, overhead->ns, ratio);
  for (int i = 0; i < 2 && rc == 0; i++) {
    rc = ratio_less(base, base_count, other, other_count, tick_ns, seed, ends[i], &end);
    if (rc == 0) stats_ratio_cover(ratio, &end);
  }
  if (rc != 0) *ratio = RATIO_NONE;
  return rc;
}

int stats_side(const struct slot *slots, size_t count, double tick_ns, uint64_t seed, struct restart_side *side) {
  size_t unit_count, centre_count, used;
  double sum_ns = 0;
  SCOPED struct unit *units = units_of(slots, count, stats_trimmed_mean, tick_ns, rng_key(seed, 4), &unit_count);
  for (size_t i = 0; i < unit_count; i++) {
    sum_ns += units[i].value;
    units[i].value = log(units[i].value);
  }
  SCOPED struct centre *centres = centres_of(units, unit_count, &centre_count, &used);
  *side = (struct restart_side){.restarts = centre_count, .log_ns = NAN, .within = NAN, .sd = NAN};
  if (centre_count > 0) {
    struct centre mean = centres_mean(centres, centre_count);
    side->log_ns = mean.value;
    side->within = hypot(mean.error, units_tick_error(tick_ns) * (double)unit_count / sum_ns);
    side->sd = centres_sd(centres, centre_count, mean.value);
  }
  return centre_count > 0 ? 0 : -1;
}

struct restart_side stats_side_of_row(double median_ns, double ci95_lo_ns, double ci95_hi_ns, size_t restarts,
                                      double restart_sd) {
  double within = (ci95_hi_ns - ci95_lo_ns) / 2 / 1.959964 / median_ns;
  return (struct restart_side){
      .restarts = restarts, .log_ns = log(median_ns), .within = isnan(within) ? 0 : within, .sd = restart_sd};
}

/* A side of a comparison that has RESTARTS_OWN or more restarts uses its own standard deviation. If one side has fewer,
 * both sides use the standard deviation of the other side, provided that the other side has RESTARTS_LEND or more
 * restarts. */
enum { RESTARTS_OWN = 3, RESTARTS_LEND = 5 };

/* Returns the variance between restarts, estimated from the restarts of both sides together. */
static double pooled_variance(const struct restart_side *base, const struct restart_side *other) {
  const struct restart_side *sides[] = {base, other};
  double squares = 0, df = 0;
  for (int i = 0; i < 2; i++) {
    if (sides[i]->restarts < 2 || isnan(sides[i]->sd)) continue;
    squares += sides[i]->sd * sides[i]->sd * ((double)sides[i]->restarts - 1);
    df += (double)sides[i]->restarts - 1;
  }
  return df > 0 ? squares / df : 0;
}

struct lent stats_lent(const struct restart_side *base, const struct restart_side *other) {
  const struct restart_side *more = other->restarts > base->restarts ? other : base;
  if (more->restarts >= RESTARTS_LEND) return (struct lent){more->sd, (double)more->restarts - 1};
  const double launches = fmax(base->launches, other->launches);
  const double assumed = hypot(STATS_RESTART_SD, STATS_RESTART_LAUNCH_SD * launches);
  return (struct lent){fmax(assumed, sqrt(pooled_variance(base, other))), STATS_RESTART_DF};
}

/* Returns the squared error of a side's mean, as a multiple of the variance between restarts. */
static double error_share(const struct restart_side *side) {
  return 1 / (double)side->restarts + (side->drifts ? 1 : 0);
}

/* Adds a squared error to `*squares`, and its term to the denominator of the Welch-Satterthwaite formula. */
static void add_error(double square, double df, double *squares, double *squares_by_df) {
  *squares += square;
  *squares_by_df += square * square / df;
}

/* The time of a side without the launch overhead. log_ns: its ln; gain: how many times as large its relative error is
 * as that of the whole time. */
struct left {
  double log_ns, gain;
};

static struct left without_overhead(const struct restart_side *side, double launch_overhead_ns) {
  const double ns = exp(side->log_ns), left = ns - launch_overhead_ns;
  return launch_overhead_ns > 0 ? (struct left){log(left), ns / left} : (struct left){side->log_ns, 1};
}

static int across_less(const struct restart_side *base, const struct restart_side *other, double base_overhead_ns,
                       double other_overhead_ns, struct ratio *ratio) {
  const struct left x = without_overhead(base, base_overhead_ns), y = without_overhead(other, other_overhead_ns);
  const double a = error_share(base) * x.gain * x.gain, b = error_share(other) * y.gain * y.gain;
  const double within = hypot(base->within * x.gain, other->within * y.gain);
  double squares = 0, by_df = 0;
  *ratio = RATIO_NONE;
  if (base->restarts == 0 || other->restarts == 0 || isnan(x.log_ns) || isnan(y.log_ns)) return -1;
  if (base->restarts >= RESTARTS_OWN && other->restarts >= RESTARTS_OWN) {
    add_error(base->sd * base->sd * a, (double)base->restarts - 1, &squares, &by_df);
    add_error(other->sd * other->sd * b, (double)other->restarts - 1, &squares, &by_df);
  } else { /* one estimate serves both sides, as in Student's test with a pooled deviation */
    const struct lent lent = stats_lent(base, other);
    add_error(lent.sd * lent.sd * (a + b), lent.df, &squares, &by_df);
    squares += within * within;
  }
  *ratio = (struct ratio){.restarts = base->restarts < other->restarts ? base->restarts : other->restarts};
  ratio->theta = y.log_ns - x.log_ns;
  ratio->error = sqrt(squares);
  ratio->df = by_df > 0 ? squares * squares / by_df : 1e6;
  ratio->least_error = within;
  ratio->least_df = 1e6;
  stats_ratio_widths(ratio);
  return 0;
}

int stats_across(const struct restart_side *base, const struct restart_side *other, struct ratio *ratio) {
  return across_less(base, other, 0, 0, ratio);
}

int stats_across_overhead(const struct restart_side *base, const struct restart_side *other,
                          const struct launch_overhead *base_overhead, const struct launch_overhead *other_overhead,
                          struct ratio *ratio) {
  const double unc = fmax(base_overhead->unc_ns, other_overhead->unc_ns),
               one = (base_overhead->ns + other_overhead->ns) / 2;
  const bool known = !isnan(base_overhead->unc_ns) && !isnan(other_overhead->unc_ns);
  struct ratio end;
  int rc = known ? across_less(base, other, base_overhead->ns, other_overhead->ns, ratio) : -1;
  for (int i = -1; i <= 1 && rc == 0; i += 2) {
    const double off = i * unc;
    rc = across_less(base, other, fmax(base_overhead->ns + off, 0), fmax(other_overhead->ns + off, 0), &end);
    if (rc == 0) stats_ratio_cover(ratio, &end);
    if (rc == 0) rc = across_less(base, other, fmax(one + off, 0), fmax(one + off, 0), &end);
    if (rc == 0) stats_ratio_cover(ratio, &end);
  }
  if (rc != 0) *ratio = RATIO_NONE;
  return rc;
}
