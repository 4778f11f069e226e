/* What of a night asks for a confirmation, as JSON: which cases, and which binaries should take turns. */
#include "export/suspects.h"

#include "base/json.h"
#include "base/text.h"

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

int suspects_json_write(const struct as_of *as_of, const struct run_data *rows, size_t baseline, FILE *out,
                        struct err *err) {
  struct suspects to = {.as_of = as_of, .rows = rows, .baseline = baseline};
  struct json *json = &to.json;
  json_begin(json, out);
  json_object(json, NULL);
  json_text(json, "schema", "gpubench-suspects-1");
  json_text(json, "night", as_of_night(as_of)->run_id);
  json_array(json, "suspects");
  for (size_t i = 0; i < as_of->trend.count; i++)
    if (as_of->trend.rows[i].open == TREND_ASKS) write_suspect(&to, &as_of->trend.rows[i]);
  json_array_end(json);
  json_object_end(json);
  return json_end(json) == 0 ? 0 : err_set(err, EXIT_FAILED, "cannot write the suspects");
}
