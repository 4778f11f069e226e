/* Turns a history of nightly runs into a trend. For each series (the times of one variant in one case) it has a
 * judgement of each night and what changed; the series with the largest change comes first. */
#include "trend/trend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/math.h"

/* ---- Judging the nights (nightly runs) of each series by the rule in stats/nights.h ---- */

/* ---- The series of a history ---- */

static struct night night_of(const struct history_point *point) {
  return (struct night){.ns = point->contended ? NAN : point->ns,
                        .busy_ns = point->contended ? point->ns : NAN,
                        .sd = point->sd,
                        .restarts = point->restarts,
                        .again_ns = point->again_ns,
                        .confirmed = point->confirmed,
                        .confirmed_step = point->step,
                        .accepted = point->accepted};
}

/* Returns the class of a series: the series of one device that are limited by the same resource (memory or compute). A
 * change of the machine affects all series of a class together. */
static uint32_t class_of(const struct history_data *data, size_t index) {
  enum { BOUNDS = 4 };
  size_t first = 0;
  while (strcmp(data->series[first].device, data->series[index].device) != 0 ||
         strcmp(data->series[first].uuid, data->series[index].uuid) != 0)
    first++;
  return (uint32_t)first * BOUNDS + data->series[index].bound;
}

/* A view: those nights of a series whose times are unproven (not confirmed by gpubench's checks) for the same reasons,
 * or are all proven. Only nights of one view are compared. */
struct view {
  size_t series;
  uint32_t reasons;
};

/* Adds the view to the list unless the list contains it already. */
static void add_view(struct view *views, size_t *count, struct view view) {
  for (size_t i = 0; i < *count; i++)
    if (views[i].series == view.series && views[i].reasons == view.reasons) return;
  views[(*count)++] = view;
}

/* Finds the views (sets of nights whose times may be compared) of all series, at least one for each. `views` has room
 * for series * (nights + 1). Returns their number. */
static size_t find_views(const struct history_data *data, struct view *views) {
  size_t count = 0;
  for (size_t i = 0; i < data->series_count; i++) {
    const size_t first = count;
    size_t own = 0;
    for (size_t t = 0; t < data->night_count; t++)
      if (data->series[i].points[t].ns > 0)
        add_view(views + first, &own, (struct view){i, data->series[i].points[t].unproven});
    if (own == 0) add_view(views + first, &own, (struct view){i, 0});
    count += own;
  }
  return count;
}

static void take_nights(const struct history_data *data, const struct view *view, struct night *nights) {
  for (size_t t = 0; t < data->night_count; t++) {
    const struct history_point *point = &data->series[view->series].points[t];
    nights[t] = night_of(point);
    if (point->unproven != view->reasons) nights[t].ns = nights[t].busy_ns = nights[t].again_ns = (double)NAN;
  }
}

/* For each night of each series, takes the judgement that was made in the view (a set of nights whose times may be
 * compared) of that night. A night without a time is in the view of the last night with a time. */
static void take_judgements(const struct history_data *data, const struct view *views, size_t count,
                            const struct night_judgement *from, struct night_judgement *to) {
  const size_t nights = data->night_count;
  for (size_t v = 0; v < count; v++) {
    const struct history_series *series = &data->series[views[v].series];
    const bool first = v == 0 || views[v - 1].series != views[v].series;
    bool mine = first;
    for (size_t t = 0; t < nights; t++) {
      if (series->points[t].ns > 0) mine = series->points[t].unproven == views[v].reasons;
      if (mine) to[views[v].series * nights + t] = from[v * nights + t];
    }
  }
}

/* Returns the judgements of all series in all nights, series after series; the caller frees them. Times that were
 * measured while other jobs ran are passed as busy_ns: they are judged, but do not count as usual times for later
 * nights. A slowdown of one device does not affect how series of another device are judged. */
static struct night_judgement *trend_judge(const struct history_data *data) {
  const size_t nights = data->night_count, most = data->series_count * (nights + 1);
  SCOPED struct view *views = xcalloc(most + 1, sizeof *views);
  const size_t count = find_views(data, views);
  struct night_judgement *judgements = xcalloc(data->series_count * nights + 1, sizeof *judgements);
  SCOPED struct night_judgement *all = xcalloc(count * nights + 1, sizeof *all);
  SCOPED struct night *points = xcalloc(count * nights + 1, sizeof *points);
  SCOPED struct nights_series *series = xcalloc(count + 1, sizeof *series);
  for (size_t i = 0; i < count; i++) {
    const size_t of = views[i].series;
    take_nights(data, &views[i], points + i * nights);
    series[i] = (struct nights_series){
        .nights = points + i * nights, .bound = class_of(data, of), .yardstick = data->series[of].yardstick};
  }
  nights_judge(series, count, nights, all);
  take_judgements(data, views, count, all, judgements);
  return judgements;
}

/* ---- Interpreting the judgements ---- */

static bool was_timed_before(const struct trend_row *row, size_t night) {
  for (size_t t = 0; t < night; t++)
    if (row->series->points[t].ns > 0) return true;
  return false;
}

static bool is_busy(const struct trend_row *row, size_t night) {
  const struct history_point *point = &row->series->points[night];
  const struct night_judgement *judged = &row->judgements[night];
  if (!(point->ns > 0) || !was_timed_before(row, night)) return false;
  /* there was no night to compare with, because other jobs ran in this night or in all earlier ones */
  if (judged->baseline == 0) return true;
  return point->contended && point->ns > judged->centre_ns * (1 + judged->threshold);
}

/* Only times that are unproven for the same reasons are compared. Returns true if this night was compared with no
 * earlier night, and its time and the newest earlier time are unproven for different reasons. */
static bool is_proven_otherwise(const struct trend_row *row, size_t night) {
  const struct history_point *points = row->series->points;
  if (!(points[night].ns > 0) || row->judgements[night].baseline != 0) return false;
  for (size_t t = night; t-- > 0;)
    if (points[t].ns > 0) return points[t].unproven != points[night].unproven;
  return false;
}

bool trend_regressed(const struct trend_row *row, size_t night) {
  return row->judgements[night].alarms && row->judgements[night].grounds == NIGHT_GROUNDS_CONFIRMED;
}

enum trend_open trend_open(const struct trend_row *row, size_t night) {
  const struct night_judgement *judged = &row->judgements[night];
  if (row->series->yardstick || row->series->points[night].accepted) return TREND_CLOSED;
  if (judged->alarms) return trend_regressed(row, night) ? TREND_CLOSED : TREND_UNCONFIRMED;
  if (judged->asks) return TREND_ASKS;
  if (judged->state == NIGHT_SUSPECT_SLOWER) return TREND_UNDECIDED;
  if (is_proven_otherwise(row, night)) return TREND_UNPROVEN;
  if (is_busy(row, night)) return TREND_BUSY;
  return row->series->points[night].ns > 0 && judged->threshold > TREND_BLIND ? TREND_NOISY : TREND_CLOSED;
}

bool trend_has_change(const struct trend_row *row) {
  return row->kind <= TREND_MACHINE && !isnan(row->change);
}

size_t trend_count_open(const struct trend *trend, size_t night, enum trend_open open) {
  size_t found = 0;
  for (size_t i = 0; i < trend->count; i++)
    found += trend_open(&trend->rows[i], night) == open;
  return found;
}

size_t trend_count_regressed(const struct trend *trend, size_t night) {
  size_t found = 0;
  for (size_t i = 0; i < trend->count; i++)
    found += trend_regressed(&trend->rows[i], night);
  return found;
}

size_t trend_broken(const struct trend *trend) {
  size_t found = trend->counts[TREND_BROKEN];
  for (size_t i = 0; i < trend->count; i++)
    found += trend->rows[i].lost && !trend->rows[i].series->yardstick;
  return found;
}

enum trend_verdict trend_judged(const struct trend *trend, size_t night) {
  const struct history_night *n = &trend->data->nights[night];
  if (n->fault[0] != '\0' || n->timed == 0) return TREND_FAILED;
  if (trend_count_regressed(trend, night) > 0) return TREND_REGRESSION;
  if (night + 1 == trend->data->night_count && trend_broken(trend) > 0) return TREND_FAILED;
  for (enum trend_open open = TREND_UNDECIDED; open <= TREND_NOISY; open++)
    if (trend_count_open(trend, night, open) > 0) return TREND_UNJUDGED;
  return trend_count_open(trend, night, TREND_ASKS) > 0 ? TREND_SUSPECT : TREND_OK;
}

enum trend_verdict trend_verdict(const struct trend *trend, size_t night) {
  const char *decided = trend->data->nights[night].verdict;
  const enum trend_verdict judged = trend_judged(trend, night);
  if (strcmp(decided, "failed") == 0 || judged == TREND_FAILED) return TREND_FAILED;
  if (strcmp(decided, "regression") == 0 || judged == TREND_REGRESSION) return TREND_REGRESSION;
  if (strcmp(decided, "unjudged") == 0) return TREND_UNJUDGED;
  return strcmp(decided, "ok") == 0 ? TREND_OK : judged;
}

int trend_exit_code(const struct trend *trend) {
  if (trend->data->night_count == 0) return EXIT_OK;
  const size_t last = trend->data->night_count - 1;
  const enum trend_verdict verdict = trend_verdict(trend, last);
  if (verdict == TREND_FAILED) return EXIT_FAILED;
  if (verdict == TREND_REGRESSION) return EXIT_REGRESSION;
  return trend_count_open(trend, last, TREND_UNCONFIRMED) > 0 ? EXIT_UNJUDGED : EXIT_OK;
}

/* ---- The levels of a series ---- */

static void find_recent(struct trend_row *row, size_t from) {
  double values[TREND_RECENT];
  size_t n = 0;
  for (size_t i = row->last + 1; i-- > from && n < TREND_RECENT;)
    if (!isnan(row->series->points[i].ns)) values[n++] = row->series->points[i].ns;
  if (n == 0) return;
  row->ns = stats_median(values, n); /* sorts the values */
  row->nights = n;
  if (n == 1) return;
  const struct interval of_median = stats_quantile_interval(values, n, 0.5, (double)n);
  /* the interval of the median of fewer than 6 values is their range */
  row->lo = isnan(of_median.lo) ? values[0] : of_median.lo;
  row->hi = isnan(of_median.hi) ? values[n - 1] : of_median.hi;
}

/* ---- The change of a series ---- */

static enum trend_kind take_change(struct trend_row *row, const struct night_judgement *from, double change) {
  row->change = change;
  row->first_bad = from->first_bad;
  row->ground = from->grounds;
  if (from->state == NIGHT_SLOWER || from->state == NIGHT_FASTER)
    return from->state == NIGHT_SLOWER ? TREND_SLOWER : TREND_FASTER;
  return from->state == NIGHT_SUSPECT_SLOWER ? TREND_SUSPECT_SLOWER : TREND_SUSPECT_FASTER;
}

/* Sets the row's change to the step by which the last night looks slower or faster. If the newest level (a stretch of
 * nights without a change) includes the last night and its step has the same direction, the change begins with that
 * level. */
static enum trend_kind take_suspicion(struct trend_row *row) {
  const enum trend_kind kind = take_change(row, row->now, row->now->step);
  const struct nights_segment *newest = row->segment_count > 1 ? &row->segments[row->segment_count - 1] : NULL;
  if (newest != NULL && newest->last == row->last && newest->step * row->change > 0) row->first_bad = newest->first;
  return kind;
}

/* Sets the row's change to the step by which the machine changed the time in this night. (The member `machine` of a
 * judgement is the total change by the machine up to that night.) */
static enum trend_kind take_machine(struct trend_row *row, size_t night) {
  const double before =
      night > 0 && !isnan(row->judgements[night - 1].machine) ? row->judgements[night - 1].machine : 0;
  row->change = (1 + row->judgements[night].machine) / (1 + before) - 1;
  row->first_bad = night;
  return TREND_MACHINE;
}

/* Finds the newest change within the last TREND_WINDOW nights. A change that the machine caused does not count if a
 * later change of the machine has undone it. */
static enum trend_kind newest_change(struct trend_row *row, size_t nights) {
  const enum night_state state = row->now->state;
  if (state == NIGHT_SUSPECT_SLOWER || state == NIGHT_SUSPECT_FASTER) return take_suspicion(row);
  for (size_t t = nights; t-- > 0 && t + TREND_WINDOW >= nights;) {
    const struct night_judgement *judged = &row->judgements[t];
    if (judged->state == NIGHT_SLOWER || judged->state == NIGHT_FASTER) return take_change(row, judged, judged->step);
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

static enum trend_kind classify_series(struct trend_row *row, size_t nights) {
  const enum trend_kind change = newest_change(row, nights);
  const size_t timed = timed_nights(row, nights);
  if (broken(&row->series->points[nights - 1]) && timed > 0) return TREND_BROKEN;
  if (timed == 0 || row->last + TREND_WINDOW < nights) return TREND_GONE;
  if (row->last + 1 != nights) return TREND_MISSING;
  return timed == 1 && nights > 1 ? TREND_NEW : change;
}

/* Returns true if the night is complete and the series' device was measured in it. Only then can the series be called
 * missing in this night. */
static bool device_there(const struct history_data *data, const struct history_series *series, size_t night) {
  if (data->nights[night].fault[0] != '\0') return false;
  for (size_t i = 0; i < data->series_count; i++)
    if (data->series[i].points[night].there && strcmp(data->series[i].device, series->device) == 0 &&
        strcmp(data->series[i].uuid, series->uuid) == 0)
      return true;
  return false;
}

static bool is_series_lost(const struct history_data *data, const struct trend_row *row) {
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
    /* a time that was measured while other jobs ran is left out, because they may have made it longer */
    points[i] = (struct night){.ns = point->contended ? NAN : point->ns};
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
  row->kind = classify_series(row, nights);
  row->open = trend_open(row, nights - 1);
  row->lost = row->kind == TREND_MISSING && is_series_lost(data, row);
}

/* ---- All series ---- */

static double series_weight(const struct trend_row *row) {
  static const double heavy[TREND_KINDS] = {
      [TREND_BROKEN] = 4e9, [TREND_MISSING] = 2e9, [TREND_CLEARED] = 1e-6, [TREND_NEW] = 1e-9, [TREND_GONE] = -1};
  const double tonight = !row->series->yardstick && row->now->alarms ? 1e6 : 0;
  /* A change by the machine is one event, however many series it changes, so it weighs little. */
  const double machine = row->kind == TREND_MACHINE ? 1e-3 : 1;
  return (row->series->yardstick ? 0 : 1) * (heavy[row->kind] + tonight) +
         (trend_has_change(row) ? fabs(row->change) * machine : 0);
}

static int by_weight(const void *a, const void *b) {
  const struct trend_row *x = a, *y = b;
  const double p = series_weight(x), q = series_weight(y);
  if (p != q) return p < q ? 1 : -1;
  return x->series < y->series ? -1 : x->series > y->series;
}

/* Returns the number of days since 1970 of a text such as "2026-01-31..."; -1 if it is no date. */
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

/* ---- A history as it was known after one of its nights ---- */

size_t as_of_find(const struct as_of *as_of, const char *run_id) {
  for (size_t i = 0; i < as_of->nights; i++)
    if (strcmp(as_of->data.nights[i].run_id, run_id) == 0) return i;
  return SIZE_MAX;
}

static int choose_night(struct as_of *as_of, const char *run_id, const char *dir, struct err *err) {
  if (as_of->nights == 0) return err_set(err, EXIT_FAILED, "%s has no nights to judge", dir);
  const size_t night = run_id != NULL ? as_of_find(as_of, run_id) : as_of->nights - 1;
  if (night == SIZE_MAX) return err_set(err, EXIT_USAGE, "%s has no night '%.200s'", dir, run_id);
  as_of->data.night_count = night + 1; /* hides the nights after this one, which were not known when it was judged */
  return 0;
}

void as_of_close(struct as_of *as_of) {
  trend_free(&as_of->trend);
  as_of->data.night_count = as_of->nights;
  history_data_free(&as_of->data);
}

int as_of_open(const struct history *history, bool by_uuid, const char *run_id, struct as_of *as_of, struct err *err) {
  const struct history_choice choice = {.by_uuid = by_uuid};
  *as_of = (struct as_of){0};
  if (history_read(history, &choice, &as_of->data, err) != 0) return -1;
  as_of->nights = as_of->data.night_count;
  if (choose_night(as_of, run_id, history->dir, err) != 0) {
    as_of_close(as_of);
    return -1;
  }
  trend_build(&as_of->data, &as_of->trend);
  return 0;
}

size_t as_of_index(const struct as_of *as_of) {
  return as_of->data.night_count - 1;
}

const struct history_night *as_of_night(const struct as_of *as_of) {
  return &as_of->data.nights[as_of_index(as_of)];
}
