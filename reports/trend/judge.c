/* The rule for nights, held over a history: which points are times of the code, and what the judgements come to. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "trend/trend.h"

/* ---- From a history to series ---- */

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

/* What a machine moves together: one device's series with the same bound. */
static uint32_t class_of(const struct history_data *data, size_t index) {
  enum { BOUNDS = 4 };
  size_t first = 0;
  while (strcmp(data->series[first].device, data->series[index].device) != 0 ||
         strcmp(data->series[first].uuid, data->series[index].uuid) != 0)
    first++;
  return (uint32_t)first * BOUNDS + data->series[index].bound;
}

/* Nights of a series whose times are proofs of the same kind: those with these reasons against them. */
struct view {
  size_t series;
  uint32_t reasons;
};

/* Where there is none yet, one is added. */
static void add_view(struct view *views, size_t *count, struct view view) {
  for (size_t i = 0; i < *count; i++)
    if (views[i].series == view.series && views[i].reasons == view.reasons) return;
  views[(*count)++] = view;
}

/* At least one of each series. `views` has room for series * (nights + 1). */
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

/* Each night by the view that it belongs to, and one without a time by that of the last that has one. */
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

struct night_judgement *trend_judge(const struct history_data *data) {
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

/* ---- What they come to ---- */

static bool timed_before(const struct trend_row *row, size_t night) {
  for (size_t t = 0; t < night; t++)
    if (row->series->points[t].ns > 0) return true;
  return false;
}

static bool is_busy(const struct trend_row *row, size_t night) {
  const struct history_point *point = &row->series->points[night];
  const struct night_judgement *judged = &row->judgements[night];
  if (!(point->ns > 0) || !timed_before(row, night)) return false;
  if (judged->baseline == 0) return true; /* all that is before it was busy, or tonight is too */
  return point->contended && point->ns > judged->centre_ns * (1 + judged->threshold);
}

/* The nights before it that count have other reasons against them. */
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
