/* Tests which start times of nightly runs are possible. */
#include "history/store.h"

#include "unit.h"

static const int64_t now = 1795931200; /* 2026-11-29T05:46:40Z */

static void is_refused(const char *started, const char *word) {
  char why[160] = "";
  if (history_start_is_possible(started, now, why, sizeof why)) UNIT_FAIL("'%s' is possible", started);
  ASSERT_HAS(why, word);
}

static void is_possible(const char *started) {
  char why[160] = "";
  if (!history_start_is_possible(started, now, why, sizeof why)) UNIT_FAIL("'%s': %s", started, why);
}

static void times_up_to_a_day_ahead_are_possible(void) {
  is_possible("2020-01-01T00:00:00Z");
  is_possible("2024-02-29T23:59:59Z");
  is_possible("2026-11-29T05:46:40Z");
  is_possible("2026-11-30T05:46:40Z");
  is_refused("2026-11-30T05:46:41Z", "in the future");
  is_refused("2099-01-01T00:00:00Z", "in the future");
}

static void what_is_no_time_is_refused(void) {
  static const char *const texts[] = {"yesterday",
                                      "2026",
                                      "2026-11-21",
                                      "2026-11-21T07:15Z",
                                      "2026-11-21T07:15:03",
                                      "2026-11-21T07:15:03Z ",
                                      "2026-11-21T07:15:03+01:00",
                                      "2026-11-21 07:15:03Z",
                                      "2026-13-01T00:00:00Z",
                                      "2026-02-30T00:00:00Z",
                                      "2025-02-29T00:00:00Z",
                                      "2026-1-1T0:0:0Z",
                                      "2026-11-21T24:00:00Z",
                                      "2026-11-21T23:59:60Z",
                                      "+2026-11-21T00:00:00Z",
                                      " 2026-01-01T00:00:00Z",
                                      "2026-11-21T07:15:03Z\x1b[31m"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    is_refused(texts[i], "is no time");
  is_refused("", "does not say");
}

static void clocks_that_were_lost_are_refused(void) {
  is_refused("1970-01-01T00:00:05Z", "lost its clock");
  is_refused("2000-01-01T00:00:00Z", "lost its clock");
  is_refused("2019-12-31T23:59:59Z", "lost its clock");
}

UNIT_MAIN("start", UNIT_TEST(times_up_to_a_day_ahead_are_possible), UNIT_TEST(what_is_no_time_is_refused),
          UNIT_TEST(clocks_that_were_lost_are_refused))
