/* All that is known, for programs: schema/report.schema.json describes it. Samples stay in their file, which is named.
 */
#include <math.h>

#include "reports/json.h"
#include "reports/out.h"

enum { FORMAT_VERSION = 1 };

static const char *const outcomes[] = {
    [RUN_PASSED] = "passed", [RUN_INCOMPLETE] = "incomplete", [RUN_FAILED] = "failed", [RUN_NOTHING] = "nothing"};

static void write_counts(struct json *json, const struct run_summary *summary) {
  static const char *const names[] = {"ok", "wrong", "crashed", "timeout", "error", "not_run", "skipped", "unknown"};
  json_object(json, "counts");
  json_whole(json, "rows", (int64_t)summary->rows);
  for (size_t i = 0; i < STATUS_COUNT; i++)
    json_whole(json, names[i], (int64_t)summary->statuses[i]);
  json_whole(json, "timed", (int64_t)summary->timed);
  json_whole(json, "verified", (int64_t)summary->verified);
  json_object_end(json);
}

static void write_columns(struct json *json) {
  static const char *const kinds[] = {[RECORD_TEXT] = "text", [RECORD_REAL] = "number", [RECORD_WHOLE] = "integer"};
  json_array(json, "columns");
  json_flatten(json);
  for (size_t i = 0; i < record_field_count; i++) {
    json_object(json, NULL);
    json_text(json, "name", record_fields[i].name);
    json_text(json, "kind", kinds[record_fields[i].kind]);
    json_text(json, "unit", record_fields[i].unit);
    json_text(json, "doc", record_fields[i].doc);
    json_object_end(json);
  }
  json_array_end(json);
}

/* Names may repeat, which keys of an object must not. */
static void write_pairs(struct json *json, const char *key, const struct run_pairs *pairs) {
  json_array(json, key);
  json_flatten(json);
  for (size_t i = 0; i < pairs->count; i++) {
    json_object(json, NULL);
    json_text(json, "name", pairs->items[i].name);
    json_text(json, "value", pairs->items[i].value);
    json_object_end(json);
  }
  json_array_end(json);
}

static void write_texts(struct json *json, const char *key, const struct strings *texts) {
  json_array(json, key);
  for (size_t i = 0; i < texts->count; i++)
    json_text(json, NULL, texts->items[i]);
  json_array_end(json);
}

static void write_runs(struct json *json, const struct run_data *data) {
  char name[TEXT_SIZE];
  json_array(json, "runs");
  for (size_t i = 0; i < data->run_count; i++) {
    const struct run_info *info = &data->runs[i];
    run_data_run_name(data, i, name, sizeof name);
    json_object(json, NULL);
    json_text(json, "name", name);
    json_whole(json, "rows", (int64_t)info->count);
    write_pairs(json, "environment", &info->environment);
    write_pairs(json, "tags", &info->tags);
    write_texts(json, "notes", &info->notes);
    write_texts(json, "files", &info->files);
    json_object_end(json);
  }
  json_array_end(json);
}

static void write_field(struct json *json, const struct record *record, const struct record_field *field) {
  const void *at = (const char *)record + field->offset;
  double real;
  int64_t whole;
  switch (field->kind) {
    case RECORD_TEXT:
      json_text(json, field->name, *(char *const *)at);
      return;
    case RECORD_REAL:
      real = *(const double *)at;
      if (isinf(real))
        json_text(json, field->name, real > 0 ? "inf" : "-inf");
      else
        json_real(json, field->name, real);
      return;
    case RECORD_WHOLE:
      whole = *(const int64_t *)at;
      if (whole >= 0)
        json_whole(json, field->name, whole);
      else
        json_text(json, field->name, NULL);
      return;
  }
}

static void write_rows(struct json *json, const struct run_data *data) {
  json_array(json, "rows");
  json_flatten(json);
  for (size_t i = 0; i < data->count; i++) {
    json_object(json, NULL);
    json_whole(json, "run", (int64_t)run_data_run_of(data, &data->records[i]));
    for (size_t f = 0; f < record_field_count; f++)
      write_field(json, &data->records[i], &record_fields[f]);
    json_object_end(json);
  }
  json_array_end(json);
}

int out_json(const struct run_data *data, FILE *out, struct err *err) {
  struct json json;
  struct run_summary summary;
  char sentence[MSG_SIZE];
  summary_build(data, &summary);
  enum run_outcome outcome = summary_sentence(data, &summary, sentence, sizeof sentence);
  json_begin(&json, out);
  json_object(&json, NULL);
  json_text(&json, "format", "gpubench-report");
  json_whole(&json, "format_version", FORMAT_VERSION);
  json_text(&json, "outcome", outcomes[outcome]);
  json_text(&json, "sentence", sentence);
  write_counts(&json, &summary);
  write_columns(&json);
  write_runs(&json, data);
  write_rows(&json, data);
  json_object_end(&json);
  summary_free(&summary);
  return json_end(&json) == 0 ? 0 : err_set(err, EXIT_FAILED, "cannot write the JSON");
}
