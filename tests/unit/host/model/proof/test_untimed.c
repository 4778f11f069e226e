/* Tests the estimate of untimed work (what the threads of a variant do before its calls) from the calls that were
 * examined. */
#include "model/proof/untimed.h"

#include "unit.h"

static const double ms = 1e6;

static void never_looked_at_is_not_known(void) {
  const struct untimed_times none = {.count = 0};
  ASSERT_TRUE(isnan(untimed_ahead_ns(&none)));
}

static void most_slots_count(void) {
  struct untimed_times times = {.count = 0};
  untimed_add(&times, 3 * ms, 2);
  ASSERT_NEAR(untimed_ahead_ns(&times), 3 * ms, 0);
  untimed_add(&times, 0, 2); /* the estimate is 0, because half of the slots have no work before the call */
  ASSERT_NEAR(untimed_ahead_ns(&times), 0, 0);
  untimed_add(&times, 2 * ms, 2);
  ASSERT_NEAR(untimed_ahead_ns(&times), 2 * ms, 0);
}

/* Every second one of the first slots is examined, later only one in twenty. So a result counts for 2 or for 20
 * slots. */
static void honest_at_first_is_no_excuse(void) {
  struct untimed_times times = {.count = 0};
  untimed_add(&times, 0, 2);
  untimed_add(&times, 0, 2);
  untimed_add(&times, 2 * ms, 20);
  ASSERT_NEAR(untimed_ahead_ns(&times), 2 * ms, 0);
  untimed_add(&times, 0, 20); /* one slot with work, which may be a disturbance, does not raise the estimate */
  ASSERT_NEAR(untimed_ahead_ns(&times), 0, 0);
}

static void waiting_is_no_work(void) {
  struct untimed_times times = {.count = 0};
  untimed_add(&times, 8e3, 1);
  ASSERT_NEAR(untimed_ahead_ns(&times), 0, 0);
}

static void looks_are_joined(void) {
  struct untimed_times all = {.count = 0}, look = {.count = 0};
  untimed_add(&look, 0, 2);
  untimed_join(&all, &look);
  untimed_add(&look, ms, 9);
  untimed_join(&all, &look);
  ASSERT_EQ_INT(all.count, 3);
  ASSERT_NEAR(untimed_ahead_ns(&all), ms, 0);
  for (int i = 0; i < 2 * UNTIMED_MOST; i++)
    untimed_add(&all, 5 * ms, 1);
  ASSERT_EQ_INT(all.count, UNTIMED_MOST);
}

UNIT_MAIN("untimed", UNIT_TEST(never_looked_at_is_not_known), UNIT_TEST(most_slots_count),
          UNIT_TEST(honest_at_first_is_no_excuse), UNIT_TEST(waiting_is_no_work), UNIT_TEST(looks_are_joined))
