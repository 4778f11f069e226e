/* Levels of a series by halving it where the step stands out most. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "trend/trend.h"

enum { LEAST = 2 /* nights of a level */ };
#define STANDS_OUT 4.5

struct splitting {
  const double *log_ns; /* of the timed nights */
  const size_t *night;
  size_t count;
  double sd;
  bool *begins;
};

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median_of(const double *values, size_t count) {
  double *sorted = xcalloc(count + 1, sizeof *sorted);
  for (size_t i = 0; i < count; i++)
    sorted[i] = values[i];
  qsort(sorted, count, sizeof *sorted, ascending);
  const double median = count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
  free(sorted);
  return median;
}

/* From night to night, which no level but a few spoils. */
static double noise(const double *log_ns, size_t count) {
  double *steps = xcalloc(count + 1, sizeof *steps);
  for (size_t i = 0; i + 1 < count; i++)
    steps[i] = fabs(log_ns[i + 1] - log_ns[i]);
  const double sd = count > 1 ? median_of(steps, count - 1) / (0.6745 * sqrt(2)) : NIGHTS_PRIOR;
  free(steps);
  return count < NIGHTS_FEW ? fmax(sd, NIGHTS_PRIOR / 2) : fmax(sd, NIGHTS_FLOOR);
}

/* The place in [from, to) that parts it best; 0: none. */
static size_t best_split(const struct splitting *s, size_t from, size_t to) {
  double best = STANDS_OUT * s->sd, all = 0, left = 0;
  size_t place = 0;
  for (size_t i = from; i < to; i++)
    all += s->log_ns[i];
  for (size_t i = from + 1; i + LEAST <= to; i++) {
    left += s->log_ns[i - 1];
    if (i < from + LEAST) continue;
    const double n = (double)(i - from), m = (double)(to - i);
    const double step = fabs((all - left) / m - left / n);
    if (step * sqrt(n * m / (n + m)) <= best || step < NIGHTS_LEAST) continue;
    best = step * sqrt(n * m / (n + m));
    place = i;
  }
  return place;
}

static void split(const struct splitting *s, size_t from, size_t to, int depth) {
  const size_t place = to - from >= 2 * LEAST && depth < 40 ? best_split(s, from, to) : 0;
  if (place == 0) return;
  s->begins[place] = true;
  split(s, from, place, depth + 1);
  split(s, place, to, depth + 1);
}

static size_t collect(const struct splitting *s, struct nights_segment *segments) {
  size_t made = 0, from = 0;
  for (size_t i = 1; i <= s->count; i++) {
    if (i < s->count && !s->begins[i]) continue;
    const double level = exp(median_of(s->log_ns + from, i - from));
    const double step = made > 0 ? level / segments[made - 1].level_ns - 1 : NAN;
    if (made > 0 && fabs(step) < NIGHTS_LEAST) { /* by the medians it is none */
      segments[made - 1].last = s->night[i - 1];
      segments[made - 1].timed += i - from;
    } else {
      segments[made++] = (struct nights_segment){.first = s->night[from],
                                                 .last = s->night[i - 1],
                                                 .timed = i - from,
                                                 .level_ns = level,
                                                 .step = step,
                                                 .confidence = NAN,
                                                 .earliest = s->night[from],
                                                 .latest = s->night[from]};
    }
    from = i;
  }
  return made;
}

size_t trend_levels(const double *ns, size_t count, struct nights_segment *segments) {
  double *log_ns = xcalloc(count + 1, sizeof *log_ns);
  size_t *night = xcalloc(count + 1, sizeof *night), timed = 0, made = 0;
  for (size_t i = 0; i < count; i++) {
    if (!(ns[i] > 0)) continue;
    log_ns[timed] = log(ns[i]);
    night[timed++] = i;
  }
  if (timed > 0) {
    struct splitting s = {log_ns, night, timed, noise(log_ns, timed), xcalloc(timed + 1, sizeof(bool))};
    split(&s, 0, timed, 0);
    made = collect(&s, segments);
    free(s.begins);
  }
  free(night);
  free(log_ns);
  return made;
}
