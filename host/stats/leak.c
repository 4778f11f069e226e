#include "stats/leak.h"

#include <math.h>

#include "base/memory.h"
#include "stats/math.h"

void leak_begin(struct leak *leak, uint64_t bytes) {
  leak->base_bytes = (double)bytes - leak->total_bytes;
}

/* Drops every second point when the arrays are full. From then on only every second call of leak_note() stores a
 * point. */
static void thin_points(struct leak *leak) {
  for (size_t i = 0; 2 * i < leak->count; i++) {
    leak->calls[i] = leak->calls[2 * i];
    leak->bytes[i] = leak->bytes[2 * i];
  }
  leak->count = (leak->count + 1) / 2;
  leak->step = leak->step > 0 ? 2 * leak->step : 2;
}

void leak_note(struct leak *leak, uint64_t calls, uint64_t bytes) {
  leak->total_calls += (double)calls;
  leak->total_bytes = (double)bytes - leak->base_bytes;
  if (++leak->skipped < leak->step) return;
  leak->skipped = 0;
  if (leak->count == LEAK_POINTS) thin_points(leak);
  leak->calls[leak->count] = leak->total_calls;
  leak->bytes[leak->count++] = leak->total_bytes;
}

/* Returns the smallest slope between neighbouring points. With few points a single allocation may dominate the median
 * of the slopes; the smallest slope is only large if memory grows all the time. */
static double least_slope(const struct leak *leak) {
  double least = leak->bytes[0] / leak->calls[0];
  for (size_t i = 1; i < leak->count; i++)
    least = fmin(least, (leak->bytes[i] - leak->bytes[i - 1]) / (leak->calls[i] - leak->calls[i - 1]));
  return least;
}

double leak_slope(const struct leak *leak) {
  size_t n = leak->count, used = 0;
  if (n < LEAK_FEWEST) return NAN;
  if (n < LEAK_MANY) return least_slope(leak);
  SCOPED double *slopes = xcalloc(n * (n - 1) / 2, sizeof *slopes);
  for (size_t i = 0; i < n; i++)
    for (size_t j = i + 1; j < n; j++)
      slopes[used++] = (leak->bytes[j] - leak->bytes[i]) / (leak->calls[j] - leak->calls[i]);
  return stats_median(slopes, used);
}
