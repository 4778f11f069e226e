/* Assertions for CUnit that print the compared values when they fail, and a main() for a test executable. A test file
 * ends in UNIT_MAIN("axis", UNIT_TEST(expands_lists), UNIT_TEST(rejects_nonsense)). The exit status comes from the
 * failure records, because CU_basic_run_tests() returns 0 when tests fail and a failed suite init counts no failure.
 * Running no test is a failure. */
#ifndef UNIT_H
#define UNIT_H

#include <CUnit/Basic.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* CU_PASS expands to a block, which an `else` cannot follow. */
#define UNIT_PASS() CU_assertImplementation(CU_TRUE, __LINE__, "", __FILE__, "", CU_FALSE)

#define UNIT_FAIL(...)                                                              \
  do {                                                                              \
    char unit_text[4096];                                                           \
    snprintf(unit_text, sizeof unit_text, __VA_ARGS__);                             \
    CU_assertImplementation(CU_FALSE, __LINE__, unit_text, __FILE__, "", CU_FALSE); \
  } while (0)

#define ASSERT_TRUE(condition)            \
  do {                                    \
    if (condition)                        \
      UNIT_PASS();                        \
    else                                  \
      UNIT_FAIL("false: %s", #condition); \
  } while (0)

#define ASSERT_EQ_INT(actual, expected)                                     \
  do {                                                                      \
    long long unit_a = (long long)(actual), unit_e = (long long)(expected); \
    if (unit_a == unit_e)                                                   \
      UNIT_PASS();                                                          \
    else                                                                    \
      UNIT_FAIL("%s is %lld, expected %lld", #actual, unit_a, unit_e);      \
  } while (0)

#define ASSERT_NEAR(actual, expected, tolerance)                                                    \
  do {                                                                                              \
    double unit_a = (actual), unit_e = (expected);                                                  \
    if (fabs(unit_a - unit_e) <= (tolerance))                                                       \
      UNIT_PASS();                                                                                  \
    else                                                                                            \
      UNIT_FAIL("%s is %.17g, expected %.17g +- %g", #actual, unit_a, unit_e, (double)(tolerance)); \
  } while (0)

#define ASSERT_EQ_STR(actual, expected)                                          \
  do {                                                                           \
    const char *unit_a = (actual), *unit_e = (expected);                         \
    if (strcmp(unit_a, unit_e) == 0)                                             \
      UNIT_PASS();                                                               \
    else                                                                         \
      UNIT_FAIL("%s is '%.1900s', expected '%.1900s'", #actual, unit_a, unit_e); \
  } while (0)

#define ASSERT_HAS(text, part)                                                    \
  do {                                                                            \
    const char *unit_a = (text), *unit_e = (part);                                \
    if (strstr(unit_a, unit_e) != NULL)                                           \
      UNIT_PASS();                                                                \
    else                                                                          \
      UNIT_FAIL("%s is '%.1900s', which lacks '%.1900s'", #text, unit_a, unit_e); \
  } while (0)

struct unit_test {
  const char *name;
  CU_TestFunc function;
};

static inline int unit_run(const char *suite_name, const struct unit_test *tests, size_t count) {
  if (CU_initialize_registry() != CUE_SUCCESS) return 1;
  CU_pSuite suite = CU_add_suite(suite_name, NULL, NULL);
  for (size_t i = 0; i < count; i++)
    if (suite == NULL || CU_add_test(suite, tests[i].name, tests[i].function) == NULL) return 1;
  CU_basic_set_mode(CU_BRM_VERBOSE);
  CU_basic_run_tests();
  int failed = CU_get_number_of_failure_records() != 0 || CU_get_number_of_tests_run() == 0;
  CU_cleanup_registry();
  return failed;
}

#define UNIT_TEST(function) \
  { #function, function }
#define UNIT_MAIN(suite_name, ...)                                      \
  int main(void) {                                                      \
    static const struct unit_test tests[] = {__VA_ARGS__};              \
    return unit_run(suite_name, tests, sizeof tests / sizeof tests[0]); \
  }

#endif
