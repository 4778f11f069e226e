/* Writes a trend (how times developed over nightly runs) as CSV and as JSON. Also writes for which series (times of one
 * case and variant) a night needs a confirmation: a measurement of the old and the new code in turns. */
#include "export/export.h"

#include "base/json.h"
#include "base/number.h"
#include "base/text.h"
#include "record/csv/csv.h"

/* The series of a night that need a confirmation (a measurement of the old and the new code in turns), as JSON: which
 * cases to measure, and which two binaries to compare. */

struct suspects {
  const struct as_of *as_of;
  const struct run_data *rows; /* rows of the night whose series need a confirmation */
  size_t baseline; /* index of the night with whose binaries the new ones are compared; SIZE_MAX: for each series, the
                      newest night whose binaries surely do not have the change */
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

/* Returns the hash of the plugin that measured a series in a night; NULL: not known. */
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

/* ---- A trend as CSV ---- */

static void comma_text(FILE *out, const char *text) {
  csv_write_text(out, text);
  fputc(',', out);
}

static void comma_number(FILE *out, double value) {
  fputs(number_shortest(value).text, out);
  fputc(',', out);
}

static const struct history_night *night_at(const struct trend *trend, size_t night) {
  return night < trend->data->night_count ? &trend->data->nights[night] : NULL;
}

/* Writes the columns that say whether the time of the series changed in the last night, and on what grounds. */
static void write_judgement_fields(const struct trend *trend, const struct trend_row *row, FILE *out) {
  const struct night_judgement *now = row->now;
  const struct history_night *reference = night_at(trend, now->reference), *since = night_at(trend, now->since);
  comma_text(out, night_grounds_name(row->ground));
  comma_text(out, night_state_name(now->state));
  comma_text(out, trend_open_word(row->open));
  fprintf(out, "%d,%d,", now->alarms, now->few);
  comma_number(out, now->step);
  comma_number(out, now->threshold);
  comma_number(out, now->detectable);
  comma_number(out, now->machine);
  comma_text(out, reference != NULL ? reference->run_id : "");
  csv_write_text(out, since != NULL ? since->run_id : "");
}

static void write_trend_csv_row(const struct trend *trend, const struct trend_row *row, FILE *out) {
  const struct history_series *s = row->series;
  const struct history_night *first = night_at(trend, row->first_bad);
  char cause[4 * TEXT_SIZE];
  const char *const names[] = {s->device, s->uuid, s->plugin, s->bench, s->case_key, s->variant, s->mode};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    comma_text(out, names[i]);
  comma_text(out, trend_kind_word(row->kind));
  comma_number(out, row->ns);
  comma_number(out, row->lo);
  comma_number(out, row->hi);
  fprintf(out, "%zu,", row->nights);
  comma_number(out, row->change);
  comma_text(out, first != NULL ? first->run_id : "");
  trend_cause(trend, row, cause, sizeof cause);
  comma_text(out, cause);
  write_judgement_fields(trend, row, out);
  fputs("\r\n", out);
}

int trend_csv_write(const struct trend *trend, FILE *out, struct err *err) {
  fputs(
      "device,uuid,plugin,bench,case_key,variant,mode,kind,median_ns,lo_ns,hi_ns,nights,change,first_night,cause,"
      "grounds,state,open,alarms,few,step,threshold,detectable,machine,reference_night,open_since\r\n",
      out);
  for (size_t i = 0; i < trend->count; i++)
    write_trend_csv_row(trend, &trend->rows[i], out);
  return output_end(out, "the trend", err);
}

/* ---- A trend as JSON ---- */

static void write_json_nights(const struct trend *trend, struct json *json) {
  char marks[2 * TEXT_SIZE];
  json_rows(json, "nights");
  for (size_t i = 0; i < trend->data->night_count; i++) {
    const struct history_night *night = &trend->data->nights[i];
    trend_marks(trend, i, marks, sizeof marks);
    json_object(json, NULL);
    json_text(json, "run_id", night->run_id);
    json_text(json, "started", night->started);
    json_text(json, "commit", night->commit);
    json_text(json, "verdict", trend_verdict_word(trend_verdict(trend, i)));
    json_text(json, "fault", night->fault);
    json_text(json, "changed", marks);
    json_whole(json, "timed", (int64_t)night->timed);
    json_whole(json, "days_without_a_night_before", (int64_t)trend->absent[i]);
    json_object_end(json);
  }
  json_array_end(json);
}

static void write_levels(const struct trend *trend, const struct trend_row *row, struct json *json) {
  json_rows(json, "levels");
  for (size_t i = 0; i < row->segment_count; i++) {
    const struct nights_segment *level = &row->segments[i];
    json_object(json, NULL);
    json_text(json, "first_night", trend->data->nights[level->first].run_id);
    json_text(json, "last_night", trend->data->nights[level->last].run_id);
    json_real(json, "level_ns", level->level_ns);
    json_real(json, "step", level->step);
    json_real(json, "confidence", level->confidence);
    json_text(json, "began_earliest", trend->data->nights[level->earliest].run_id);
    json_text(json, "began_latest", trend->data->nights[level->latest].run_id);
    json_object_end(json);
  }
  json_array_end(json);
}

static void write_night_name(const struct trend *trend, const char *key, size_t night, struct json *json) {
  const struct history_night *named = night_at(trend, night);
  json_text(json, key, named != NULL ? named->run_id : NULL);
}

static void write_judgement(const struct trend *trend, const struct trend_row *row, struct json *json) {
  const struct night_judgement *now = row->now;
  json_object(json, "judgement");
  json_text(json, "state", night_state_name(now->state));
  json_text(json, "open", trend_open_word(row->open));
  json_bool(json, "alarms", now->alarms);
  json_bool(json, "few", now->few);
  json_text(json, "grounds", night_grounds_name(now->grounds));
  json_whole(json, "baseline_nights", (int64_t)now->baseline);
  json_real(json, "expected_ns", now->centre_ns);
  json_real(json, "sd", now->sd);
  json_real(json, "threshold", now->threshold);
  json_real(json, "step", now->step);
  json_real(json, "detectable", now->detectable);
  json_real(json, "machine", now->machine);
  write_night_name(trend, "first_night", now->first_bad, json);
  write_night_name(trend, "reference_night", now->reference, json);
  write_night_name(trend, "open_since", now->since, json);
  json_real(json, "open_step", now->since_step);
  json_object_end(json);
}

/* Returns true if the night belongs in the list of events of a series. A night with an established change always does.
 * A night that only looks suspicious belongs there if it is among the last TREND_WINDOW nights. */
static bool is_event(const struct trend *trend, const struct trend_row *row, size_t night) {
  const enum night_state state = row->judgements[night].state;
  const bool stays = state == NIGHT_SLOWER || state == NIGHT_FASTER || state == NIGHT_MACHINE;
  return stays || (state > NIGHT_KNOWN && night + TREND_WINDOW >= trend->data->night_count);
}

/* Writes the events of a series: the nights in which its time was judged as changed or suspicious (stats/nights.h). */
static void write_events(const struct trend *trend, const struct trend_row *row, struct json *json) {
  json_rows(json, "events");
  for (size_t i = 0; i < trend->data->night_count; i++) {
    const struct night_judgement *judged = &row->judgements[i];
    if (!is_event(trend, row, i)) continue;
    json_object(json, NULL);
    json_text(json, "night", trend->data->nights[i].run_id);
    json_text(json, "state", night_state_name(judged->state));
    json_text(json, "grounds", night_grounds_name(judged->grounds));
    json_real(json, "step", judged->step);
    json_object_end(json);
  }
  json_array_end(json);
}

static void write_json_series(const struct trend *trend, const struct trend_row *row, struct json *json) {
  const struct history_series *s = row->series;
  const struct history_night *first = night_at(trend, row->first_bad);
  char cause[4 * TEXT_SIZE];
  trend_cause(trend, row, cause, sizeof cause);
  json_object(json, NULL);
  json_text(json, "device", s->device);
  json_text(json, "uuid", s->uuid);
  json_text(json, "plugin", s->plugin);
  json_text(json, "bench", s->bench);
  json_text(json, "case_key", s->case_key);
  json_text(json, "variant", s->variant);
  json_text(json, "mode", s->mode);
  json_text(json, "kind", trend_kind_word(row->kind));
  json_bool(json, "yardstick", s->yardstick);
  json_real(json, "median_ns", row->ns);
  json_real(json, "lo_ns", row->lo);
  json_real(json, "hi_ns", row->hi);
  json_whole(json, "nights", (int64_t)row->nights);
  json_real(json, "change", row->change);
  json_text(json, "first_night", first != NULL ? first->run_id : NULL);
  json_text(json, "grounds", night_grounds_name(row->ground));
  json_text(json, "cause", cause);
  write_judgement(trend, row, json);
  write_events(trend, row, json);
  write_levels(trend, row, json);
  json_object_end(json);
}

int trend_json_write(const struct trend *trend, FILE *out, struct err *err) {
  struct json json;
  char sentence[2 * MSG_SIZE];
  trend_sentence(trend, sentence, sizeof sentence);
  json_begin(&json, out);
  json_object(&json, NULL);
  json_whole(&json, "schema", 1);
  json_text(&json, "sentence", sentence);
  json_whole(&json, "exit_code", trend_exit_code(trend));
  write_json_nights(trend, &json);
  json_array(&json, "series");
  for (size_t i = 0; i < trend->count; i++)
    write_json_series(trend, &trend->rows[i], &json);
  json_array_end(&json);
  json_object_end(&json);
  return json_end(&json) == 0 ? 0 : err_set(err, EXIT_FAILED, "cannot write the trend");
}
