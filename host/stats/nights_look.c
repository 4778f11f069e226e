#include "stats/nights_look.h"

#include <math.h>
#include <string.h>

enum { HISTORY = 40, LEVEL_NIGHTS = 3, PRIOR_NIGHTS = 6 };

#define LEVELS_APART 6.0 /* standard deviations within them that two levels of one machine lie apart */

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

/* Values of good nights, the newest first. */
static size_t history(const struct nights_track *track, size_t night, double *values) {
  size_t count = 0;
  for (size_t t = night; t > track->begin && count < HISTORY; t--)
    if (track->good[t - 1]) values[count++] = track->values[t - 1];
  return count;
}

/* How many times the values went from one side of `border` to the other. */
static size_t crossings(const double *values, size_t count, double border) {
  size_t crossed = 0;
  for (size_t i = 1; i < count; i++)
    crossed += (values[i] > border) != (values[i - 1] > border);
  return crossed;
}

/* Where sorted values fall into two heaps: the size of the lower one; 0: nowhere. */
static size_t split(const double *sorted, size_t count) {
  size_t at = 0;
  double widest = 0;
  for (size_t i = LEVEL_NIGHTS; i + LEVEL_NIGHTS <= count; i++)
    if (sorted[i] - sorted[i - 1] > widest) widest = sorted[i] - sorted[i - 1], at = i;
  return at;
}

/* Two levels, tight within and visited twice each: the machine goes back and forth, which no code does. Sets levels and
 * spread. */
static bool two_levels(const double *values, size_t count, struct nights_look *look) {
  double sorted[HISTORY];
  memcpy(sorted, values, count * sizeof *sorted);
  stats_sort(sorted, count);
  const size_t low = split(sorted, count), high = count - low;
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

/* The spread, shrunk towards what is known besides. */
static double sd_of(const struct nights_track *track, const struct nights_look *look, double prior) {
  const double unknown = look->few ? NIGHTS_PRIOR / 2 : NIGHTS_PRIOR; /* a few nights only ask, which is cheap */
  const double towards = !isnan(track->sd) ? track->sd : !isnan(prior) ? prior : unknown;
  const double weight = isnan(look->spread) ? 0 : (double)look->baseline - 1, own = weight > 0 ? look->spread : 0;
  return fmax(sqrt((weight * own * own + PRIOR_NIGHTS * towards * towards) / (weight + PRIOR_NIGHTS)), NIGHTS_FLOOR);
}

static double nearest(const struct nights_look *look, double value) {
  double best = look->levels[0];
  for (size_t i = 1; i < look->level_count; i++)
    if (fabs(value - look->levels[i]) < fabs(value - best)) best = look->levels[i];
  return best;
}

/* The level below a value that is beside all of them, to which it would have been added. */
static double below(const struct nights_look *look, double value) {
  double best = NAN;
  for (size_t i = 0; i < look->level_count; i++)
    if (look->levels[i] < value && !(best > look->levels[i])) best = look->levels[i];
  return isnan(best) ? nearest(look, value) : best;
}

static double lesser(double a, double b) {
  return a * b < 0 ? 0 : fabs(b) < fabs(a) ? b : a;
}

void nights_look_at(const struct nights_track *track, size_t night, double prior, struct nights_look *look) {
  const double value = track->values[night], again = track->series->nights[night].again_ns;
  size_t last;
  if (look->baseline == 0) return;
  look->sd = sd_of(track, look, prior);
  /* the error of a median of so many nights comes on top */
  const double wider = sqrt(1 + 1.57 / (double)look->baseline);
  look->threshold = fmax(log1p(NIGHTS_LEAST), NIGHTS_SIGMAS * look->sd * wider);
  look->centre = nearest(look, value);
  if (isnan(value)) return;
  if (fabs(value - look->centre) > look->threshold) look->centre = below(look, value);
  look->step = value - look->centre;
  if (again > 0) look->step = lesser(look->step, log(again) - track->machine - look->centre);
  look->slower = look->step > look->threshold;
  look->faster = look->step < -look->threshold;
  const bool off = fabs(look->centre - look->levels[0]) > look->threshold;
  const bool was_off = nights_before(track, night, 1, &last) == 1 &&
                       fabs(nearest(look, track->values[last]) - look->levels[0]) > look->threshold;
  look->elsewhere = off && !was_off;
}
