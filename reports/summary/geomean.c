/* Means of ratios over the cases of a bench. */
#include "summary/geomean.h"

#include <math.h>

#include "summary/baseline.h"

static double ratio_over(const struct run_bench *bench, const struct run_case *point, size_t variant, size_t over) {
  const struct record *a = point->rows[variant], *b = point->rows[over];
  if (!row_contends(a) || !row_contends(b)) return (double)NAN;
  bool baseline = b == baseline_of(point, a) && bench->baseline != NULL;
  return baseline && a->speedup > 0 ? a->speedup : b->median_raw_ns / a->median_raw_ns;
}

double geomean_over(const struct run_bench *bench, size_t variant, size_t over, size_t *count) {
  double sum = 0;
  *count = 0;
  for (size_t i = 0; i < bench->case_count; i++) {
    double ratio = ratio_over(bench, &bench->cases[i], variant, over);
    if (!(ratio > 0)) continue;
    sum += log(ratio);
    ++*count;
  }
  return *count != 0 ? exp(sum / (double)*count) : (double)NAN;
}

double geomean_base(const struct run_bench *bench, size_t variant, size_t *count) {
  double sum = 0;
  *count = 0;
  for (size_t i = 0; i < bench->case_count; i++) {
    const struct run_case *point = &bench->cases[i];
    const struct record *row = point->rows[variant];
    if (!row_timed(row) || baseline_is(point, row) || !(row->speedup > 0)) continue;
    sum += log(row->speedup);
    ++*count;
  }
  return *count != 0 ? exp(sum / (double)*count) : (double)NAN;
}
