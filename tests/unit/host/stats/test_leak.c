/* Slopes of memory over calls: what leaks, what only looks like it. */
#include "stats/leak.h"

#include <math.h>

#include "unit.h"

static void steady_growth_is_a_slope(void) {
  struct leak leak = {0};
  leak_begin(&leak, 1000000);
  for (uint64_t i = 1; i <= 40; i++)
    leak_note(&leak, 50, 1000000 + 50 * 256 * i);
  ASSERT_NEAR(leak_slope(&leak), 256, 1e-9);
  ASSERT_NEAR(leak.total_calls, 2000, 0);
}

static void one_step_is_none(void) {
  struct leak leak = {0};
  leak_begin(&leak, 5000);
  for (int i = 0; i < 60; i++)
    leak_note(&leak, 10, i < 5 ? 5000 : 64000000);
  ASSERT_NEAR(leak_slope(&leak), 0, 1e-9);
}

static void what_others_allocate_does_not_count(void) {
  struct leak leak = {0};
  for (uint64_t stretch = 0; stretch < 5; stretch++) {
    const uint64_t base = 1000 + stretch * 50000000; /* grown between the stretches */
    leak_begin(&leak, base);
    for (uint64_t i = 1; i <= 10; i++)
      leak_note(&leak, 100, base + 100 * i);
  }
  ASSERT_NEAR(leak_slope(&leak), 1, 1e-9);
}

static void many_notes_are_thinned(void) {
  struct leak leak = {0};
  leak_begin(&leak, 0);
  for (uint64_t i = 1; i <= 100000; i++)
    leak_note(&leak, 1, 3 * i);
  ASSERT_TRUE(leak.count <= LEAK_POINTS && leak.count >= LEAK_POINTS / 2);
  ASSERT_NEAR(leak_slope(&leak), 3, 1e-9);
  ASSERT_TRUE(leak.calls[leak.count - 1] > 90000);
}

static void few_notes_say_nothing(void) {
  struct leak leak = {0};
  leak_begin(&leak, 0);
  for (uint64_t i = 1; i <= 7; i++)
    leak_note(&leak, 1, i << 20);
  ASSERT_TRUE(isnan(leak_slope(&leak)));
}

UNIT_MAIN("leak", UNIT_TEST(steady_growth_is_a_slope), UNIT_TEST(one_step_is_none),
          UNIT_TEST(what_others_allocate_does_not_count), UNIT_TEST(many_notes_are_thinned),
          UNIT_TEST(few_notes_say_nothing))
