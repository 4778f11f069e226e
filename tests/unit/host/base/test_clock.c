/* Tests that the clock advances in nanoseconds, and the format of dates. */
#include "base/clock.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "unit.h"

static void it_goes_on(void) {
  const struct timespec pause = {0, 2000000};
  int64_t before = clock_now_ns();
  ASSERT_TRUE(before > 0);
  ASSERT_TRUE(clock_now_ns() >= before);
  nanosleep(&pause, NULL);
  int64_t gone = clock_now_ns() - before;
  ASSERT_TRUE(gone >= 2000000 && gone < INT64_C(60000000000));
}

static void dates_are_given(void) {
  static const char *const nonsense[] = {
      "", "x", "-1", "1.5", "17e8", " 1", "99999999999999999999", "9999999999999999"};
  struct err err = {0};
  unsetenv("SOURCE_DATE_EPOCH");
  ASSERT_EQ_INT(clock_check(&err), 0);
  ASSERT_TRUE(strcmp(clock_date(CLOCK_DATE).text, "2026-01-01") > 0);
  setenv("SOURCE_DATE_EPOCH", "1763709303", 1);
  ASSERT_EQ_INT(clock_check(&err), 0);
  ASSERT_EQ_STR(clock_date(CLOCK_DATE).text, "2025-11-21T07:15:03Z");
  for (size_t i = 0; i < sizeof nonsense / sizeof nonsense[0]; i++) {
    err = (struct err){0};
    setenv("SOURCE_DATE_EPOCH", nonsense[i], 1);
    ASSERT_EQ_INT(clock_check(&err), -1);
    ASSERT_EQ_INT(err.exit_code, EXIT_USAGE);
    ASSERT_HAS(err.text, "is not a number of seconds since 1970");
  }
  unsetenv("SOURCE_DATE_EPOCH");
}

UNIT_MAIN("clock", UNIT_TEST(it_goes_on), UNIT_TEST(dates_are_given))
