/* Reads nightly runs, and series (the times of a variant over the nights), from the index of a history. */
#include "history/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/map.h"
#include "base/memory.h"
#include "history/index.h"
#include "history/store.h"
#include "model/proof/unproven.h"
#include "model/row_status.h"

struct reading {
  sqlite3 *db;
  const struct history_choice *choice;
  struct history_data *data;
  struct map nights;        /* by run_id */
  struct map builds;        /* by run_id and plugin */
  struct map series;        /* number of each series, by the texts that distinguish it */
  int64_t *ids;             /* ids in the index, ascending */
  size_t *places, id_count; /* for each id, the index of its series; MAP_NONE: the series was not chosen */
};

static struct history_point empty_point(void) {
  return (struct history_point){
      .ns = NAN, .lo = NAN, .hi = NAN, .sd = NAN, .again_ns = NAN, .step = NAN, .build = SIZE_MAX};
}

/* ---- Nights ---- */

/* Returns true if the nightly run's time of start is possible. Otherwise adds a sentence about it to `damaged`, and the
 * run is left out. A run with a time in the future would remain the last one, and a run with a time long ago would be
 * sorted before all others. */
static bool has_place(struct history_data *data, sqlite3_stmt *row) {
  char why[160];
  if (history_start_is_possible(sql_text(row, 1), (int64_t)time(NULL), why, sizeof why)) return true;
  strings_print(&data->damaged, "night %s: %s", sql_text(row, 0), why);
  return false;
}

static void take_indexed_night(struct reading *r, sqlite3_stmt *row) {
  struct history_data *data = r->data;
  if (!has_place(data, row)) return;
  data->nights = xgrow(data->nights, data->night_count, sizeof *data->nights);
  struct history_night *night = &data->nights[data->night_count];
  *night = (struct history_night){.run_id = xstrdup(sql_text(row, 0)),
                                  .started = xstrdup(sql_text(row, 1)),
                                  .commit = xstrdup(sql_text(row, 2)),
                                  .fault = xstrdup(sql_text(row, 3)),
                                  .verdict = xstrdup(sql_text(row, 4)),
                                  .sentence = xstrdup(sql_text(row, 5)),
                                  .drivers = xstrdup(""),
                                  .clocks = xstrdup(""),
                                  .hosts = xstrdup(""),
                                  .uuids = xstrdup("")};
  if (sql_whole(row, 6) > 0) night->rows = (size_t)sql_whole(row, 6);
  if (sql_whole(row, 7) > 0) night->timed = (size_t)sql_whole(row, 7);
  const char *key[] = {night->run_id};
  map_put(&r->nights, key, 1, data->night_count++);
}

static size_t night_index(const struct reading *r, sqlite3_stmt *row) {
  const char *key[] = {sql_text(row, 0)};
  return map_get(&r->nights, key, 1);
}

static void join_text(char **list, const char *text) {
  if (text[0] == '\0' || strstr(*list, text) != NULL) return;
  char *longer = memory_print("%s%s%s", *list, **list ? ", " : "", text);
  free(*list);
  *list = longer;
}

static void take_indexed_device(struct reading *r, sqlite3_stmt *row) {
  const size_t night = night_index(r, row);
  if (night == MAP_NONE) return;
  struct history_night *to = &r->data->nights[night];
  join_text(&to->uuids, sql_text(row, 1));
  join_text(&to->drivers, sql_text(row, 2));
  join_text(&to->clocks, sql_text(row, 3));
  join_text(&to->hosts, sql_text(row, 4));
}

static void take_build(struct reading *r, sqlite3_stmt *row) {
  struct history_data *data = r->data;
  const size_t night = night_index(r, row);
  if (night == MAP_NONE) return;
  data->builds = xgrow(data->builds, data->build_count, sizeof *data->builds);
  struct history_build *build = &data->builds[data->build_count];
  *build =
      (struct history_build){night, xstrdup(sql_text(row, 1)), xstrdup(sql_text(row, 2)), xstrdup(sql_text(row, 3))};
  const char *key[] = {data->nights[night].run_id, build->plugin};
  map_put(&r->builds, key, 2, data->build_count++);
}

/* ---- Series ---- */

static bool matches(const struct strings *globs, const char *text, const char *also) {
  if (globs == NULL || globs->count == 0) return true;
  for (size_t i = 0; i < globs->count; i++)
    if (text_glob(globs->items[i], text) || (also != NULL && text_glob(globs->items[i], also))) return true;
  return false;
}

static bool chosen(const struct reading *r, const char *bench, const char *variant) {
  const char *slash = strchr(bench, '/');
  return matches(r->choice->benches, bench, slash != NULL ? slash + 1 : NULL) &&
         matches(r->choice->variants, variant, NULL);
}

/* Adds the series that a row of the index describes. Its columns are id, device, uuid, plugin, bench, case_key,
 * variant, mode. */
static void take_series(struct reading *r, sqlite3_stmt *row) {
  struct history_data *data = r->data;
  const char *key[7];
  size_t place = MAP_NONE;
  for (int i = 0; i < 7; i++)
    key[i] = i == 1 && !r->choice->by_uuid ? "" : sql_text(row, i + 1);
  if (chosen(r, key[3], key[5])) place = map_put(&r->series, key, 7, data->series_count);
  r->ids = xgrow(r->ids, r->id_count, sizeof *r->ids);
  r->places = xgrow(r->places, r->id_count, sizeof *r->places);
  r->ids[r->id_count] = sqlite3_column_int64(row, 0);
  r->places[r->id_count++] = place;
  if (place != MAP_NONE && place == data->series_count) {
    data->series = xgrow(data->series, data->series_count, sizeof *data->series);
    data->series[data->series_count++] = (struct history_series){.device = xstrdup(key[0]),
                                                                 .uuid = xstrdup(key[1]),
                                                                 .plugin = xstrdup(key[2]),
                                                                 .bench = xstrdup(key[3]),
                                                                 .case_key = xstrdup(key[4]),
                                                                 .variant = xstrdup(key[5]),
                                                                 .mode = xstrdup(key[6])};
  }
}

/* ---- Points ---- */

static size_t series_place(const struct reading *r, int64_t id) {
  size_t from = 0, to = r->id_count;
  while (from < to) {
    const size_t middle = from + (to - from) / 2;
    if (r->ids[middle] < id)
      from = middle + 1;
    else
      to = middle;
  }
  return from < r->id_count && r->ids[from] == id ? r->places[from] : MAP_NONE;
}

static double read_share(sqlite3_stmt *row, int column) {
  const int64_t ppm = sql_whole(row, column);
  return ppm < 0 ? NAN : (double)ppm * 1e-6;
}

static double nanoseconds(sqlite3_stmt *row, int column) {
  const int64_t ps = sql_whole(row, column);
  return ps <= 0 ? NAN : (double)ps * 1e-3;
}

static uint32_t bound_of(const char *word) {
  return strcmp(word, "memory") == 0 ? 1 : strcmp(word, "compute") == 0 ? 2 : strcmp(word, "latency") == 0 ? 3 : 0;
}

/* Combines the times that two devices of the same kind have in one night, because both belong to one series. `to`
 * becomes the mean of both times or, if only one device was timed, its time. */
static void merge_points(struct history_point *to, const struct history_point *from) {
  if (!to->there || isnan(to->ns)) {
    *to = *from;
  } else if (!isnan(from->ns)) {
    to->ns = (to->ns + from->ns) / 2;
    to->lo = (to->lo + from->lo) / 2;
    to->hi = (to->hi + from->hi) / 2;
  }
}

/* Adds the time of a series in one night from a row of the index. Its columns are run_id, series, status, median_ps,
 * below_ppm, above_ppm, sd_ppm, restarts, bound, flags. */
static void take_point(struct reading *r, sqlite3_stmt *row) {
  const size_t night = night_index(r, row), place = series_place(r, sqlite3_column_int64(row, 1));
  if (night == MAP_NONE || place == MAP_NONE) return;
  struct history_series *series = &r->data->series[place];
  const int64_t flags = sqlite3_column_int64(row, 9), restarts = sql_whole(row, 7);
  const char *key[] = {r->data->nights[night].run_id, series->plugin};
  struct history_point point = empty_point();
  point.there = true;
  point.status = row_status_name(row_status_parse(sql_text(row, 2)));
  point.ns = nanoseconds(row, 3);
  point.lo = point.ns * (1 - read_share(row, 4));
  point.hi = point.ns * (1 + read_share(row, 5));
  point.sd = read_share(row, 6);
  point.restarts = restarts > 0 && restarts < 1000000 ? (uint32_t)restarts : 0;
  point.contended = (flags & NIGHT_CONTENDED) != 0;
  point.quick = (flags & NIGHT_QUICK) != 0;
  point.accepted = (flags & NIGHT_ACCEPTED) != 0;
  point.unproven = (uint32_t)(flags >> NIGHT_UNPROVEN_SHIFT) & UNPROVEN_ALL;
  const size_t build = map_get(&r->builds, key, 2);
  point.build = build == MAP_NONE ? SIZE_MAX : build;
  const uint32_t bound = bound_of(sql_text(row, 8));
  if (bound != 0) series->bound = bound;
  series->yardstick = series->yardstick || (flags & NIGHT_YARDSTICK) != 0;
  merge_points(&series->points[night], &point);
}

/* Adds a decision about a series in one night from a row of the index. Its columns are run_id, series, verdict, step,
 * again_ps. */
static void take_indexed_decision(struct reading *r, sqlite3_stmt *row) {
  const size_t night = night_index(r, row), place = series_place(r, sqlite3_column_int64(row, 1));
  if (night == MAP_NONE || place == MAP_NONE) return;
  struct history_point *point = &r->data->series[place].points[night];
  point->confirmed = stats_verdict_parse(sql_text(row, 2));
  if (sqlite3_column_type(row, 3) != SQLITE_NULL) point->step = sqlite3_column_double(row, 3);
  point->again_ns = nanoseconds(row, 4);
}

/* ---- Reading everything ---- */

static int read_each(struct reading *r, const char *select, void (*take)(struct reading *r, sqlite3_stmt *row),
                     struct err *err) {
  sqlite3_stmt *statement = NULL;
  int rc = sql_prepare(r->db, select, &statement, err), more = 0;
  while (rc == 0 && (more = sql_step(statement, err)) == 1)
    take(r, statement);
  sqlite3_finalize(statement);
  return rc == 0 && more == 0 ? 0 : -1;
}

static void make_points(struct history_data *data) {
  const size_t nights = data->night_count;
  data->all = xcalloc(data->series_count * nights + 1, sizeof *data->all);
  for (size_t i = 0; i < data->series_count * nights; i++)
    data->all[i] = empty_point();
  for (size_t i = 0; i < data->series_count; i++)
    data->series[i].points = data->all + i * nights;
}

static int by_names(const void *a, const void *b) {
  const struct history_series *x = a, *y = b;
  int order = strcmp(x->bench, y->bench);
  if (order == 0) order = strcmp(x->case_key, y->case_key);
  if (order == 0) order = strcmp(x->variant, y->variant);
  if (order == 0) order = strcmp(x->mode, y->mode);
  if (order == 0) order = strcmp(x->device, y->device);
  return order != 0 ? order : strcmp(x->uuid, y->uuid);
}

int history_read(const struct history *history, const struct history_choice *choice, struct history_data *data,
                 struct err *err) {
  *data = (struct history_data){0};
  struct reading r = {.choice = choice, .data = data};
  int rc = index_open(history, &data->damaged, &r.db, err);
  if (rc == 0)
    rc = read_each(&r,
                   "SELECT run_id, started, commit_id, fault, verdict, sentence, row_count, timed FROM nights"
                   " ORDER BY started, run_id",
                   take_indexed_night, err);
  if (rc == 0)
    rc = read_each(&r, "SELECT run_id, uuid, driver, clock_mhz, host FROM devices", take_indexed_device, err);
  if (rc == 0) rc = read_each(&r, "SELECT run_id, plugin, version, sha256 FROM builds", take_build, err);
  if (rc == 0)
    rc = read_each(&r, "SELECT id, device, uuid, plugin, bench, case_key, variant, mode FROM series ORDER BY id",
                   take_series, err);
  if (rc == 0) make_points(data);
  if (rc == 0)
    rc = read_each(&r,
                   "SELECT run_id, series, status, median_ps, below_ppm, above_ppm, sd_ppm, restarts, bound, flags"
                   " FROM points",
                   take_point, err);
  if (rc == 0)
    rc = read_each(&r, "SELECT run_id, series, verdict, step, again_ps FROM decisions", take_indexed_decision, err);
  if (rc == 0 && data->series_count > 0) qsort(data->series, data->series_count, sizeof *data->series, by_names);
  sqlite3_close(r.db);
  map_free(&r.nights);
  map_free(&r.builds);
  map_free(&r.series);
  free(r.ids);
  free(r.places);
  if (rc != 0) history_data_free(data);
  return rc;
}

void history_data_free(struct history_data *data) {
  for (size_t i = 0; i < data->night_count; i++) {
    struct history_night *n = &data->nights[i];
    char *texts[] = {n->run_id,   n->started, n->commit, n->fault, n->verdict,
                     n->sentence, n->drivers, n->clocks, n->hosts, n->uuids};
    for (size_t j = 0; j < sizeof texts / sizeof texts[0]; j++)
      free(texts[j]);
  }
  for (size_t i = 0; i < data->series_count; i++) {
    struct history_series *s = &data->series[i];
    char *texts[] = {s->device, s->uuid, s->plugin, s->bench, s->case_key, s->variant, s->mode};
    for (size_t j = 0; j < sizeof texts / sizeof texts[0]; j++)
      free(texts[j]);
  }
  for (size_t i = 0; i < data->build_count; i++) {
    free(data->builds[i].plugin);
    free(data->builds[i].version);
    free(data->builds[i].sha256);
  }
  free(data->nights);
  free(data->series);
  free(data->builds);
  free(data->all);
  strings_free(&data->damaged);
  *data = (struct history_data){0};
}
