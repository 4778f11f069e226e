/* Writes all that is known about runs as JSON; schema/report.schema.json describes it. Samples are not included; the
 * list of files in the output names the files that contain them. */
#include <math.h>

#include "base/json.h"
#include "base/memory.h"
#include "compare/compare.h"
#include "export/export.h"
#include "summary/extras.h"
#include "summary/foreign.h"
#include "summary/geomean.h"
#include "summary/marks.h"
#include "summary/sentence.h"

enum { COMPARE_FORMAT_VERSION = 2 };

static void write_json_against_row(struct json *json, const struct against_row *row) {
  json_object(json, NULL);
  json_text(json, "case_key", row->case_key);
  json_text(json, "variant", row->variant);
  json_text(json, "mode", row->mode);
  json_text(json, "devices", row->devices);
  json_text(json, "outcome", against_outcome_name(row->outcome));
  json_real(json, "base_ns", row->base_ns);
  json_real(json, "ns", row->ns);
  json_real(json, "speedup", row->speedup);
  json_real(json, "lo", row->lo);
  json_real(json, "hi", row->hi);
  json_text_known(json, "verdict", stats_verdict_name(row->word));
  json_bool(json, "beyond", row->beyond);
  json_text_known(json, "not_judged", gap_name(row->gap));
  json_text(json, "note", row->note);
  json_object_end(json);
}

static void write_json_unlike(struct json *json, const struct against *against) {
  json_rows(json, "unlike");
  for (size_t i = 0; i < against->unlike_count; i++) {
    json_object(json, NULL);
    json_text(json, "what", against->differences[i].what);
    json_text(json, "base", against->differences[i].base);
    json_text(json, "here", against->differences[i].other);
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

/* Writes a stored comparison as an object: verdict, sentence, rows. schema/compare.schema.json describes it. */
static void against_json(struct json *json, const char *key, const struct against *against) {
  size_t unjudged = 0;
  for (size_t i = 0; i < against->count; i++)
    unjudged += against->rows[i].gap != GAP_NONE;
  json_object(json, key);
  json_text(json, "verdict", against_verdict_name(against_verdict(against)));
  json_text(json, "sentence", against_fact(against, "sentence"));
  json_text(json, "base", against_fact(against, "run_id"));
  json_text(json, "threshold_percent", against_fact(against, "threshold"));
  json_whole(json, "not_judged", (int64_t)unjudged);
  write_json_unlike(json, against);
  write_texts(json, "notes", &against->notes);
  json_rows(json, "rows");
  for (size_t i = 0; i < against->count; i++)
    write_json_against_row(json, &against->rows[i]);
  json_array_end(json);
  json_object_end(json);
}

int compare_json_write(const struct compare *compare, FILE *out, struct err *err) {
  struct json json;
  json_begin(&json, out);
  json_object(&json, NULL);
  json_text(&json, "format", "gpubench-compare");
  json_whole(&json, "format_version", COMPARE_FORMAT_VERSION);
  json_text(&json, "verdict", against_verdict_name(compare_verdict(compare)));
  json_text(&json, "base", compare->base_label);
  json_array(&json, "runs");
  for (size_t i = 0; i < compare->run_count; i++) {
    json_object(&json, NULL);
    json_text(&json, "name", compare->runs[i].label);
    against_json(&json, "against", compare->runs[i].against);
    json_object_end(&json);
  }
  json_array_end(&json);
  json_object_end(&json);
  return json_end(&json) == 0 ? 0 : err_set(err, EXIT_FAILED, "cannot write the JSON");
}

enum { FORMAT_VERSION = 2 };

static const char *const outcomes[] = {[RUN_PASSED] = "passed",
                                       [RUN_LEFT_OUT] = "incomplete",
                                       [RUN_INCOMPLETE] = "incomplete",
                                       [RUN_FAILED] = "failed",
                                       [RUN_NOTHING] = "nothing"};

static void write_json_counts(struct json *json, const struct run_summary *summary) {
  json_object(json, "counts");
  json_whole(json, "rows", (int64_t)summary->rows);
  for (size_t i = 0; i < ROW_STATUS_COUNT; i++)
    json_whole(json, row_status_name(row_statuses[i]), (int64_t)summary->statuses[row_statuses[i]]);
  json_whole(json, "timed", (int64_t)summary->timed);
  json_whole(json, "verified", (int64_t)summary->verified);
  json_whole(json, "reached", (int64_t)summary->reached);
  json_whole(json, "at_clock_step", (int64_t)summary->stepped);
  json_object_end(json);
}

static void write_json_columns(struct json *json) {
  static const char *const kinds[] = {[RECORD_TEXT] = "text", [RECORD_REAL] = "number", [RECORD_WHOLE] = "integer"};
  json_rows(json, "columns");
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

/* Writes pairs as an array, not an object, because names may repeat. */
static void write_json_pairs(struct json *json, const char *key, const struct pairs *pairs) {
  json_rows(json, key);
  for (size_t i = 0; i < pairs->count; i++) {
    json_object(json, NULL);
    json_text(json, "name", pairs->items[i].name);
    json_text(json, "value", pairs->items[i].value);
    json_object_end(json);
  }
  json_array_end(json);
}

static void write_json_runs(struct json *json, const struct run_data *data) {
  json_array(json, "runs");
  for (size_t i = 0; i < data->run_count; i++) {
    const struct run_info *info = &data->runs[i];
    json_object(json, NULL);
    json_text(json, "name", run_data_run_name(data, i).text);
    json_whole(json, "rows", (int64_t)info->count);
    write_json_pairs(json, "environment", &info->environment);
    write_json_pairs(json, "tags", &info->tags);
    write_texts(json, "notes", &info->notes);
    write_texts(json, "files", &info->files);
    if (info->against != NULL) against_json(json, "against", info->against);
    json_object_end(json);
  }
  json_array_end(json);
}

static void write_json_field(struct json *json, const struct record *record, const struct record_field *field) {
  const void *at = (const char *)record + field->offset;
  double real;
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
      json_whole_known(json, field->name, *(const int64_t *)at);
      return;
  }
}

/* Returns the marks (notes on weak figures, as bits 1 << enum mark) of each row. The caller frees them. */
static unsigned *marks_of_rows(const struct run_summary *summary, const struct run_data *data) {
  unsigned *marks = xcalloc(data->count, sizeof *marks);
  for (size_t i = 0; i < summary->bench_count; i++)
    for (struct bench_walk at = {.bench = &summary->benches[i]}; bench_walk(&at);)
      marks[at.row - data->records] = marks_of(data, at.point, at.row);
  return marks;
}

static void write_json_rows(struct json *json, const struct run_summary *summary, const struct run_data *data) {
  SCOPED unsigned *marks = marks_of_rows(summary, data);
  json_rows(json, "rows");
  for (size_t i = 0; i < data->count; i++) {
    json_object(json, NULL);
    json_whole(json, "run", (int64_t)run_data_run_of(data, &data->records[i]));
    marks_json(json, "marks", marks[i]);
    for (size_t f = 0; f < record_field_count; f++)
      write_json_field(json, &data->records[i], &record_fields[f]);
    json_object_end(json);
  }
  json_array_end(json);
}

/* Writes the mean speedup of each variant over the cases of its bench, if there are at least two. */
static void write_json_means(struct json *json, const struct run_summary *summary) {
  json_rows(json, "geometric_means");
  for (size_t i = 0; i < summary->bench_count; i++)
    for (size_t v = 0; v < summary->benches[i].variant_count; v++) {
      const struct run_bench *bench = &summary->benches[i];
      const struct geomean mean = geomean_base(bench, v);
      if (mean.count < 2) continue;
      json_object(json, NULL);
      json_whole(json, "run", (int64_t)bench->run);
      json_text(json, "bench", bench->name);
      json_text(json, "mode", bench->mode);
      json_text(json, "devices", bench->devices);
      json_text(json, "variant", bench->variants[v]);
      json_whole(json, "cases", (int64_t)mean.count);
      json_whole(json, "undecided", (int64_t)mean.undecided);
      json_real(json, "speedup", mean.ratio);
      json_real(json, "lo", mean.lo);
      json_real(json, "hi", mean.hi);
      json_text(json, "verdict", mean.word);
      if (mean.swayed != NULL) json_text(json, "swayed_by", mean.swayed->key);
      if (mean.swayed != NULL) json_real(json, "without", mean.without);
      json_object_end(json);
    }
  json_array_end(json);
}

/* Writes for each bench how many comparisons Holm's rule was applied to together, and how many of them it made
 * undecided. */
static void write_json_verdict_counts(struct json *json, const struct run_summary *summary) {
  json_rows(json, "multiple_comparisons");
  for (size_t i = 0; i < summary->bench_count; i++) {
    const struct run_bench *bench = &summary->benches[i];
    const struct word_counts counts = words_count(bench);
    if (counts.compared == 0) continue;
    json_object(json, NULL);
    json_whole(json, "run", (int64_t)bench->run);
    json_text(json, "bench", bench->name);
    json_text(json, "mode", bench->mode);
    json_text(json, "devices", bench->devices);
    json_whole(json, "compared", (int64_t)counts.compared);
    json_whole(json, "undecided", (int64_t)counts.lost);
    json_real(json, "error", STATS_FAMILY_ERROR);
    json_object_end(json);
  }
  json_array_end(json);
}

/* Writes the metrics, each with the index of its row. If a row has values of several processes, the value is their
 * median and is written with their range. */
static void write_json_metrics(struct json *json, const struct run_data *data) {
  struct metrics_figure figure;
  json_rows(json, "metrics");
  for (size_t i = 0; i < data->count; i++)
    for (size_t at = 0; metrics_next(data, &data->records[i], &at, &figure);) {
      json_object(json, NULL);
      json_whole(json, "row", (int64_t)i);
      json_text(json, "name", figure.desc->name);
      json_text(json, "unit", figure.desc->unit);
      json_text(json, "better", metric_better_name(figure.desc->better));
      json_text(json, "aggregate", metric_aggregate_name(figure.desc->aggregate));
      json_real(json, "value", figure.value);
      json_real(json, "lo", figure.lo);
      json_real(json, "hi", figure.hi);
      json_real(json, "sd", figure.sd);
      json_whole(json, "n", (int64_t)figure.n);
      json_whole(json, "processes", (int64_t)figure.epochs);
      json_object_end(json);
    }
  json_array_end(json);
}

/* Writes, for each device of each run that measured joules, whether the device's energy counter aliases (is wrong for
 * loads that pulse near its period). */
static void write_verdicts(struct json *json, const struct run_data *data) {
  static const char *const words[] = {[ENERGY_UNTESTED] = "not_tested",
                                      [ENERGY_AGREES] = "does_not_alias",
                                      [ENERGY_UNSURE] = "may_alias",
                                      [ENERGY_ALIASES] = "aliases"};
  bool any = false;
  for (size_t i = 0; i < data->count; i++) {
    const struct record *row = &data->records[i];
    bool first = energy_known(row);
    for (size_t j = 0; j < i && first; j++)
      first = !energy_known(&data->records[j]) || !energy_same_device(data, &data->records[j], row);
    if (!first) continue;
    const struct energy_verdict verdict = energy_verdict(data, row);
    if (!any) json_rows(json, "energy_verdicts");
    any = true;
    json_object(json, NULL);
    json_whole(json, "run", (int64_t)run_data_run_of(data, row));
    json_text(json, "devices", row->devices);
    json_text(json, "verdict", words[verdict.trust]);
    json_whole(json, "phases", (int64_t)verdict.phases);
    json_real(json, "spread", verdict.phases > 0 ? verdict.spread : (double)NAN);
    json_real(json, "period_ms", verdict.period_ms);
    json_object_end(json);
  }
  if (any) json_array_end(json);
}

/* Returns, for each foreign row (a result of another program), the median of the baseline in the row's case divided by
 * the row's median; NaN if the row belongs to no case. The caller frees the list. */
static double *foreign_ratios(const struct run_summary *summary, const struct run_data *data) {
  double *ratios = xcalloc(data->foreign.count, sizeof *ratios);
  for (size_t i = 0; i < data->foreign.count; i++)
    ratios[i] = (double)NAN;
  for (size_t i = 0; i < summary->bench_count; i++)
    for (size_t j = 0; j < summary->benches[i].case_count; j++)
      for (size_t k = 0; k < summary->benches[i].foreign_count; k++) {
        const struct foreign_row *row = foreign_at(&summary->benches[i].cases[j], k);
        if (row != NULL) ratios[row - data->foreign.items] = foreign_ratio(&summary->benches[i].cases[j], row);
      }
  return ratios;
}

static void write_json_foreign(struct json *json, const struct run_summary *summary, const struct run_data *data) {
  static const char *const matches[] = {[FOREIGN_MATCHED] = "matched",
                                        [FOREIGN_NO_CASE] = "no_case",
                                        [FOREIGN_OTHER_MODE] = "other_mode",
                                        [FOREIGN_OTHER_DEVICE] = "other_device"};
  SCOPED double *ratios = foreign_ratios(summary, data);
  json_rows(json, "foreign");
  for (size_t i = 0; i < data->foreign.count; i++) {
    const struct foreign_row *row = &data->foreign.items[i];
    json_object(json, NULL);
    json_text(json, "match", matches[row->place]);
    json_text(json, "case_key", row->case_key);
    json_text(json, "variant", row->variant);
    json_text(json, "mode", row->mode);
    json_text(json, "source", row->source);
    json_text(json, "device", row->device);
    json_text(json, "math", row->math);
    json_real(json, "median_ns", row->median_ns);
    json_real(json, "lo_ns", row->lo_ns);
    json_real(json, "hi_ns", row->hi_ns);
    json_whole_known(json, "samples", row->samples > 0 ? row->samples : -1);
    json_real(json, "verify_error", row->verify_error);
    json_text(json, "note", row->note);
    json_real(json, "ratio", ratios[i]);
    json_object_end(json);
  }
  json_array_end(json);
}

int export_json(const struct run_data *data, FILE *out, struct err *err) {
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
  if (against_any(data)) json_text(&json, "verdict", against_verdict_name(against_worst(data)));
  write_json_counts(&json, &summary);
  write_json_columns(&json);
  write_json_runs(&json, data);
  write_json_rows(&json, &summary, data);
  write_json_means(&json, &summary);
  write_json_verdict_counts(&json, &summary);
  if (data->extras.count != 0) write_json_metrics(&json, data);
  write_verdicts(&json, data);
  if (data->foreign.count != 0) write_json_foreign(&json, &summary, data);
  json_object_end(&json);
  summary_free(&summary);
  return json_end(&json) == 0 ? 0 : err_set(err, EXIT_FAILED, "cannot write the JSON");
}
