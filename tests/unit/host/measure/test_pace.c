/* Tests cooldowns (pauses between slots for devices near their power limit): for which devices they are made, when they
 * start, and how long they are. */
#include "measure/pace.h"

#include <math.h>

#include "base/clock.h"
#include "unit.h"

static const struct pace paced = {.on = true, .limit_w = 700};

/* Runs slots of `ns` nanoseconds at this power, each after its cooldown. Returns how long that took. */
static double rested(struct pace *pace, int slots, int64_t ns, double power_w) {
  const int64_t began = clock_now_ns();
  for (int i = 0; i < slots; i++) {
    pace_rest(pace, true);
    const int64_t start = clock_now_ns();
    while (clock_now_ns() - start < ns) {
    }
    pace_worked(pace, ns, power_w);
  }
  return (double)(clock_now_ns() - began) * 1e-9;
}

static void who_draws_little_does_not_rest(void) {
  struct pace pace = paced;
  rested(&pace, 100, 100000, 620);
  ASSERT_NEAR(pace.cooldown, 0, 0);
  rested(&pace, 100, 100000, NAN);
  ASSERT_NEAR(pace.cooldown, 0, 0);
}

static void who_comes_near_the_limit_rests_from_then_on(void) {
  struct pace pace = paced;
  rested(&pace, 5, 100000, 400);
  rested(&pace, 2, 100000, 640);
  ASSERT_NEAR(pace.cooldown, 4, 0);
  rested(&pace, 200, 100000, 400);
  ASSERT_NEAR(pace.cooldown, 4, 0);
}

/* The cooldown before a slot is four times as long as the work before it. Time in which the device was idle anyway is
 * subtracted. */
static void a_rest_is_four_times_as_long_as_the_work(void) {
  struct pace pace = paced;
  rested(&pace, 2, 100000, 690);
  ASSERT_TRUE(rested(&pace, 11, 2000000, 400) > 0.102);
}

/* Work before the case leads to no cooldown: the driver samples power at intervals, so its first readings belong to
 * that work. */
static void what_ran_before_asks_for_no_rest(void) {
  struct pace pace;
  pace_begin(&pace, true, 700, 0);
  rested(&pace, 5, 100000, 690);
  ASSERT_NEAR(pace.cooldown, 0, 0);
  rested(&pace, 5, 100000, 240);
  ASSERT_NEAR(pace.cooldown, 0, 0);
  pace.begun_ns -= INT64_C(200000000);
  rested(&pace, 2, 100000, 690);
  ASSERT_NEAR(pace.cooldown, 4, 0);
}

/* Slots timed without a cooldown must be repeated, which is reported once, and never if cooldowns are not allowed. */
static void a_rest_is_said_once_and_never_against_its_will(void) {
  struct pace pace = paced;
  ASSERT_TRUE(!pace_rest(&pace, true));
  pace_worked(&pace, 100000, 690);
  ASSERT_TRUE(!pace_rest(&pace, false));
  ASSERT_NEAR(pace.cooldown, 0, 0);
  ASSERT_TRUE(pace_rest(&pace, true));
  ASSERT_TRUE(!pace_rest(&pace, true));
  ASSERT_NEAR(pace.cooldown, 4, 0);
}

static void work_of_a_second_rests_a_tenth(void) {
  struct pace pace = paced;
  rested(&pace, 2, 100000, 690);
  pace_worked(&pace, INT64_C(1000000000), 690);
  const int64_t before = clock_now_ns();
  pace.rested_ns = before - INT64_C(1000000000);
  pace_rest(&pace, true);
  ASSERT_TRUE((double)(clock_now_ns() - before) * 1e-9 > 0.099);
  ASSERT_NEAR(pace.worked_s, 0, 0);
}

/* A process starts with the cooldown that an earlier one needed, even if power is below the limit at first. */
static void what_was_needed_before_is_there_from_the_start(void) {
  struct pace pace;
  pace_begin(&pace, true, 700, 2);
  ASSERT_TRUE(!pace_rest(&pace, true));
  ASSERT_NEAR(pace.cooldown, 4, 0);
  pace_begin(&pace, true, 700, 2);
  ASSERT_NEAR(pace.cooldown, 4, 0);
  pace_begin(&pace, true, 700, 0);
  ASSERT_NEAR(pace.cooldown, 0, 0);
  pace_begin(&pace, false, 700, 2);
  ASSERT_NEAR(pace.cooldown, 0, 0);
}

static void others_do_not_rest(void) {
  struct pace off = {.limit_w = 700}, unlimited = {.on = true, .limit_w = NAN};
  rested(&off, 10, 100000, 690);
  ASSERT_NEAR(off.cooldown, 0, 0);
  rested(&unlimited, 10, 100000, 690);
  ASSERT_NEAR(unlimited.cooldown, 0, 0);
}

UNIT_MAIN("pace", UNIT_TEST(what_ran_before_asks_for_no_rest), UNIT_TEST(who_draws_little_does_not_rest),
          UNIT_TEST(who_comes_near_the_limit_rests_from_then_on), UNIT_TEST(a_rest_is_four_times_as_long_as_the_work),
          UNIT_TEST(work_of_a_second_rests_a_tenth), UNIT_TEST(a_rest_is_said_once_and_never_against_its_will),
          UNIT_TEST(what_was_needed_before_is_there_from_the_start), UNIT_TEST(others_do_not_rest))
