/* Turns rows and comparisons into tests, and writes the tests as JUnit XML and as CTRF. */
#include "export/tests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/escape.h"
#include "base/json.h"
#include "base/memory.h"
#include "compare/compare.h"
#include "export/export.h"
#include "record/csv/csv.h"
#include "summary/bench.h"
#include "summary/marks.h"

struct test_suite *tests_add_suite(struct test_suites *suites, const char *name) {
  suites->suites = xgrow(suites->suites, suites->count, sizeof *suites->suites);
  struct test_suite *suite = &suites->suites[suites->count++];
  *suite = (struct test_suite){.name = xstrdup(name)};
  return suite;
}

struct test *tests_add(struct test_suite *suite, const char *group, const char *name) {
  suite->tests = xgrow(suite->tests, suite->count, sizeof *suite->tests);
  struct test *test = &suite->tests[suite->count++];
  *test = (struct test){.group = xstrdup(group), .name = xstrdup(name), .status = "", .type = ""};
  return test;
}

/* ---- Rows as tests ---- */

static enum test_outcome test_outcome_of(const struct export_row *row) {
  const enum row_status status = row_status_of(row->record);
  switch (status) {
    case ROW_OK:
      return TEST_PASSED;
    case ROW_WRONG:
      return TEST_FAILED;
    case ROW_SKIPPED:
    case ROW_NOT_RUN:
      if (record_required(row->data, row->record)) return TEST_FAILED;
      return status == ROW_SKIPPED || row_left_out(row->record) ? TEST_SKIPPED : TEST_BROKEN;
    case ROW_CRASHED:
    case ROW_TIMEOUT:
    case ROW_ERROR:
    case ROW_UNKNOWN:
    case ROW_STATUS_COUNT:
      break;
  }
  return TEST_BROKEN;
}

/* Returns the seconds spent in timed samples. */
static double timed_seconds(const struct record *record) {
  double s = (double)record->samples * record->mean_ns * 1e-9;
  return row_timed(record) && isfinite(s) && s > 0 ? s : 0;
}

static void add_property(struct test_suite *suite, const char *name, const char *value) {
  if (value != NULL && value[0] != '\0') pairs_add_text(&suite->properties, name, value);
}

static struct test_suite *begin_suite(struct test_suites *suites, const struct export_row *first) {
  char over[TEXT_SIZE];
  const struct record *record = first->record;
  struct test_suite *suite = tests_add_suite(suites, title_bench(first->data, first->summary, first->bench).text);
  suite->timestamp = record->timestamp_utc;
  suite->host = record->host;
  add_property(suite, "run_id", record->run_id);
  add_property(suite, "device", record->device_name);
  add_property(suite, "driver", record->driver);
  add_property(suite, "mode", first->bench->mode);
  baseline_text(first->bench, over, sizeof over);
  add_property(suite, "baseline", over);
  return suite;
}

static void add_row_test(struct test_suite *suite, const struct export_row *row) {
  char name[OUT_NAME_SIZE], sentence[OUT_SENTENCE_SIZE];
  const enum row_status status = row_status_of(row->record);
  const char *message = text_or_empty(row->record->message);
  export_name(row, name, sizeof name);
  export_sentence(row, sentence, sizeof sentence);
  struct test *test = tests_add(suite, text_or_empty(row->record->bench), name);
  test->outcome = test_outcome_of(row);
  const bool required = test->outcome == TEST_FAILED && status != ROW_WRONG;
  test->status = row_status_name(status);
  test->type = !required               ? row_status_words(status)
               : status == ROW_SKIPPED ? "required, but skipped"
                                       : "required, but not run";
  test->message = xstrdup(message[0] != '\0' ? message : row_status_words(status));
  test->text = xstrdup(sentence);
  test->marks = marks_of(row->data, row->point, row->record);
  test->seconds = timed_seconds(row->record);
}

static void add_rows(struct test_suites *suites, const struct run_data *data, const struct run_summary *summary) {
  struct export_row row = {.data = data, .summary = summary};
  const struct run_bench *open = NULL;
  struct test_suite *suite = NULL;
  while (export_next(&row)) {
    if (suite == NULL || row.bench != open) suite = begin_suite(suites, &row);
    open = row.bench;
    add_row_test(suite, &row);
  }
}

/* ---- Plugins and devices without rows ---- */

static void add_missing_test(struct test_suite **suite, struct test_suites *suites, const char *what) {
  if (*suite == NULL) *suite = tests_add_suite(suites, "missing");
  struct test *test = tests_add(*suite, "missing", what);
  test->outcome = TEST_BROKEN;
  test->status = test->type = "missing";
  test->message = xstrdup(what);
  test->text = xstrdup("");
}

/* Adds a broken test for each plugin that could not be loaded and each device that was not measured. Such plugins and
 * devices have no rows, so without these tests their absence would not be noticed. */
static void find_missing(struct test_suites *suites, const struct run_data *data) {
  struct test_suite *suite = NULL;
  for (size_t run = 0; run < data->run_count; run++) {
    const struct run_info *info = &data->runs[run];
    for (size_t i = 0; i < info->environment.count; i++)
      if (strcmp(info->environment.items[i].name, "refused") == 0)
        add_missing_test(&suite, suites, info->environment.items[i].value);
    for (size_t i = 0; i < info->device_count; i++)
      if (info->devices[i].unmeasured)
        add_missing_test(&suite, suites, text_or_empty(pairs_get(&info->devices[i].environment, "device")));
  }
}

/* Returns the outcome of the test that stands for the whole comparison. If some rows could not be judged, the test is
 * broken, or skipped if the user allowed that. If there was nothing to compare, it is broken. */
static enum test_outcome outcome_of_all(const struct against *against) {
  switch (against_verdict(against)) {
    case AGAINST_CLEAR:
      return TEST_PASSED;
    case AGAINST_PARTLY:
    case AGAINST_UNJUDGED:
      return against_fact(against, "allowed")[0] != '\0' ? TEST_SKIPPED : TEST_BROKEN;
    case AGAINST_NOTHING:
      return TEST_BROKEN;
    case AGAINST_SLOWER:
    case AGAINST_INCORRECT:
    case AGAINST_VERDICTS:
      break;
  }
  return TEST_FAILED;
}

static bool is_test(const struct against_row *row) {
  return row->outcome == AGAINST_BOTH || row->outcome == AGAINST_BROKEN || row->gap != GAP_NONE;
}

/* Adds a test to the suite of a comparison and takes ownership of `text`. */
static void add_comparison_test(struct test_suite *suite, const char *name, enum test_outcome outcome, const char *type,
                                char *text) {
  struct test *test = tests_add(suite, "comparison", name);
  test->outcome = outcome;
  test->type = type;
  test->message = xstrdup(text);
  test->text = text;
}

static enum test_outcome outcome_of_against(const struct against_row *row) {
  if (row->outcome == AGAINST_BROKEN || (row->beyond && row->word == VERDICT_SLOWER)) return TEST_FAILED;
  return row->gap != GAP_NONE ? TEST_SKIPPED : TEST_PASSED;
}

static void add_against_row(struct test_suite *suite, const struct against *against, const struct against_row *row) {
  const struct number ratio = number_ratio_within(row->speedup, row->lo, row->hi);
  const struct text word = against_word(against, row);
  const char *gap = gap_name(row->gap);
  SCOPED char *name = memory_print("%s/%s/%s", row->case_key, row->variant, row->mode);
  char *text = memory_print("%s%s%s%s%s%s", ratio.text, ratio.text[0] != '\0' ? ": " : "", word.text,
                            word.text[0] != '\0' && gap[0] != '\0' ? ", " : "", gap,
                            row->outcome == AGAINST_BOTH ? "" : row->note);
  add_comparison_test(suite, name, outcome_of_against(row),
                      row->outcome == AGAINST_BROKEN ? "no longer correct"
                      : row->beyond                  ? "slower"
                                                     : "not judged",
                      text);
}

/* Appends a suite for a comparison; its first test is the verdict. `name` is the name of the run that was compared; ""
 * if only one run was compared. */
static void tests_add_against(struct test_suites *suites, const struct against *against, const char *name) {
  const char *verdict = against_verdict_name(against_verdict(against));
  SCOPED char *title =
      memory_print("%s%sagainst %s", name, name[0] != '\0' ? " " : "", against_fact(against, "run_id"));
  struct test_suite *suite = tests_add_suite(suites, title);
  pairs_add_text(&suite->properties, "verdict", verdict);
  add_comparison_test(suite, "verdict", outcome_of_all(against), verdict, xstrdup(against_fact(against, "sentence")));
  for (size_t i = 0; i < against->count; i++)
    if (is_test(&against->rows[i])) add_against_row(suite, against, &against->rows[i]);
}

/* Makes the suites of a run: one for each bench, one for plugins and devices without rows, and one for each
 * comparison. */
static void tests_of_run(const struct run_data *data, struct test_suites *suites) {
  struct run_summary summary;
  *suites = (struct test_suites){0};
  summary_build(data, &summary);
  add_rows(suites, data, &summary);
  summary_free(&summary);
  find_missing(suites, data);
  for (size_t i = 0; i < data->run_count; i++) {
    if (data->runs[i].against == NULL) continue;
    tests_add_against(suites, data->runs[i].against, data->run_count > 1 ? run_data_run_name(data, i).text : "");
  }
}

/* Adds the suite's tests to the counts. */
static void tests_count(const struct test_suite *suite, struct test_counts *counts) {
  for (size_t i = 0; i < suite->count; i++) {
    counts->outcomes[suite->tests[i].outcome]++;
    counts->all++;
    counts->seconds += suite->tests[i].seconds;
  }
}

static void tests_free(struct test_suites *suites) {
  for (size_t i = 0; i < suites->count; i++) {
    struct test_suite *suite = &suites->suites[i];
    for (size_t j = 0; j < suite->count; j++) {
      free(suite->tests[j].group);
      free(suite->tests[j].name);
      free(suite->tests[j].message);
      free(suite->tests[j].text);
    }
    free(suite->tests);
    free(suite->name);
    pairs_free(&suite->properties);
  }
  free(suites->suites);
  *suites = (struct test_suites){0};
}

/* ---- A comparison as a suite: a test for the overall verdict, and one for each row that must be judged ---- */

/* Makes a suite for each run that is compared. */
static void tests_of_comparison(const struct compare *compare, struct test_suites *suites) {
  *suites = (struct test_suites){0};
  for (size_t i = 0; i < compare->run_count; i++)
    tests_add_against(suites, compare->runs[i].against, compare->run_count > 1 ? compare->runs[i].label : "");
}

/* JUnit XML as Jenkins, GitLab and Azure read it; schema/junit.xsd describes it. Figures are in system-out, because not
 * every reader accepts properties of a test case. */

static void attribute(FILE *out, const char *name, const char *value) {
  fprintf(out, " %s=\"", name);
  xml_print(out, "%s\"", value);
}

static void write_properties(FILE *out, const struct pairs *properties) {
  fputs("    <properties>\n", out);
  for (size_t i = 0; i < properties->count; i++) {
    fputs("      <property", out);
    attribute(out, "name", properties->items[i].name);
    attribute(out, "value", properties->items[i].value);
    fputs("/>\n", out);
  }
  fputs("    </properties>\n", out);
}

static void write_junit_case(FILE *out, const struct test *test) {
  static const char *const elements[] = {
      [TEST_FAILED] = "failure", [TEST_BROKEN] = "error", [TEST_SKIPPED] = "skipped"};
  fputs("    <testcase", out);
  attribute(out, "classname", test->group);
  attribute(out, "name", test->name);
  fprintf(out, " time=\"%.6f\">\n", test->seconds);
  if (test->outcome != TEST_PASSED) {
    fprintf(out, "      <%s", elements[test->outcome]);
    attribute(out, "type", test->type);
    attribute(out, "message", test->message);
    fputs("/>\n", out);
  }
  xml_print(out, "      <system-out>%s</system-out>\n    </testcase>\n", test->text);
}

static void write_junit_counts(FILE *out, const struct test_counts *counts) {
  fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"", counts->all, counts->outcomes[TEST_FAILED],
          counts->outcomes[TEST_BROKEN]);
}

static void write_suite(FILE *out, const struct test_suite *suite) {
  struct test_counts counts = {0};
  tests_count(suite, &counts);
  fputs("  <testsuite", out);
  attribute(out, "name", suite->name);
  write_junit_counts(out, &counts);
  fprintf(out, " skipped=\"%zu\" time=\"%.3f\"", counts.outcomes[TEST_SKIPPED], counts.seconds);
  if (suite->timestamp != NULL) attribute(out, "timestamp", suite->timestamp);
  if (suite->host != NULL) attribute(out, "hostname", suite->host);
  fputs(">\n", out);
  write_properties(out, &suite->properties);
  for (size_t i = 0; i < suite->count; i++)
    write_junit_case(out, &suite->tests[i]);
  fputs("  </testsuite>\n", out);
}

int tests_write_junit(const char *name, struct test_suites *suites, FILE *out, struct err *err) {
  struct test_counts all = {0};
  for (size_t i = 0; i < suites->count; i++)
    tests_count(&suites->suites[i], &all);
  fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites", out);
  attribute(out, "name", name);
  write_junit_counts(out, &all);
  fprintf(out, " time=\"%.3f\">\n", all.seconds);
  for (size_t i = 0; i < suites->count; i++)
    write_suite(out, &suites->suites[i]);
  fputs("</testsuites>\n", out);
  tests_free(suites);
  return output_end(out, "the JUnit XML", err);
}

int export_junit(const struct run_data *data, FILE *out, struct err *err) {
  struct test_suites suites;
  tests_of_run(data, &suites);
  return tests_write_junit("gpubench", &suites, out, err);
}

int compare_junit_write(const struct compare *compare, FILE *out, struct err *err) {
  struct test_suites suites;
  tests_of_comparison(compare, &suites);
  return tests_write_junit("gpubench compare", &suites, out, err);
}

/* CTRF, the Common Test Report Format of ctrf.io: JSON with a flat list of tests. schema/ctrf.schema.json describes
 * it. */

#define SPEC_VERSION "0.0.0" /* the version of the CTRF specification; readers know no other so far */

/* How CTRF names an outcome. A broken test is reported as failed, because only failed tests make a CI step fail; the
 * field rawStatus says which of the two it is. */
static const char *const words[] = {
    [TEST_PASSED] = "passed", [TEST_FAILED] = "failed", [TEST_BROKEN] = "failed", [TEST_SKIPPED] = "skipped"};

/* Converts "2026-11-21T07:15:03Z" to milliseconds since 1970; 0: not known. */
static int64_t milliseconds_of(const char *stamp) {
  struct tm parts = {0};
  const char *end = stamp != NULL ? strptime(stamp, "%Y-%m-%dT%H:%M:%SZ", &parts) : NULL;
  return end != NULL && *end == '\0' ? 1000 * (int64_t)timegm(&parts) : 0;
}

struct span {
  int64_t start, stop;
};

/* Returns when the first run started and when the last one ended, in milliseconds since 1970; 0: not known. */
static struct span span_of(const struct run_data *data) {
  struct span span = {0};
  for (size_t i = 0; i < data->run_count; i++) {
    const struct pairs *environment = &data->runs[i].environment;
    const char *wall = pairs_get(environment, "wall_s");
    const int64_t start = milliseconds_of(pairs_get(environment, "started_utc"));
    const double s = wall != NULL ? strtod(wall, NULL) : 0;
    const int64_t stop = start + (s > 0 && s < 1e9 ? (int64_t)llround(1e3 * s) : 0);
    if (start == 0) continue;
    if (span.start == 0 || start < span.start) span.start = start;
    if (stop > span.stop) span.stop = stop;
  }
  return span;
}

static void write_summary(struct json *json, const struct test_suites *suites, struct span span) {
  struct test_counts all = {0};
  for (size_t i = 0; i < suites->count; i++)
    tests_count(&suites->suites[i], &all);
  json_object(json, "summary");
  json_whole(json, "tests", (int64_t)all.all);
  json_whole(json, "passed", (int64_t)all.outcomes[TEST_PASSED]);
  json_whole(json, "failed", (int64_t)(all.outcomes[TEST_FAILED] + all.outcomes[TEST_BROKEN]));
  json_whole(json, "pending", 0);
  json_whole(json, "skipped", (int64_t)all.outcomes[TEST_SKIPPED]);
  json_whole(json, "other", 0);
  json_whole(json, "suites", (int64_t)suites->count);
  json_whole(json, "start", span.start);
  json_whole(json, "stop", span.stop);
  json_object_end(json);
}

static void write_ctrf_list(struct json *json, const char *key, const char *text) {
  json_array(json, key);
  json_text(json, NULL, text);
  json_array_end(json);
}

static void write_test(struct json *json, const struct test_suite *suite, const struct test *test) {
  json_object(json, NULL);
  json_text(json, "name", test->name[0] != '\0' ? test->name : "(empty)");
  json_text(json, "status", words[test->outcome]);
  json_whole(json, "duration", llround(1e3 * test->seconds));
  write_ctrf_list(json, "suite", suite->name);
  if (test->outcome != TEST_PASSED) json_text(json, "message", test->message);
  if (test->status[0] != '\0') json_text(json, "rawStatus", test->status);
  marks_json(json, "tags", test->marks);
  json_object(json, "labels");
  for (size_t i = 0; i < suite->properties.count; i++)
    json_text(json, suite->properties.items[i].name, suite->properties.items[i].value);
  json_object_end(json);
  if (test->text[0] != '\0') write_ctrf_list(json, "stdout", test->text);
  json_object_end(json);
}

static void write_tests(struct json *json, const struct test_suites *suites) {
  json_rows(json, "tests");
  for (size_t i = 0; i < suites->count; i++)
    for (size_t j = 0; j < suites->suites[i].count; j++)
      write_test(json, &suites->suites[i], &suites->suites[i].tests[j]);
  json_array_end(json);
}

static int write_ctrf(FILE *out, struct test_suites *suites, const struct run_data *data, struct err *err) {
  const char *version = run_data_get(data, "gpubench_version"); /* the version of gpubench that measured the run */
  struct json json;
  json_begin(&json, out);
  json_object(&json, NULL);
  json_text(&json, "reportFormat", "CTRF");
  json_text(&json, "specVersion", SPEC_VERSION);
  json_text(&json, "generatedBy", "gpubench");
  json_object(&json, "results");
  json_object(&json, "tool");
  json_text(&json, "name", "gpubench");
  if (version != NULL) json_text(&json, "version", version);
  json_object_end(&json);
  write_summary(&json, suites, span_of(data));
  write_tests(&json, suites);
  json_object_end(&json);
  json_object_end(&json);
  tests_free(suites);
  return json_end(&json) == 0 ? 0 : err_set(err, EXIT_FAILED, "cannot write the CTRF");
}

int export_ctrf(const struct run_data *data, FILE *out, struct err *err) {
  struct test_suites suites;
  tests_of_run(data, &suites);
  return write_ctrf(out, &suites, data, err);
}

int compare_ctrf_write(const struct compare *compare, FILE *out, struct err *err) {
  struct test_suites suites;
  tests_of_comparison(compare, &suites);
  return write_ctrf(out, &suites, compare->runs[compare->run_count - 1].data, err);
}
