/* From the nights of each series, and what the rule says of them, to rows: the largest changes first. */
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

/* ---- Its change ---- */

static bool established(const struct night_judgement *judged) {
  return judged->state == NIGHT_SLOWER || judged->state == NIGHT_FASTER;
}

static enum trend_kind take_change(struct trend_row *row, const struct night_judgement *from, double change) {
  row->change = change;
  row->first_bad = from->first_bad;
  row->ground = from->grounds;
  if (from->state == NIGHT_SLOWER || from->state == NIGHT_FASTER)
    return from->state == NIGHT_SLOWER ? TREND_SLOWER : TREND_FASTER;
  return from->state == NIGHT_SUSPECT_SLOWER ? TREND_SUSPECT_SLOWER : TREND_SUSPECT_FASTER;
}

/* While nothing is established a suspicion is as old as the level it is of. */
static enum trend_kind take_suspicion(struct trend_row *row) {
  const enum trend_kind kind = take_change(row, row->now, row->now->step);
  const struct nights_segment *newest = row->segment_count > 1 ? &row->segments[row->segment_count - 1] : NULL;
  if (newest != NULL && newest->last == row->last && newest->step * row->change > 0) row->first_bad = newest->first;
  return kind;
}

/* The machine's own step of that night, all that it has done before taken out. */
static enum trend_kind take_machine(struct trend_row *row, size_t night) {
  const double before =
      night > 0 && !isnan(row->judgements[night - 1].machine) ? row->judgements[night - 1].machine : 0;
  row->change = (1 + row->judgements[night].machine) / (1 + before) - 1;
  row->first_bad = night;
  return TREND_MACHINE;
}

/* The newest one of the window. What the machine has done and undone again is none. */
static enum trend_kind newest_change(struct trend_row *row, size_t nights) {
  const enum night_state state = row->now->state;
  if (state == NIGHT_SUSPECT_SLOWER || state == NIGHT_SUSPECT_FASTER) return take_suspicion(row);
  for (size_t t = nights; t-- > 0 && t + TREND_WINDOW >= nights;) {
    const struct night_judgement *judged = &row->judgements[t];
    if (established(judged)) return take_change(row, judged, judged->step);
    if (judged->state == NIGHT_MACHINE && fabs(row->now->machine) >= NIGHTS_LEAST) return take_machine(row, t);
  }
  return state == NIGHT_CLEARED ? TREND_CLEARED : TREND_STEADY;
}

static bool broken(const struct history_point *point) {
  return point->there && strcmp(point->status, "ok") != 0 && strcmp(point->status, "skipped") != 0 &&
         strcmp(point->status, "not_run") != 0;
}

static size_t timed_nights(const struct trend_row *row, size_t nights) {
  size_t timed = 0;
  for (size_t i = 0; i < nights; i++)
    timed += isnan(row->series->points[i].ns) ? 0 : 1;
  return timed;
}

static enum trend_kind kind_of(struct trend_row *row, size_t nights) {
  const enum trend_kind change = newest_change(row, nights);
  const size_t timed = timed_nights(row, nights);
  if (broken(&row->series->points[nights - 1]) && timed > 0) return TREND_BROKEN;
  if (timed == 0 || row->last + TREND_WINDOW < nights) return TREND_GONE;
  if (row->last + 1 != nights) return TREND_MISSING;
  return timed == 1 && nights > 1 ? TREND_NEW : change;
}

/* Was its device in this night, whole? Of a night on another one nothing is missing. */
static bool device_there(const struct history_data *data, const struct history_series *series, size_t night) {
  if (data->nights[night].fault[0] != '\0') return false;
  for (size_t i = 0; i < data->series_count; i++)
    if (data->series[i].points[night].there && strcmp(data->series[i].device, series->device) == 0 &&
        strcmp(data->series[i].uuid, series->uuid) == 0)
      return true;
  return false;
}

static bool is_lost(const struct history_data *data, const struct trend_row *row) {
  size_t t = data->night_count - 1;
  if (!device_there(data, row->series, t)) return false;
  while (t-- > 0)
    if (device_there(data, row->series, t)) return row->series->points[t].ns > 0;
  return false;
}

static void find_levels(struct trend_row *row, size_t nights) {
  SCOPED struct night *points = xcalloc(nights + 1, sizeof *points);
  for (size_t i = 0; i < nights; i++) {
    const struct history_point *point = &row->series->points[i];
    points[i] = (struct night){.ns = point->contended ? NAN : point->ns}; /* a busy machine's time is no level */
    if (!isnan(point->ns)) row->last = i;
  }
  row->segments = xcalloc(nights / 2 + 2, sizeof *row->segments);
  row->segment_count = nights_segments(points, nights, row->segments);
}

static void build_row(struct trend_row *row, const struct history_data *data, size_t index,
                      const struct night_judgement *judgements) {
  const size_t nights = data->night_count;
  *row = (struct trend_row){.series = &data->series[index],
                            .judgements = judgements + index * nights,
                            .now = judgements + index * nights + nights - 1,
                            .ns = NAN,
                            .lo = NAN,
                            .hi = NAN,
                            .change = NAN,
                            .first_bad = SIZE_MAX,
                            .last = SIZE_MAX};
  find_levels(row, nights);
  if (row->last != SIZE_MAX) find_recent(row, row->segment_count > 0 ? row->segments[row->segment_count - 1].first : 0);
  row->kind = kind_of(row, nights);
  row->open = trend_open(row, nights - 1);
  row->lost = row->kind == TREND_MISSING && is_lost(data, row);
}

/* ---- All ---- */

static double weight(const struct trend_row *row) {
  static const double heavy[TREND_KINDS] = {
      [TREND_BROKEN] = 4e9, [TREND_MISSING] = 2e9, [TREND_CLEARED] = 1e-6, [TREND_NEW] = 1e-9, [TREND_GONE] = -1};
  const double tonight = !row->series->yardstick && row->now->alarms ? 1e6 : 0;
  const double machine = row->kind == TREND_MACHINE ? 1e-3 : 1; /* one event, however many it moves */
  return (row->series->yardstick ? 0 : 1) * (heavy[row->kind] + tonight) +
         (trend_has_change(row) ? fabs(row->change) * machine : 0);
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
  trend->judgements = trend->count > 0 ? trend_judge(data) : NULL;
  for (size_t i = 0; i < trend->count; i++) {
    build_row(&trend->rows[i], data, i, trend->judgements);
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
  free(trend->judgements);
  *trend = (struct trend){0};
}
