/* CTRF, the common test report format of ctrf.io: JSON with a flat list of tests. schema/ctrf.schema.json describes
 * what is written. */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "base/json.h"
#include "export/compare.h"
#include "export/rows.h"
#include "export/tests.h"
#include "summary/marks.h"

#define SPEC_VERSION "0.0.0" /* readers know no other yet */

/* What broke is a failure, too: nothing else fails a step there. `status` keeps which it was. */
static const char *const words[] = {
    [TEST_PASSED] = "passed", [TEST_FAILED] = "failed", [TEST_BROKEN] = "failed", [TEST_SKIPPED] = "skipped"};

/* Milliseconds since 1970 of "2026-11-21T07:15:03Z"; 0: not known. */
static int64_t milliseconds_of(const char *stamp) {
  struct tm parts = {0};
  const char *end = stamp != NULL ? strptime(stamp, "%Y-%m-%dT%H:%M:%SZ", &parts) : NULL;
  return end != NULL && *end == '\0' ? 1000 * (int64_t)timegm(&parts) : 0;
}

struct span {
  int64_t start, stop;
};

/* From the begin of the first run to the end of the last. */
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

static void write_list(struct json *json, const char *key, const char *text) {
  json_array(json, key);
  json_text(json, NULL, text);
  json_array_end(json);
}

static void write_marks(struct json *json, unsigned marks) {
  json_array(json, "tags");
  for (unsigned i = 0; i < MARK_COUNT; i++)
    if (marks >> i & 1) json_text(json, NULL, mark_word(i));
  json_array_end(json);
}

static void write_labels(struct json *json, const struct pairs *properties) {
  json_object(json, "labels");
  for (size_t i = 0; i < properties->count; i++)
    json_text(json, properties->items[i].name, properties->items[i].value);
  json_object_end(json);
}

static void write_test(struct json *json, const struct test_suite *suite, const struct test *test) {
  json_object(json, NULL);
  json_text(json, "name", test->name[0] != '\0' ? test->name : "(empty)");
  json_text(json, "status", words[test->outcome]);
  json_whole(json, "duration", llround(1e3 * test->seconds));
  write_list(json, "suite", suite->name);
  if (test->outcome != TEST_PASSED) json_text(json, "message", test->message);
  if (test->status[0] != '\0') json_text(json, "rawStatus", test->status);
  write_marks(json, test->marks);
  write_labels(json, &suite->properties);
  if (test->text[0] != '\0') write_list(json, "stdout", test->text);
  json_object_end(json);
}

static void write_tests(struct json *json, const struct test_suites *suites) {
  json_array(json, "tests");
  json_flatten(json);
  for (size_t i = 0; i < suites->count; i++)
    for (size_t j = 0; j < suites->suites[i].count; j++)
      write_test(json, &suites->suites[i], &suites->suites[i].tests[j]);
  json_array_end(json);
}

static int write_ctrf(FILE *out, struct test_suites *suites, const struct run_data *data, struct err *err) {
  const char *version = run_data_get(data, "gpubench_version"); /* that measured */
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
