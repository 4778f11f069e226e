/* JUnit XML as Jenkins, GitLab and Azure read it; schema/junit.xsd describes it. The figures stand in system-out, as
 * not every reader allows a case to have properties. */
#include "base/escape.h"
#include "export/compare.h"
#include "export/rows.h"
#include "export/tests.h"
#include "record/csv.h"

static void attribute(FILE *out, const char *name, const char *value) {
  fprintf(out, " %s=\"", name);
  escape_xml(out, value);
  fputc('"', out);
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

static void write_test(FILE *out, const struct test *test) {
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
  fputs("      <system-out>", out);
  escape_xml(out, test->text);
  fputs("</system-out>\n    </testcase>\n", out);
}

static void write_counts(FILE *out, const struct test_counts *counts) {
  fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"", counts->all, counts->outcomes[TEST_FAILED],
          counts->outcomes[TEST_BROKEN]);
}

static void write_suite(FILE *out, const struct test_suite *suite) {
  struct test_counts counts = {0};
  tests_count(suite, &counts);
  fputs("  <testsuite", out);
  attribute(out, "name", suite->name);
  write_counts(out, &counts);
  fprintf(out, " skipped=\"%zu\" time=\"%.3f\"", counts.outcomes[TEST_SKIPPED], counts.seconds);
  if (suite->timestamp != NULL) attribute(out, "timestamp", suite->timestamp);
  if (suite->host != NULL) attribute(out, "hostname", suite->host);
  fputs(">\n", out);
  write_properties(out, &suite->properties);
  for (size_t i = 0; i < suite->count; i++)
    write_test(out, &suite->tests[i]);
  fputs("  </testsuite>\n", out);
}

int tests_write_junit(const char *name, struct test_suites *suites, FILE *out, struct err *err) {
  struct test_counts all = {0};
  for (size_t i = 0; i < suites->count; i++)
    tests_count(&suites->suites[i], &all);
  fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites", out);
  attribute(out, "name", name);
  write_counts(out, &all);
  fprintf(out, " time=\"%.3f\">\n", all.seconds);
  for (size_t i = 0; i < suites->count; i++)
    write_suite(out, &suites->suites[i]);
  fputs("</testsuites>\n", out);
  tests_free(suites);
  return csv_finish(out, "the JUnit XML", err);
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
