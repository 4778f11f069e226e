/* A run or a comparison as test frameworks see it: suites of tests that pass, fail, break or are skipped. What JUnit
 * XML and CTRF share. */
#ifndef EXPORT_TESTS_H
#define EXPORT_TESTS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/pairs.h"

enum test_outcome { TEST_PASSED, TEST_FAILED, TEST_BROKEN, TEST_SKIPPED, TEST_OUTCOMES };

struct test {
  enum test_outcome outcome;
  char *group, *name;
  const char *status;   /* of its row: "ok", "crashed" */
  const char *type;     /* why it did not pass, in a word */
  char *message, *text; /* why, in a sentence; its figures */
  unsigned marks;       /* bits 1 << enum mark */
  double seconds;       /* that were timed */
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

/* As JUnit XML has them; frees them. */
int tests_write_junit(const char *name, struct test_suites *suites, FILE *out, struct err *err);

/* One more suite, its verdict first. `name`: the run that was compared; empty where there is
 * one. */
struct test_suite *tests_add_suite(struct test_suites *suites, const char *name);
/* The suite's next, zeroed but for texts of these. */
struct test *tests_add(struct test_suite *suite, const char *group, const char *name);

#endif
