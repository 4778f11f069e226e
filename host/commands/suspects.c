/* What of a night asks for a confirmation, as JSON: which cases, and which binaries should take turns. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/output.h"
#include "commands/history.h"

struct suspects {
  const struct as_of *as_of;
  const struct run_data *rows; /* of the night */
  size_t baseline;             /* a night whose binaries are the old ones; SIZE_MAX: each series' own */
  struct json json;
};

static const struct record *record_of(const struct run_data *rows, const struct history_series *series) {
  for (size_t i = 0; i < rows->count; i++) {
    const struct record *record = &rows->records[i];
    if (text_same(record->case_key, series->case_key) && text_same(record->variant, series->variant) &&
        text_same(record->mode, series->mode))
      return record;
  }
  return NULL;
}

/* NULL: not known. */
static const char *sha256_of(const struct as_of *as_of, const struct history_series *series, size_t night) {
  const size_t build = night < as_of->nights ? series->points[night].build : SIZE_MAX;
  if (build == SIZE_MAX || as_of->data.builds[build].sha256[0] == '\0') return NULL;
  return as_of->data.builds[build].sha256;
}

static void write_suspect(struct suspects *to, const struct trend_row *row) {
  const struct as_of *as_of = to->as_of;
  const struct history_series *series = row->series;
  const struct record *record = record_of(to->rows, series);
  const size_t old = to->baseline != SIZE_MAX ? to->baseline : row->now->reference;
  struct json *json = &to->json;
  json_object(json, NULL);
  json_text(json, "plugin", series->plugin);
  json_text(json, "bench", series->bench);
  json_text(json, "case_key", series->case_key);
  json_text(json, "axes", record != NULL ? record->axes : NULL);
  json_text(json, "variant", series->variant);
  json_text(json, "mode", series->mode);
  json_text(json, "device", series->device);
  json_real(json, "step", row->now->step);
  json_bool(json, "few", row->now->few);
  json_text(json, "reference_night", old < as_of->nights ? as_of->data.nights[old].run_id : NULL);
  json_text(json, "old_sha256", sha256_of(as_of, series, old));
  json_text(json, "new_sha256", sha256_of(as_of, series, as_of_index(as_of)));
  json_object_end(json);
}

static int print_suspects(struct suspects *to, struct err *err) {
  struct json *json = &to->json;
  json_begin(json, stdout);
  json_object(json, NULL);
  json_text(json, "schema", "gpubench-suspects-1");
  json_text(json, "night", as_of_night(to->as_of)->run_id);
  json_array(json, "suspects");
  for (size_t i = 0; i < to->as_of->trend.count; i++)
    if (to->as_of->trend.rows[i].open == TREND_ASKS) write_suspect(to, &to->as_of->trend.rows[i]);
  json_array_end(json);
  json_object_end(json);
  json_end(json);
  return output_finish(err);
}

static int find_baseline(struct suspects *to, const char *run_id, const char *dir, struct err *err) {
  to->baseline = run_id != NULL ? as_of_find(to->as_of, run_id) : SIZE_MAX;
  if (run_id == NULL || to->baseline != SIZE_MAX) return 0;
  return err_set(err, EXIT_USAGE, "--baseline: %s has no night '%.200s'", dir, run_id);
}

int suspects_command(const struct history *history, const struct options *options, struct err *err) {
  struct as_of as_of;
  struct run_data rows = {0};
  struct suspects to = {.as_of = &as_of, .rows = &rows};
  if (as_of_open(history, options, options->night, &as_of, err) != 0) return err->exit_code;
  const struct history_night *night = as_of_night(&as_of);
  int rc = find_baseline(&to, options->baseline_night, history->dir, err);
  if (rc == 0 && (night->fault[0] != '\0' || night->timed == 0))
    rc = err_set(err, EXIT_FAILED, "night %s is not to be judged: %.300s", night->run_id,
                 night->fault[0] != '\0' ? night->fault : "nothing was timed");
  if (rc == 0) rc = history_load(history, night->run_id, &rows, err);
  if (rc == 0) rc = print_suspects(&to, err);
  run_data_free(&rows);
  as_of_close(&as_of);
  return rc == 0 ? EXIT_OK : err->exit_code;
}
