/* JUnit XML as Jenkins, GitLab and Azure read it: a suite per bench, a case per row. schema/junit.xsd describes it. The
 * figures stand in system-out, as not every reader allows a case to have properties. */
#include <math.h>
#include <string.h>

#include "base/escape.h"
#include "export/against_files.h"
#include "export/rows.h"
#include "record/csv.h"
#include "summary/baseline.h"
#include "summary/title.h"

/* What a row is to a test framework. */
enum { PASSED, FAILED, BROKEN, SKIPPED, KIND_COUNT };

static int kind_of(const struct export_row *row) {
  switch (row_status_of(row->record)) {
    case ROW_OK:
      return PASSED;
    case ROW_WRONG:
      return FAILED;
    case ROW_SKIPPED:
      return summary_required(row->data, row->record) ? FAILED : SKIPPED;
    case ROW_CRASHED:
    case ROW_TIMEOUT:
    case ROW_ERROR:
    case ROW_NOT_RUN:
    case ROW_UNKNOWN:
    case ROW_STATUS_COUNT:
      break;
  }
  return BROKEN;
}

/* Seconds that were timed. */
static double seconds(const struct record *record) {
  double s = (double)record->samples * record->mean_ns * 1e-9;
  return row_timed(record) && isfinite(s) && s > 0 ? s : 0;
}

static void attribute(FILE *out, const char *name, const char *value) {
  fprintf(out, " %s=\"", name);
  escape_xml(out, value);
  fputc('"', out);
}

static void property(FILE *out, const char *name, const char *value) {
  if (value == NULL || value[0] == '\0') return;
  fputs("      <property", out);
  attribute(out, "name", name);
  attribute(out, "value", value);
  fputs("/>\n", out);
}

static void write_properties(FILE *out, const struct run_bench *bench, const struct record *record) {
  char over[TEXT_SIZE];
  fputs("    <properties>\n", out);
  property(out, "run_id", record->run_id);
  property(out, "device", record->device_name);
  property(out, "driver", record->driver);
  property(out, "mode", bench->mode);
  baseline_text(bench, over, sizeof over);
  property(out, "baseline", over);
  fputs("    </properties>\n", out);
}

static void write_problem(FILE *out, const struct export_row *row, int kind) {
  static const char *const elements[] = {[FAILED] = "failure", [BROKEN] = "error", [SKIPPED] = "skipped"};
  enum row_status status = row_status_of(row->record);
  const char *message = text_or_empty(row->record->message);
  bool required = kind == FAILED && status == ROW_SKIPPED;
  fprintf(out, "      <%s", elements[kind]);
  attribute(out, "type", required ? "required, but skipped" : row_status_words(status));
  attribute(out, "message", message[0] != '\0' ? message : row_status_words(status));
  fputs("/>\n", out);
}

static void write_case(FILE *out, const struct export_row *row) {
  char name[OUT_NAME_SIZE], sentence[OUT_SENTENCE_SIZE];
  int kind = kind_of(row);
  export_name(row, name, sizeof name);
  export_sentence(row, sentence, sizeof sentence);
  fputs("    <testcase", out);
  attribute(out, "classname", text_or_empty(row->record->bench));
  attribute(out, "name", name);
  fprintf(out, " time=\"%.6f\">\n", seconds(row->record));
  if (kind != PASSED) write_problem(out, row, kind);
  fputs("      <system-out>", out);
  escape_xml(out, sentence);
  fputs("</system-out>\n    </testcase>\n", out);
}

struct count {
  size_t kinds[KIND_COUNT], rows;
  double seconds;
};

static void count_row(struct count *count, const struct export_row *row) {
  count->kinds[kind_of(row)]++;
  count->rows++;
  count->seconds += seconds(row->record);
}

static void write_counts(FILE *out, const struct count *count) {
  fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"", count->rows, count->kinds[FAILED],
          count->kinds[BROKEN]);
}

/* The suite of the row; its rows are counted first. */
static void begin_suite(FILE *out, const struct export_row *first) {
  char title[KEY_SIZE];
  struct count count = {0};
  struct export_row row = *first;
  do
    count_row(&count, &row);
  while (export_next(&row) && row.bench == first->bench);
  title_bench(first->data, first->summary, first->bench, title, sizeof title);
  fputs("  <testsuite", out);
  attribute(out, "name", title);
  write_counts(out, &count);
  fprintf(out, " skipped=\"%zu\" time=\"%.3f\"", count.kinds[SKIPPED], count.seconds);
  if (first->record->timestamp_utc != NULL) attribute(out, "timestamp", first->record->timestamp_utc);
  if (first->record->host != NULL) attribute(out, "hostname", first->record->host);
  fputs(">\n", out);
  write_properties(out, first->bench, first->record);
}

/* Plugins that could not be loaded and devices that were not measured: whose rows are not there nobody would miss. */
static void find_missing(const struct run_data *data, struct strings *missing) {
  for (size_t run = 0; run < data->run_count; run++) {
    const struct run_info *info = &data->runs[run];
    for (size_t i = 0; i < info->environment.count; i++)
      if (strcmp(info->environment.items[i].name, "refused") == 0)
        strings_add(missing, info->environment.items[i].value);
    for (size_t i = 0; i < info->device_count; i++)
      if (info->devices[i].unmeasured)
        strings_add(missing, text_or_empty(pairs_get(&info->devices[i].environment, "device")));
  }
}

static void write_missing(FILE *out, const struct strings *missing) {
  if (missing->count == 0) return;
  fprintf(out,
          "  <testsuite name=\"missing\" tests=\"%zu\" failures=\"0\" errors=\"%zu\" skipped=\"0\" time=\"0.000\">\n"
          "    <properties>\n    </properties>\n",
          missing->count, missing->count);
  for (size_t i = 0; i < missing->count; i++) {
    fputs("    <testcase classname=\"missing\"", out);
    attribute(out, "name", missing->items[i]);
    fputs(" time=\"0.000\">\n      <error type=\"missing\"", out);
    attribute(out, "message", missing->items[i]);
    fputs("/>\n      <system-out></system-out>\n    </testcase>\n", out);
  }
  fputs("  </testsuite>\n", out);
}

static void write_comparisons(FILE *out, const struct run_data *data) {
  char name[TEXT_SIZE];
  for (size_t i = 0; i < data->run_count; i++) {
    if (data->runs[i].against == NULL) continue;
    run_data_run_name(data, i, name, sizeof name);
    against_junit(data->runs[i].against, data->run_count > 1 ? name : "", out);
  }
}

static void write_suites(FILE *out, const struct run_data *data, const struct run_summary *summary) {
  struct count all = {0};
  struct junit_count compared = {0};
  struct strings missing = {0};
  struct export_row row = {.data = data, .summary = summary};
  while (export_next(&row))
    count_row(&all, &row);
  for (size_t i = 0; i < data->run_count; i++)
    if (data->runs[i].against != NULL) against_junit_count(data->runs[i].against, &compared);
  find_missing(data, &missing);
  all.rows += compared.tests + missing.count;
  all.kinds[FAILED] += compared.failures;
  all.kinds[BROKEN] += compared.errors + missing.count;
  fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"gpubench\"", out);
  write_counts(out, &all);
  fprintf(out, " time=\"%.3f\">\n", all.seconds);
  const struct run_bench *open = NULL;
  row = (struct export_row){.data = data, .summary = summary};
  while (export_next(&row)) {
    if (row.bench != open && open != NULL) fputs("  </testsuite>\n", out);
    if (row.bench != open) begin_suite(out, &row);
    open = row.bench;
    write_case(out, &row);
  }
  fputs(open != NULL ? "  </testsuite>\n" : "", out);
  write_missing(out, &missing);
  strings_free(&missing);
  write_comparisons(out, data);
  fputs("</testsuites>\n", out);
}

int export_junit(const struct run_data *data, FILE *out, struct err *err) {
  struct run_summary summary;
  summary_build(data, &summary);
  write_suites(out, data, &summary);
  summary_free(&summary);
  return csv_finish(out, "the JUnit XML", err);
}
