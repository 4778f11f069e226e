/* Summaries, ratios and verdicts from timed slots. Knows nothing of devices, cases or files; values that are not
 * finite are ignored.
 *
 * The unit is the slot, never the sample: samples of one slot share its clock, its heat and its neighbours, so that
 * intervals over pooled samples are far too narrow. A slot counts as the median of its times, each moved by a seeded
 * dither of at most half a tick: on a coarse clock equal readings would otherwise give intervals of no width. */
#include "stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rng.h"
#include "text.h"

/* A round of a process, reduced to one number. */
struct unit {
  uint64_t round; /* the epoch in its upper half */
  double value;
};

/* A location with the error and the degrees of freedom of its Student interval. */
struct centre {
  double value, error, df;
};

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static int by_round(const void *a, const void *b) {
  uint64_t x = ((const struct unit *)a)->round, y = ((const struct unit *)b)->round;
  return (x > y) - (x < y);
}

static void sort(double *values, size_t count) {
  qsort(values, count, sizeof *values, by_value);
}

double stats_quantile(const double *sorted, size_t count, double p) {
  if (count == 0) return NAN;
  double place = (double)(count - 1) * fmin(fmax(p, 0), 1);
  size_t below = (size_t)place;
  if (below + 1 >= count) return sorted[count - 1];
  return sorted[below] + (place - (double)below) * (sorted[below + 1] - sorted[below]);
}

/* ---- Slots --------------------------------------------------------------------------------------------------- */

static size_t samples_of(const struct slot *slots, size_t count) {
  size_t samples = 0;
  for (size_t i = 0; i < count; i++)
    samples += slots[i].count;
  return samples;
}

/* Median of a slot's dithered times, or NaN. A reading below a tick's half says only that: it counts as the half. */
static double slot_median(const struct slot *slot, double tick_ns, uint64_t key, uint64_t first, double *scratch) {
  size_t used = 0;
  for (uint32_t i = 0; i < slot->count; i++) {
    double dither = ((double)(rng_bits(key, first + i) >> 11) + 0.5) / 9007199254740992.0 - 0.5;
    if (isfinite(slot->ns[i])) scratch[used++] = slot->ns[i] + dither * tick_ns;
  }
  if (used == 0) return NAN;
  sort(scratch, used);
  double median = fmax(stats_quantile(scratch, used, 0.5), tick_ns / 2);
  return median > 0 ? median : NAN;
}

/* Medians of the slots, one per round, by round; the mean where a round has several. The caller frees them. */
static struct unit *units_of(const struct slot *slots, size_t count, double tick_ns, uint64_t key, size_t *unit_count) {
  struct unit *units = xcalloc(count, sizeof *units);
  double *scratch = xcalloc(samples_of(slots, count), sizeof *scratch);
  size_t found = 0, kept = 0, same = 1;
  uint64_t first = 0;
  for (size_t i = 0; i < count; first += slots[i++].count) {
    double median = slot_median(&slots[i], tick_ns, key, first, scratch);
    if (!isnan(median)) units[found++] = (struct unit){(uint64_t)slots[i].epoch << 32 | slots[i].round, median};
  }
  qsort(units, found, sizeof *units, by_round);
  for (size_t i = 0; i < found; i++) {
    if (kept > 0 && units[kept - 1].round == units[i].round) {
      units[kept - 1].value += (units[i].value - units[kept - 1].value) / (double)++same;
    } else {
      units[kept++] = units[i];
      same = 1;
    }
  }
  free(scratch);
  *unit_count = kept;
  return units;
}

/* ---- Centres ------------------------------------------------------------------------------------------------- */

/* By how much neighbouring rounds' resemblance widens a squared error: (1 + rho) / (1 - rho), rho being the lag-1
 * autocorrelation plus 1/n (its bias towards negative values), clipped to [0, 0.9]. */
static double inflation(const double *series, size_t count, double *rho_out) {
  double mean = 0, variance = 0, covariance = 0, n = (double)count;
  for (size_t i = 0; i < count; i++)
    mean += series[i] / n;
  for (size_t i = 0; i < count; i++) {
    variance += (series[i] - mean) * (series[i] - mean);
    if (i > 0) covariance += (series[i] - mean) * (series[i - 1] - mean);
  }
  double rho = variance > 0 ? fmin(fmax(covariance / variance + 1 / n, 0), 0.9) : 0;
  if (rho_out != NULL) *rho_out = rho;
  return (1 + rho) / (1 - rho);
}

/* 20%-trimmed mean and its winsorised standard error (Tukey and McLaughlin 1963), widened for autocorrelation. With the
 * nominal share left, 0.6, rather than the share really left (8 of 12), intervals from few rounds are up to 11% wider:
 * that makes up for part of what one coefficient from 12 rounds misses of slow noise. */
static struct centre trimmed(const double *series, size_t count, double *sorted) {
  memcpy(sorted, series, count * sizeof *sorted);
  sort(sorted, count);
  size_t cut = count / 5, left = count - 2 * cut;
  double low = sorted[cut], high = sorted[count - 1 - cut], sum = 0, mean = 0, squares = 0;
  for (size_t i = 0; i < count; i++) {
    if (i >= cut && i < count - cut) sum += sorted[i];
    sorted[i] = fmin(fmax(sorted[i], low), high);
    mean += sorted[i] / (double)count;
  }
  for (size_t i = 0; i < count; i++)
    squares += (sorted[i] - mean) * (sorted[i] - mean);
  double widen = inflation(series, count, NULL), n = (double)count, h = (double)left;
  double error = sqrt(squares / (n - 1) / n) / 0.6;
  return (struct centre){sum / h, error * sqrt(widen), fmax((h - 1) / widen, 1)};
}

/* Means of `batches` runs of neighbours, in place. */
static size_t merge(double *series, size_t count, size_t batches) {
  for (size_t i = 0; i < batches; i++) {
    size_t from = i * count / batches, to = (i + 1) * count / batches;
    double sum = 0;
    for (size_t j = from; j < to; j++)
      sum += series[j];
    series[i] = sum / (double)(to - from);
  }
  return batches;
}

/* Long runs of strongly related rounds are merged first: batches carry the slow part of the noise, which one
 * coefficient does not describe. */
static struct centre centre_of(double *series, size_t count) {
  double rho, *sorted = xcalloc(count, sizeof *sorted);
  inflation(series, count, &rho);
  if (rho > 0.3 && count >= 48) count = merge(series, count, 16);
  struct centre centre = trimmed(series, count, sorted);
  free(sorted);
  return centre;
}

/* ---- Ratios -------------------------------------------------------------------------------------------------- */

/* ln(other / base) of the rounds that both have, and the relative error that the clock's step leaves in it. */
static size_t paired(const struct unit *base, size_t base_count, const struct unit *other, size_t other_count,
                     double tick_ns, double *series, double *tick_error) {
  size_t count = 0;
  double base_ns = 0, other_ns = 0;
  for (size_t i = 0, j = 0; i < base_count && j < other_count;) {
    if (base[i].round < other[j].round) {
      i++;
    } else if (base[i].round > other[j].round) {
      j++;
    } else {
      base_ns += base[i].value;
      other_ns += other[j].value;
      series[count++] = log(other[j++].value / base[i++].value);
    }
  }
  double n = (double)count;
  *tick_error = count > 0 ? hypot(tick_ns / 8 * n / base_ns, tick_ns / 8 * n / other_ns) : 0;
  return count;
}

int stats_ratio(const struct slot *base, size_t base_count, const struct slot *other, size_t other_count,
                double tick_ns, uint64_t seed, struct ratio *ratio) {
  size_t a_count, b_count;
  struct unit *a = units_of(base, base_count, tick_ns, rng_key(seed, 1), &a_count);
  struct unit *b = units_of(other, other_count, tick_ns, rng_key(seed, 2), &b_count);
  double *series = xcalloc(a_count, sizeof *series), tick_error;
  size_t rounds = paired(a, a_count, b, b_count, tick_ns, series, &tick_error);
  *ratio = (struct ratio){rounds, NAN, NAN, NAN, NAN, NAN, NAN};
  if (rounds >= 3) {
    struct centre centre = centre_of(series, rounds);
    double error = hypot(centre.error, tick_error);
    double half95 = stats_student(0.95, centre.df) * error, half99 = stats_student(0.99, centre.df) * error;
    *ratio = (struct ratio){rounds,
                            exp(-centre.value),
                            exp(-centre.value - half95),
                            exp(-centre.value + half95),
                            exp(-centre.value - half99),
                            exp(-centre.value + half99),
                            half95};
  }
  free(a);
  free(b);
  free(series);
  return rounds >= 3 ? 0 : -1;
}

enum verdict stats_verdict(const struct ratio *ratio) {
  const double least = 1.005; /* a smaller difference is not worth a word */
  if (ratio->rounds < 3 || !(ratio->speedup > 0)) return VERDICT_NONE;
  if (ratio->lo95 > 1 / least && ratio->hi95 < least) return VERDICT_SAME;
  if (ratio->lo99 > 1 && ratio->speedup >= least) return VERDICT_FASTER;
  if (ratio->hi99 < 1 && ratio->speedup <= 1 / least) return VERDICT_SLOWER;
  return VERDICT_UNDECIDED;
}

const char *stats_verdict_name(enum verdict verdict) {
  static const char *const names[] = {"", "same", "faster", "slower", "undecided"};
  return names[verdict];
}

bool stats_is_look(size_t rounds) {
  static const size_t looks[] = {12, 18, 27, 41, 61, 92, 138};
  for (size_t i = 0; i < sizeof looks / sizeof looks[0]; i++)
    if (rounds == looks[i]) return true;
  size_t look = 138;
  while (look < rounds)
    look += (look + 1) / 2;
  return look == rounds;
}

/* ---- Summaries ----------------------------------------------------------------------------------------------- */

/* Interval of the median. Its units are the slots' medians: a median of samples is as often too high as too low,
 * whatever the distribution, so the middle of the units estimates the middle of the samples. The interval lies between
 * two order statistics of the units (the sign test's), so it needs no shape either: where the clock has two states, or
 * the kernel two speeds, it spans both until one of them clearly holds the middle. Its ranks, counted from 1, are
 * (n + 1) / 2 -+ z sqrt(n w) / 2, interpolated, w being the autocorrelation's factor as for ratios. Ranks beyond the
 * extremes (fewer than 6 rounds, or strongly related ones) go on at the units' mean spacing. The clock's step enters as
 * for ratios, and the published median always lies inside.
 *
 * Simulated on the five noise models of the tests, for the median under the conditions that the run met: 95 to 98% from
 * 12 rounds on; with slow noise (AR(1), 0.6) 91% at 12, 94% at 41, 95% at 92; with two clock states 99%, since the
 * factor cannot know which conditions count. From 3 rounds 82 to 93%: no method knows more of three numbers. */
static void median_interval(const struct unit *units, size_t count, double tick_ns, struct summary *summary) {
  double n = (double)count, *series = xcalloc(count, sizeof *series);
  for (size_t i = 0; i < count; i++)
    series[i] = units[i].value;
  double widen = inflation(series, count, NULL);
  sort(series, count);
  double middle = stats_quantile(series, count, 0.5), past = (series[count - 1] - series[0]) / (n - 1);
  double rank = (n + 1) / 2 - 1.959964 * sqrt(n * widen) / 2; /* from 1 */
  double outside = fmax(1 - rank, 0) * past, place = (rank - 1) / (n - 1);
  double low = middle - (stats_quantile(series, count, place) - outside);
  double high = stats_quantile(series, count, 1 - place) + outside - middle;
  double tick = 1.959964 * tick_ns / 8;
  summary->ci95_lo = fmin(middle - hypot(low, tick), summary->median);
  summary->ci95_hi = fmax(middle + hypot(high, tick), summary->median);
  free(series);
}

static void moments(const double *values, size_t count, struct summary *summary) {
  double mean = 0, squares = 0;
  for (size_t i = 0; i < count; i++) { /* Welford's: no cancellation for long times of little spread */
    double delta = values[i] - mean;
    mean += delta / (double)(i + 1);
    squares += delta * (values[i] - mean);
  }
  summary->mean = mean;
  summary->stddev = count > 1 ? sqrt(squares / (double)(count - 1)) : NAN;
}

static void quantiles(const double *sorted, size_t count, struct summary *summary) {
  summary->min = sorted[0];
  summary->p05 = stats_quantile(sorted, count, 0.05);
  summary->p25 = stats_quantile(sorted, count, 0.25);
  summary->median = stats_quantile(sorted, count, 0.5);
  summary->p75 = stats_quantile(sorted, count, 0.75);
  summary->p95 = stats_quantile(sorted, count, 0.95);
  summary->p99 = count >= 368 ? stats_quantile(sorted, count, 0.99) : NAN;
  summary->p999 = count >= 3688 ? stats_quantile(sorted, count, 0.999) : NAN;
  summary->max = sorted[count - 1];
}

/* Tukey's fences, on sorted values. Where most readings are one tick the IQR is 0 and every other reading would be an
 * outlier: it is at least a tick. */
static size_t outliers(const double *sorted, size_t count, double tick_ns, const struct summary *summary) {
  double iqr = fmax(summary->p75 - summary->p25, tick_ns);
  size_t low = 0, high = 0;
  while (low < count && sorted[low] < summary->p25 - 1.5 * iqr)
    low++;
  while (high < count - low && sorted[count - 1 - high] > summary->p75 + 1.5 * iqr)
    high++;
  return low + high;
}

/* Median distance from the median: the sorted values' distances are two sorted lists, merged up to the middle. */
static double deviation(const double *sorted, size_t count, double median) {
  size_t right = 0;
  while (right < count && sorted[right] < median)
    right++;
  size_t left = right;
  double former = 0, last = 0;
  for (size_t taken = 0; taken <= count / 2; taken++) {
    former = last;
    bool take_left = left > 0 && (right >= count || median - sorted[left - 1] <= sorted[right] - median);
    last = take_left ? median - sorted[--left] : sorted[right++] - median;
  }
  return count % 2 == 1 ? last : (former + last) / 2;
}

int stats_summary(const struct slot *slots, size_t count, double tick_ns, uint64_t seed, struct summary *summary) {
  size_t total = samples_of(slots, count), used = 0, unit_count;
  double *values = xcalloc(total, sizeof *values);
  *summary = (struct summary){.ci95_lo = NAN, .ci95_hi = NAN};
  for (size_t i = 0; i < count; i++)
    for (uint32_t j = 0; j < slots[i].count; j++)
      if (isfinite(slots[i].ns[j])) values[used++] = slots[i].ns[j];
  struct unit *units = units_of(slots, count, tick_ns, rng_key(seed, 3), &unit_count);
  summary->samples = used;
  summary->rounds = unit_count;
  if (used > 0) {
    moments(values, used, summary);
    sort(values, used);
    quantiles(values, used, summary);
    summary->outliers = outliers(values, used, tick_ns, summary);
    summary->mad = deviation(values, used, summary->median);
    if (unit_count >= 3) median_interval(units, unit_count, tick_ns, summary);
  }
  free(units);
  free(values);
  return used > 0 ? 0 : -1;
}
