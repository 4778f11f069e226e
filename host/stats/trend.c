/* Trends and many tests at once. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "stats/math.h"

double stats_slope(const struct trend_point *points, size_t count) {
  SCOPED double *slopes = xcalloc(count * (count + 1) / 2, sizeof *slopes);
  size_t found = 0;
  for (size_t i = 0; i < count; i++)
    for (size_t j = i + 1; j < count; j++)
      if (points[i].group == points[j].group && points[i].x != points[j].x)
        slopes[found++] = (points[j].y - points[i].y) / (points[j].x - points[i].x);
  return stats_median(slopes, found);
}

struct test {
  double p;
  size_t index;
};

static int by_p(const void *a, const void *b) {
  double x = ((const struct test *)a)->p, y = ((const struct test *)b)->p;
  return (x > y) - (x < y);
}

size_t stats_holm(const double *p, size_t count, double alpha, bool *reject) {
  SCOPED struct test *tests = xcalloc(count, sizeof *tests);
  size_t found = 0, rejected = 0;
  for (size_t i = 0; i < count; i++) {
    reject[i] = false;
    if (!isnan(p[i])) tests[found++] = (struct test){p[i], i};
  }
  qsort(tests, found, sizeof *tests, by_p);
  while (rejected < found && tests[rejected].p <= alpha / (double)(found - rejected))
    reject[tests[rejected++].index] = true;
  return rejected;
}
