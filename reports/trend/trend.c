/* From the nights of each series to rows, the largest changes first. */
#include "trend/trend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* ---- One series ---- */

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Rank of the lower end of the median's 95% interval among n values, from 0; their range where they are fewer than 6.
 */
static size_t lower_rank(size_t n) {
  double share = pow(0.5, (double)n), below = 0;
  size_t rank = 0;
  for (size_t k = 0; 2 * k < n; k++) {
    below += share;
    if (below > 0.025) break;
    rank = k;
    share *= (double)(n - k) / (double)(k + 1);
  }
  return rank;
}

static void find_recent(struct trend_row *row, size_t from) {
  double values[TREND_RECENT];
  size_t n = 0;
  for (size_t i = row->last + 1; i-- > from && n < TREND_RECENT;)
    if (!isnan(row->series->points[i].ns)) values[n++] = row->series->points[i].ns;
  if (n == 0) return;
  qsort(values, n, sizeof *values, ascending);
  row->ns = n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
  row->nights = n;
  if (n == 1) return;
  const size_t rank = lower_rank(n);
  row->lo = values[rank];
  row->hi = values[n - 1 - rank];
}

static bool broken(const struct history_point *point) {
  return point->there && strcmp(point->status, "ok") != 0 && strcmp(point->status, "skipped") != 0 &&
         strcmp(point->status, "not_run") != 0;
}

static enum trend_kind kind_of(const struct trend_row *row, size_t nights) {
  const struct history_point *points = row->series->points;
  size_t timed = 0;
  for (size_t i = 0; i < nights; i++)
    timed += isnan(points[i].ns) ? 0 : 1;
  if (broken(&points[nights - 1]) && timed > 0) return TREND_BROKEN;
  if (timed == 0 || row->last + TREND_WINDOW < nights) return TREND_GONE;
  if (row->last + 1 != nights) return TREND_MISSING;
  if (timed == 1 && nights > 1) return TREND_NEW;
  if (row->first_bad == SIZE_MAX || row->first_bad + TREND_WINDOW < nights) return TREND_STEADY;
  return row->change > 0 ? TREND_SLOWER : TREND_FASTER;
}

static void build_row(struct trend_row *row, const struct history_series *series, size_t nights) {
  *row = (struct trend_row){
      .series = series, .ns = NAN, .lo = NAN, .hi = NAN, .change = NAN, .first_bad = SIZE_MAX, .last = SIZE_MAX};
  double *ns = xcalloc(nights + 1, sizeof *ns);
  for (size_t i = 0; i < nights; i++) {
    ns[i] = series->points[i].contended ? NAN : series->points[i].ns; /* a busy machine's time is no level */
    if (!isnan(series->points[i].ns)) row->last = i;
  }
  row->segments = xcalloc(nights / 2 + 2, sizeof *row->segments);
  row->segment_count = trend_levels(ns, nights, row->segments);
  free(ns);
  const struct nights_segment *newest = row->segment_count > 0 ? &row->segments[row->segment_count - 1] : NULL;
  if (row->last != SIZE_MAX) find_recent(row, newest != NULL ? newest->first : 0);
  if (newest != NULL && row->segment_count > 1) {
    row->change = newest->step;
    row->first_bad = newest->first;
  }
  row->kind = kind_of(row, nights);
}

/* ---- All ---- */

static double weight(const struct trend_row *row) {
  static const double heavy[TREND_KINDS] = {
      [TREND_BROKEN] = 4e9, [TREND_MISSING] = 2e9, [TREND_NEW] = 1e-9, [TREND_GONE] = -1};
  const bool changed = row->kind == TREND_SLOWER || row->kind == TREND_FASTER;
  return (row->series->yardstick ? 0 : 1) * heavy[row->kind] + (changed ? fabs(row->change) : 0);
}

static int by_weight(const void *a, const void *b) {
  const struct trend_row *x = a, *y = b;
  const double p = weight(x), q = weight(y);
  if (p != q) return p < q ? 1 : -1;
  return x->series < y->series ? -1 : x->series > y->series;
}

/* Days since 1970 of "2026-01-31..."; -1: that is no date. */
static long day_of(const char *started) {
  int year, month, day;
  if (sscanf(started, "%4d-%2d-%2d", &year, &month, &day) != 3) return -1;
  const long y = month > 2 ? year : year - 1, m = month > 2 ? month - 3 : month + 9;
  return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 719469;
}

static void find_absent(struct trend *trend) {
  const struct history_data *data = trend->data;
  trend->absent = xcalloc(data->night_count + 1, sizeof *trend->absent);
  for (size_t i = 1; i < data->night_count; i++) {
    const long before = day_of(data->nights[i - 1].started), day = day_of(data->nights[i].started);
    if (before >= 0 && day > before + 1 && day - before < 10000) trend->absent[i] = (size_t)(day - before - 1);
  }
}

void trend_build(const struct history_data *data, struct trend *trend) {
  *trend = (struct trend){.data = data, .count = data->night_count > 0 ? data->series_count : 0};
  trend->rows = xcalloc(trend->count + 1, sizeof *trend->rows);
  for (size_t i = 0; i < trend->count; i++) {
    build_row(&trend->rows[i], &data->series[i], data->night_count);
    if (!data->series[i].yardstick) trend->counts[trend->rows[i].kind]++;
  }
  qsort(trend->rows, trend->count, sizeof *trend->rows, by_weight);
  find_absent(trend);
}

void trend_free(struct trend *trend) {
  for (size_t i = 0; i < trend->count; i++)
    free(trend->rows[i].segments);
  free(trend->rows);
  free(trend->absent);
  *trend = (struct trend){0};
}
