/* Represents a run or a comparison as test frameworks do: as suites of tests, each of which passed, failed, was broken
 * or was skipped. JUnit XML and CTRF are written from it. */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "base/pairs.h"

enum test_outcome { TEST_PASSED, TEST_FAILED, TEST_BROKEN, TEST_SKIPPED, TEST_OUTCOMES };

struct test {
  enum test_outcome outcome;
  char *group, *name;
  const char *status;   /* status of the row: "ok", "crashed" */
  const char *type;     /* a short reason why the test did not pass */
  char *message, *text; /* message: the reason as a sentence; text: the row's figures */
  unsigned marks;       /* the row's marks, as bits 1 << enum mark */
  double seconds;       /* time spent in timed samples */
};

struct test_suite {
  char *name;
  const char *timestamp, *host; /* NULL: not known */
  struct pairs properties;
  struct test *tests;
  size_t count;
};

struct test_suites {
  struct test_suite *suites;
  size_t count;
};

struct test_counts {
  size_t outcomes[TEST_OUTCOMES], all;
  double seconds;
};

/* Writes the suites as JUnit XML and frees them. */
int tests_write_junit(const char *name, struct test_suites *suites, FILE *out, struct err *err);

/* Appends an empty suite. */
struct test_suite *tests_add_suite(struct test_suites *suites, const char *name);
/* Appends a test to the suite. Group and name are copied; all else is zero or empty. */
struct test *tests_add(struct test_suite *suite, const char *group, const char *name);
