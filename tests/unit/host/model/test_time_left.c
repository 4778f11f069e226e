/* Tests the division of a run's time among its cases. Each case has a promised time, which the plan foresees for it,
 * and a minimum. */
#include "model/time_left.h"

#include <math.h>

#include "unit.h"

static void busy_machines_get_more(void) {
  ASSERT_TRUE(time_busy(1, 7, 2) == 1); /* the machine was busy, but is not any more */
  ASSERT_TRUE(fabs(time_busy(0.4, 0, 2) - 2.5) < 1e-9);
  ASSERT_TRUE(fabs(time_busy(0.4, NAN, 2) - 2.5) < 1e-9);
  ASSERT_TRUE(fabs(time_busy(0.5, 4, 2) - 3) < 1e-9);
  ASSERT_TRUE(time_busy(0.01, 100, 2) == 4);
}

/* Runs equal cases one after another, each for its part or for `needs_s` if that is longer. Returns the time that is
 * left for the last one. */
static double last_part(double limit_s, int cases, double promised_s, double least_s, double needs_s) {
  double left_s = limit_s, part_s = 0;
  for (int i = 0; i < cases; i++) {
    const struct time_left t = {left_s, promised_s, promised_s * (cases - i - 1), least_s, least_s * (cases - i - 1),
                                1,      0};
    part_s = time_part_s(&t);
    left_s -= fmax(part_s, needs_s);
  }
  return left_s + part_s;
}

static void later_rows_keep_what_they_need(void) {
  ASSERT_TRUE(last_part(40, 12, 1.7, 1, 1) >= 1); /* enough time for all */
  ASSERT_TRUE(last_part(14, 12, 1.7, 1, 1) >= 1); /* hardly more than 12 times the minimum of 1 s */
  /* the cases need slightly more than the minimum; the last one still gets its time */
  ASSERT_TRUE(last_part(14, 12, 1.7, 1, 1.1) >= 1);
}

static void nobody_takes_what_is_promised_to_others(void) {
  const struct time_left alone = {10, 2, 0, 1, 0, 1, 0}, first = {10, 2, 4, 1, 2, 1, 0}, slow = {10, 2, 4, 1, 2, 2, 0};
  ASSERT_TRUE(time_part_s(&alone) == 8);
  ASSERT_TRUE(time_part_s(&first) == 4); /* its promised 2 s, and half of the 4 s that no case was promised */
  ASSERT_TRUE(time_part_s(&slow) < 3);   /* if all cases take twice their promised time, no time is left over */
  /* the user asked for 100 s (--case-time): the case gets everything except what the other cases need */
  const struct time_left greedy = {10, 100, 6, 1, 6, 1, 0};
  ASSERT_TRUE(time_part_s(&greedy) < 4);
  const struct time_left kept = {13, 2, 4, 1, 2, 1, 3}; /* the same as `first`, but with 3 s more, which are reserved */
  ASSERT_TRUE(time_part_s(&kept) == time_part_s(&first));
  const struct time_left over = {0, 2, 4, 1, 2, 1, 0}, none = {5, 0, 0, 0, 0, 1, 0};
  ASSERT_TRUE(time_part_s(&over) <= 0);
  ASSERT_TRUE(time_part_s(&none) == 2.5);
}

static void a_long_case_leaves_others_what_they_are_promised(void) {
  const struct time_left first = {20, 2, 6, 1, 3, 1, 0}, slow = {20, 2, 6, 1, 3, 4, 0}, last = {5, 2, 0, 1, 0, 4, 0};
  ASSERT_TRUE(time_last_s(&first) == 14);
  ASSERT_TRUE(time_last_s(&slow) == 8); /* keeps 12 s: later cases need 3 s, and work takes 4 times as long */
  ASSERT_TRUE(time_last_s(&last) == 5); /* no case follows */
  const struct time_left scarce = {4, 2, 6, 1, 3, 4, 0}, greedy = {20, 600, 600, 1, 1, 1, 0};
  ASSERT_TRUE(time_last_s(&scarce) == 1); /* its share */
  ASSERT_TRUE(time_last_s(&greedy) == 10);
  const struct time_left over = {-1, 2, 6, 1, 3, 1, 0}, none = {5, 0, 0, 0, 0, 1, 0};
  ASSERT_TRUE(time_last_s(&over) <= 0);
  ASSERT_TRUE(time_last_s(&none) == 5);
}

static void the_longest_are_left_out(void) {
  const double needs_s[] = {0.001, 20, 0.002, 30}, one[] = {20};
  const bool none[4] = {false};
  bool out[4];
  time_leave_out(needs_s, none, 4, 60, true, out);
  ASSERT_TRUE(!out[0] && !out[1] && !out[2] && !out[3]);
  time_leave_out(needs_s, none, 4, 25, true, out);
  ASSERT_TRUE(!out[0] && !out[1] && !out[2] && out[3]);
  /* there is no time for all cases, so the two long ones are left out */
  time_leave_out(needs_s, none, 4, 5, false, out);
  ASSERT_TRUE(!out[0] && out[1] && !out[2] && out[3]);
  time_leave_out(one, none, 1, 7, false, out);
  ASSERT_TRUE(!out[0]); /* no other case would use the time */
  time_leave_out(one, none, 1, 5, false, out);
  ASSERT_TRUE(out[0]); /* too little time to measure anything */
  time_leave_out(one, none, 1, 7, true, out);
  ASSERT_TRUE(out[0]);
}

static void what_others_are_divided_by_stays(void) {
  const double needs_s[] = {10, 5, 1, 1, 0}, two[] = {10, 1}, long_one[] = {30, 1};
  const bool bases[] = {true, false, false, false, false}, both[] = {true, true, false, false, false};
  bool out[5];
  time_leave_out(needs_s, bases, 5, 12.5, true, out);
  ASSERT_TRUE(!out[0] && out[1] && !out[2] && !out[3]);
  /* variant 0 is the baseline. With it only one of the three others would fit, so it is left out and these are kept */
  time_leave_out(needs_s, bases, 5, 11.5, true, out);
  ASSERT_TRUE(out[0] && !out[1] && !out[2] && !out[3]);
  time_leave_out(needs_s, both, 5, 16.5, true, out);
  ASSERT_TRUE(!out[0] && !out[1] && out[2] + out[3] == 1);
  time_leave_out(two, bases, 2, 10, true, out);
  ASSERT_TRUE(out[0] && !out[1]);
  time_leave_out(long_one, bases, 2, 11, false, out);
  ASSERT_TRUE(out[0] && !out[1]);
}

UNIT_MAIN("time_left", UNIT_TEST(what_others_are_divided_by_stays), UNIT_TEST(the_longest_are_left_out),
          UNIT_TEST(busy_machines_get_more), UNIT_TEST(later_rows_keep_what_they_need),
          UNIT_TEST(nobody_takes_what_is_promised_to_others),
          UNIT_TEST(a_long_case_leaves_others_what_they_are_promised))
