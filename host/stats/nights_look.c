#include "stats/nights_look.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { HISTORY = 40, LEVEL_NIGHTS = 3, PRIOR_NIGHTS = 6 };

/* two groups of times are separate levels if they lie at least this many standard deviations (within the groups)
 * apart */
#define LEVELS_APART 6.0

size_t nights_before(const struct nights_track *track, size_t night, size_t most, size_t *found) {
  size_t count = 0;
  for (size_t t = night; t > track->begin && count < most; t--)
    if (!isnan(track->values[t - 1])) found[count++] = t - 1;
  return count;
}

double nights_spread(double *values, size_t count) {
  if (count < 3) return NAN;
  stats_sort(values, count);
  return 1.4826 * stats_deviation(values, count, stats_quantile(values, count, 0.5));
}

/* Collects the values of earlier nights that count for comparison (track->good), newest first. */
static size_t history(const struct nights_track *track, size_t night, double *values) {
  size_t count = 0;
  for (size_t t = night; t > track->begin && count < HISTORY; t--)
    if (track->good[t - 1]) values[count++] = track->values[t - 1];
  return count;
}

/* Counts how often consecutive values lie on different sides of `border`. */
static size_t crossings(const double *values, size_t count, double border) {
  size_t crossed = 0;
  for (size_t i = 1; i < count; i++)
    crossed += (values[i] > border) != (values[i - 1] > border);
  return crossed;
}

/* Splits sorted values at their widest gap. Returns the number of values below the gap; 0: there are too few values. */
static size_t split_levels(const double *sorted, size_t count) {
  size_t at = 0;
  double widest = 0;
  for (size_t i = LEVEL_NIGHTS; i + LEVEL_NIGHTS <= count; i++)
    if (sorted[i] - sorted[i - 1] > widest) widest = sorted[i] - sorted[i - 1], at = i;
  return at;
}

/* Returns true if the values lie at two narrow levels, each visited at least twice. Such alternation comes from the
 * machine, not from the code. Sets the levels and the spread in `look`. */
static bool two_levels(const double *values, size_t count, struct nights_look *look) {
  double sorted[HISTORY];
  memcpy(sorted, values, count * sizeof *sorted);
  stats_sort(sorted, count);
  const size_t low = split_levels(sorted, count), high = count - low;
  if (low == 0) return false;
  const double border = (sorted[low - 1] + sorted[low]) / 2;
  const double a = stats_quantile(sorted, low, 0.5), b = stats_quantile(sorted + low, high, 0.5);
  const double within = fmax(nights_spread(sorted, low), nights_spread(sorted + low, high));
  if (b - a < log1p(NIGHTS_LEAST) || b - a < LEVELS_APART * within || crossings(values, count, border) < 3)
    return false;
  const bool upper = high > low;
  look->levels[0] = upper ? b : a;
  look->levels[1] = upper ? a : b;
  look->level_count = 2;
  look->spread = within;
  return true;
}

void nights_look_back(const struct nights_track *track, size_t night, struct nights_look *look) {
  double values[HISTORY], nearest[NIGHTS_BASELINE];
  const size_t count = history(track, night, values);
  *look = (struct nights_look){.baseline = count < NIGHTS_BASELINE ? count : NIGHTS_BASELINE, .spread = NAN};
  look->few = track->timed < NIGHTS_FEW;
  if (count == 0) return;
  if (!two_levels(values, count, look)) {
    memcpy(nearest, values, look->baseline * sizeof *nearest);
    look->levels[look->level_count++] = stats_median(nearest, look->baseline);
    look->spread = nights_spread(nearest, look->baseline);
  }
  if (!isnan(track->former)) look->levels[look->level_count++] = track->former;
}

/* Returns the standard deviation between nights. It is a weighted mean of the measured deviation, which weighs more
 * with more nights, and an expected one. The expected one comes from the nights before the last change of the time or,
 * if there are none, from the whole suite. */
static double shrunken_sd(const struct nights_track *track, const struct nights_look *look, double prior) {
  /* assumed if nothing else is known; half as large with few nights, so that a night is suspect sooner, which costs
   * only a confirmation */
  const double unknown = look->few ? NIGHTS_PRIOR / 2 : NIGHTS_PRIOR;
  const double towards = !isnan(track->sd) ? track->sd : !isnan(prior) ? prior : unknown;
  const double weight = isnan(look->spread) ? 0 : (double)look->baseline - 1, own = weight > 0 ? look->spread : 0;
  return fmax(sqrt((weight * own * own + PRIOR_NIGHTS * towards * towards) / (weight + PRIOR_NIGHTS)), NIGHTS_SD_LEAST);
}

static double nearest_level(const struct nights_look *look, double value) {
  double best = look->levels[0];
  for (size_t i = 1; i < look->level_count; i++)
    if (fabs(value - look->levels[i]) < fabs(value - best)) best = look->levels[i];
  return best;
}

/* Returns the level from which a value has probably risen if it lies near no known level: the highest known level below
 * the value. */
static double level_below(const struct nights_look *look, double value) {
  double best = NAN;
  for (size_t i = 0; i < look->level_count; i++)
    if (look->levels[i] < value && !(best > look->levels[i])) best = look->levels[i];
  return isnan(best) ? nearest_level(look, value) : best;
}

static double lesser_step(double a, double b) {
  return a * b < 0 ? 0 : fabs(b) < fabs(a) ? b : a;
}

void nights_look_at(const struct nights_track *track, size_t night, double prior, struct nights_look *look) {
  const double value = track->values[night], again = track->series->nights[night].again_ns;
  size_t last;
  if (look->baseline == 0) return;
  look->sd = shrunken_sd(track, look, prior);
  /* factor for the error of the expected time, which is the median of the baseline's nights */
  const double wider = sqrt(1 + 1.57 / (double)look->baseline);
  look->threshold = fmax(log1p(NIGHTS_LEAST), NIGHTS_SIGMAS * look->sd * wider);
  look->centre = nearest_level(look, value);
  if (isnan(value)) return;
  if (fabs(value - look->centre) > look->threshold) look->centre = level_below(look, value);
  look->step = value - look->centre;
  if (again > 0) look->step = lesser_step(look->step, log(again) - track->machine - look->centre);
  look->slower = look->step > look->threshold;
  look->faster = look->step < -look->threshold;
  const bool off = fabs(look->centre - look->levels[0]) > look->threshold;
  const bool was_off = nights_before(track, night, 1, &last) == 1 &&
                       fabs(nearest_level(look, track->values[last]) - look->levels[0]) > look->threshold;
  look->elsewhere = off && !was_off;
}

/* Finds the levels of a series by optimal partitioning of winsorised values (Jackson et al., IEEE Signal Processing
 * Letters 12, 2005), with a penalty that grows with the number of nights. */

enum { SHORTEST = 3, WINDOW = 2 };

struct fit {
  double *y, *sum, *squares, *cost;
  size_t *night, *from, count;
  double sd;
};

static double cost_of(const struct fit *fit, size_t from, size_t to) {
  const double n = (double)(to - from), sum = fit->sum[to] - fit->sum[from];
  return fit->squares[to] - fit->squares[from] - sum * sum / n;
}

static double segment_mean(const struct fit *fit, size_t from, size_t to) {
  return (fit->sum[to] - fit->sum[from]) / (double)(to - from);
}

static double middle_at(const double *y, size_t count, size_t i) {
  double near[2 * WINDOW + 1];
  size_t found = 0;
  for (size_t k = i < WINDOW ? 0 : i - WINDOW; k < count && k <= i + WINDOW; k++)
    near[found++] = y[k];
  return stats_median(near, found);
}

/* Estimates the standard deviation between nights from the differences of neighbouring nights. If the time changes for
 * good, only one of the differences is large, so the estimate hardly changes. */
static double neighbour_noise(const double *y, size_t count) {
  SCOPED double *differences = xcalloc(count, sizeof *differences);
  for (size_t i = 1; i < count; i++)
    differences[i - 1] = y[i] - y[i - 1];
  const double spread = nights_spread(differences, count - 1) / sqrt(2);
  return isnan(spread) ? NIGHTS_SD_LEAST : fmax(spread, NIGHTS_SD_LEAST);
}

/* Begins a fit of levels to the times `raw` (in ln): prepares the sums over them. A time that deviates from its
 * neighbours by more than NIGHTS_SIGMAS standard deviations is moved to that limit, so that a single outlier makes no
 * level. */
static void begin_fit(struct fit *fit, const double *raw) {
  fit->sd = neighbour_noise(raw, fit->count);
  for (size_t i = 0; i < fit->count; i++) {
    const double middle = middle_at(raw, fit->count, i), most = NIGHTS_SIGMAS * fit->sd;
    fit->y[i] = middle + fmin(fmax(raw[i] - middle, -most), most);
    const double centred = fit->y[i] - raw[0];
    fit->sum[i + 1] = fit->sum[i] + centred;
    fit->squares[i + 1] = fit->squares[i] + centred * centred;
  }
}

static void partition(struct fit *fit) {
  const double penalty = (8 + 4 * log((double)fit->count)) * fit->sd * fit->sd;
  fit->cost[0] = -penalty;
  for (size_t to = 1; to <= fit->count; to++) {
    fit->cost[to] = INFINITY;
    for (size_t from = 0; from + SHORTEST <= to || from == 0; from++) {
      const double cost = fit->cost[from] + penalty + cost_of(fit, from, to);
      if (cost < fit->cost[to]) fit->cost[to] = cost, fit->from[to] = from;
    }
  }
}

/* Finds the range of nights in which the border of two segments (ranges of nights at one level) lies with a probability
 * of 95%: the nights for which the sum of squared deviations increases by at most 3.84 variances. */
static void border_range(const struct fit *fit, size_t from, size_t at, size_t to, struct nights_segment *segment) {
  const double most = cost_of(fit, from, at) + cost_of(fit, at, to) + 3.84 * fit->sd * fit->sd;
  size_t low = at, high = at;
  for (size_t k = from + 1; k < to; k++) {
    if (cost_of(fit, from, k) + cost_of(fit, k, to) > most) continue;
    low = k < low ? k : low;
    high = k > high ? k : high;
  }
  segment->earliest = fit->night[low];
  segment->latest = fit->night[high];
}

/* Lists the borders between segments (ranges of nights at one level) from first to last. Drops borders at which the
 * level changes by less than NIGHTS_LEAST, the smallest change first. */
static size_t borders_of(const struct fit *fit, size_t *borders) {
  size_t count = 0;
  for (size_t to = fit->count; to > 0; to = fit->from[to])
    borders[count++] = to;
  borders[count] = 0;
  for (size_t i = 0; i < (count + 1) / 2; i++) {
    const size_t swap = borders[i];
    borders[i] = borders[count - i];
    borders[count - i] = swap;
  }
  while (count > 1) {
    size_t least = 0;
    double step = INFINITY;
    for (size_t i = 1; i < count; i++) {
      const double here =
          fabs(segment_mean(fit, borders[i], borders[i + 1]) - segment_mean(fit, borders[i - 1], borders[i]));
      if (here < step) step = here, least = i;
    }
    if (step >= log1p(NIGHTS_LEAST)) break;
    for (size_t i = least; i < count; i++)
      borders[i] = borders[i + 1];
    count--;
  }
  return count;
}

static void describe_segment(const struct fit *fit, const size_t *borders, size_t i, double origin,
                             struct nights_segment *segment) {
  const size_t from = borders[i], to = borders[i + 1];
  const double level = segment_mean(fit, from, to);
  *segment = (struct nights_segment){.first = fit->night[from],
                                     .last = fit->night[to - 1],
                                     .timed = to - from,
                                     .level_ns = exp(level + origin),
                                     .step = NAN,
                                     .confidence = NAN,
                                     .earliest = fit->night[from],
                                     .latest = fit->night[from]};
  if (i == 0) return;
  const double step = level - segment_mean(fit, borders[i - 1], from);
  const double error = fit->sd * sqrt(1 / (double)(to - from) + 1 / (double)(from - borders[i - 1]));
  const double p = stats_student_tail(fabs(step) / error, fmax((double)(to - borders[i - 1]) - 2, 1));
  segment->step = expm1(step);
  /* the p-value is multiplied by the number of nights, because any of them might be the border */
  segment->confidence = 1 - fmin(1, p * (double)fit->count);
  border_range(fit, borders[i - 1], from, to, segment);
}

size_t nights_segments(const struct night *nights, size_t count, struct nights_segment *segments) {
  struct fit fit = {.y = xcalloc(count + 1, sizeof(double)),
                    .sum = xcalloc(count + 1, sizeof(double)),
                    .squares = xcalloc(count + 1, sizeof(double)),
                    .cost = xcalloc(count + 1, sizeof(double)),
                    .night = xcalloc(count + 1, sizeof(size_t)),
                    .from = xcalloc(count + 1, sizeof(size_t))};
  SCOPED double *raw = xcalloc(count + 1, sizeof *raw);
  size_t *borders = xcalloc(count + 2, sizeof *borders), found = 0;
  for (size_t t = 0; t < count; t++)
    if (nights[t].ns > 0) fit.night[fit.count] = t, raw[fit.count++] = log(nights[t].ns);
  if (fit.count > 0) {
    begin_fit(&fit, raw);
    partition(&fit);
    found = borders_of(&fit, borders);
    for (size_t i = 0; i < found; i++)
      describe_segment(&fit, borders, i, raw[0], &segments[i]);
  }
  free(borders);
  free(fit.y);
  free(fit.sum);
  free(fit.squares);
  free(fit.cost);
  free(fit.night);
  free(fit.from);
  return found;
}
