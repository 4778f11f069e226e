/* Tests slopes of memory over calls: real leaks, and growth that only looks like one. */
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
    const uint64_t base = 1000 + stretch * 50000000; /* between two series of calls, other code has allocated memory */
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

/* Few slots: growth in each of them is a leak; a single growth, in whichever slot, is none. */
static void few_notes_find_what_grows_all_the_way(void) {
  static const struct {
    const char *what;
    size_t count;
    double slope; /* NaN: not reported */
    uint64_t bytes[7];
  } rows[] = {
      {"a megabyte a call, 7 slots", 7, 1e6, {10000000, 20000000, 30000000, 40000000, 50000000, 60000000, 70000000}},
      {"a megabyte a call, 3 slots", 3, 1e6, {10000000, 20000000, 30000000}},
      {"a kilobyte a call, 4 slots", 4, 1e3, {10000, 20000, 30000, 40000}},
      {"uneven growth", 5, 1e5, {5000000, 6000000, 9000000, 10000000, 15000000}},
      {"a pool in the first slot", 3, 0, {64000000, 64000000, 64000000}},
      {"a pool in the middle", 5, 0, {0, 0, 64000000, 64000000, 64000000}},
      {"a pool in the last slot", 4, 0, {0, 0, 0, 64000000}},
      {"two pools", 6, 0, {1000000, 1000000, 1000000, 9000000, 9000000, 9000000}},
      {"what shrinks", 3, -5e5, {10000000, 5000000, 9000000}},
      {"two slots", 2, NAN, {10000000, 20000000}},
      {"one slot", 1, NAN, {10000000}},
      {"none", 0, NAN, {0}},
  };
  for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
    struct leak leak = {0};
    leak_begin(&leak, 0);
    for (size_t i = 0; i < rows[r].count; i++)
      leak_note(&leak, 10, rows[r].bytes[i]);
    const double slope = leak_slope(&leak);
    if (isnan(rows[r].slope) ? !isnan(slope) : !(fabs(slope - rows[r].slope) <= 1e-9))
      UNIT_FAIL("%s: %g bytes a call, not %g", rows[r].what, slope, rows[r].slope);
  }
}

UNIT_MAIN("leak", UNIT_TEST(steady_growth_is_a_slope), UNIT_TEST(one_step_is_none),
          UNIT_TEST(what_others_allocate_does_not_count), UNIT_TEST(many_notes_are_thinned),
          UNIT_TEST(few_notes_find_what_grows_all_the_way))
