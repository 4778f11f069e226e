/* The levels of a series: optimal partitioning of winsorised values (Jackson et al., IEEE Signal Processing Letters 12,
 * 2005), with a penalty that grows with the number of nights. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "stats/nights.h"
#include "stats/nights_look.h"

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

static double mean_of(const struct fit *fit, size_t from, size_t to) {
  return (fit->sum[to] - fit->sum[from]) / (double)(to - from);
}

static double middle_at(const double *y, size_t count, size_t i) {
  double near[2 * WINDOW + 1];
  size_t found = 0;
  for (size_t k = i < WINDOW ? 0 : i - WINDOW; k < count && k <= i + WINDOW; k++)
    near[found++] = y[k];
  return stats_median(near, found);
}

/* Of differences of neighbours, which a few steps hardly change. */
static double noise_of(const double *y, size_t count) {
  SCOPED double *differences = xcalloc(count, sizeof *differences);
  for (size_t i = 1; i < count; i++)
    differences[i - 1] = y[i] - y[i - 1];
  const double spread = nights_spread(differences, count - 1) / sqrt(2);
  return isnan(spread) ? NIGHTS_FLOOR : fmax(spread, NIGHTS_FLOOR);
}

/* A single night counts as off by 2.5 deviations from its neighbours at most. */
static void begin(struct fit *fit, const double *raw) {
  fit->sd = noise_of(raw, fit->count);
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

/* Where the border between two levels may as well lie: what costs at most 3.84 squared deviations more. */
static void range_of(const struct fit *fit, size_t from, size_t at, size_t to, struct nights_segment *segment) {
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

/* Borders from the first to the last; those of steps below NIGHTS_LEAST are dropped, the least first. */
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
      const double here = fabs(mean_of(fit, borders[i], borders[i + 1]) - mean_of(fit, borders[i - 1], borders[i]));
      if (here < step) step = here, least = i;
    }
    if (step >= log1p(NIGHTS_LEAST)) break;
    for (size_t i = least; i < count; i++)
      borders[i] = borders[i + 1];
    count--;
  }
  return count;
}

static void describe(const struct fit *fit, const size_t *borders, size_t i, double origin,
                     struct nights_segment *segment) {
  const size_t from = borders[i], to = borders[i + 1];
  const double level = mean_of(fit, from, to);
  *segment = (struct nights_segment){.first = fit->night[from],
                                     .last = fit->night[to - 1],
                                     .timed = to - from,
                                     .level_ns = exp(level + origin),
                                     .step = NAN,
                                     .confidence = NAN,
                                     .earliest = fit->night[from],
                                     .latest = fit->night[from]};
  if (i == 0) return;
  const double step = level - mean_of(fit, borders[i - 1], from);
  const double error = fit->sd * sqrt(1 / (double)(to - from) + 1 / (double)(from - borders[i - 1]));
  const double p = stats_student_tail(fabs(step) / error, fmax((double)(to - borders[i - 1]) - 2, 1));
  segment->step = expm1(step);
  segment->confidence = 1 - fmin(1, p * (double)fit->count); /* any night might have been the one */
  range_of(fit, borders[i - 1], from, to, segment);
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
    begin(&fit, raw);
    partition(&fit);
    found = borders_of(&fit, borders);
    for (size_t i = 0; i < found; i++)
      describe(&fit, borders, i, raw[0], &segments[i]);
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
