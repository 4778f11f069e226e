#include "svg/series.h"

#include <math.h>

#include "svg/scale.h"

size_t svg_place(const struct svg_chart *chart, size_t series) {
  size_t place = 0;
  for (size_t i = 0; i < series; i++)
    place += !chart->series[i].limit;
  return place;
}

static void widen(double value, double *lo, double *hi) {
  if (!svg_known(value)) return;
  *lo = fmin(*lo, value);
  *hi = fmax(*hi, value);
}

void svg_range(const struct svg_chart *chart, double *lo, double *hi) {
  *lo = HUGE_VAL;
  *hi = 0;
  for (size_t i = 0; i < chart->series_count; i++)
    for (size_t j = 0; j < chart->category_count; j++) {
      const struct svg_point *point = &chart->series[i].points[j];
      widen(point->y, lo, hi);
      if (chart->series[i].limit) continue;
      if (svg_known(point->lo)) widen(fmax(point->lo, point->y / 1.5), lo, hi);
      if (svg_known(point->hi)) widen(fmin(point->hi, point->y * 1.5), lo, hi);
    }
}
