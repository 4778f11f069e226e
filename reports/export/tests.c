/* Rows as tests. */
#include "export/tests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compare/against.h"
#include "export/rows.h"
#include "summary/baseline.h"
#include "summary/marks.h"
#include "summary/title.h"

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

/* ---- Rows ---- */

static enum test_outcome outcome_of(const struct export_row *row) {
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

/* Seconds that were timed. */
static double seconds(const struct record *record) {
  double s = (double)record->samples * record->mean_ns * 1e-9;
  return row_timed(record) && isfinite(s) && s > 0 ? s : 0;
}

static void add_property(struct test_suite *suite, const char *name, const char *value) {
  if (value != NULL && value[0] != '\0') pairs_add_text(&suite->properties, name, value);
}

static struct test_suite *begin_suite(struct test_suites *suites, const struct export_row *first) {
  char title[KEY_SIZE], over[TEXT_SIZE];
  const struct record *record = first->record;
  title_bench(first->data, first->summary, first->bench, title, sizeof title);
  struct test_suite *suite = tests_add_suite(suites, title);
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

static void add_row(struct test_suite *suite, const struct export_row *row) {
  char name[OUT_NAME_SIZE], sentence[OUT_SENTENCE_SIZE];
  const enum row_status status = row_status_of(row->record);
  const char *message = text_or_empty(row->record->message);
  export_name(row, name, sizeof name);
  export_sentence(row, sentence, sizeof sentence);
  struct test *test = tests_add(suite, text_or_empty(row->record->bench), name);
  test->outcome = outcome_of(row);
  const bool required = test->outcome == TEST_FAILED && status != ROW_WRONG;
  test->status = row_status_name(status);
  test->type = !required               ? row_status_words(status)
               : status == ROW_SKIPPED ? "required, but skipped"
                                       : "required, but not run";
  test->message = xstrdup(message[0] != '\0' ? message : row_status_words(status));
  test->text = xstrdup(sentence);
  test->marks = marks_of(row->data, row->point, row->record);
  test->seconds = seconds(row->record);
}

static void add_rows(struct test_suites *suites, const struct run_data *data, const struct run_summary *summary) {
  struct export_row row = {.data = data, .summary = summary};
  const struct run_bench *open = NULL;
  struct test_suite *suite = NULL;
  while (export_next(&row)) {
    if (suite == NULL || row.bench != open) suite = begin_suite(suites, &row);
    open = row.bench;
    add_row(suite, &row);
  }
}

/* ---- What has no rows ---- */

static void add_missing(struct test_suite **suite, struct test_suites *suites, const char *what) {
  if (*suite == NULL) *suite = tests_add_suite(suites, "missing");
  struct test *test = tests_add(*suite, "missing", what);
  test->outcome = TEST_BROKEN;
  test->status = test->type = "missing";
  test->message = xstrdup(what);
  test->text = xstrdup("");
}

/* Plugins that could not be loaded and devices that were not measured: whose rows are not there nobody would miss. */
static void find_missing(struct test_suites *suites, const struct run_data *data) {
  struct test_suite *suite = NULL;
  for (size_t run = 0; run < data->run_count; run++) {
    const struct run_info *info = &data->runs[run];
    for (size_t i = 0; i < info->environment.count; i++)
      if (strcmp(info->environment.items[i].name, "refused") == 0)
        add_missing(&suite, suites, info->environment.items[i].value);
    for (size_t i = 0; i < info->device_count; i++)
      if (info->devices[i].unmeasured)
        add_missing(&suite, suites, text_or_empty(pairs_get(&info->devices[i].environment, "device")));
  }
}

void tests_of_run(const struct run_data *data, struct test_suites *suites) {
  struct run_summary summary;
  char name[TEXT_SIZE];
  *suites = (struct test_suites){0};
  summary_build(data, &summary);
  add_rows(suites, data, &summary);
  summary_free(&summary);
  find_missing(suites, data);
  for (size_t i = 0; i < data->run_count; i++) {
    if (data->runs[i].against == NULL) continue;
    run_data_run_name(data, i, name, sizeof name);
    tests_add_against(suites, data->runs[i].against, data->run_count > 1 ? name : "");
  }
}

void tests_count(const struct test_suite *suite, struct test_counts *counts) {
  for (size_t i = 0; i < suite->count; i++) {
    counts->outcomes[suite->tests[i].outcome]++;
    counts->all++;
    counts->seconds += suite->tests[i].seconds;
  }
}

void tests_free(struct test_suites *suites) {
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
