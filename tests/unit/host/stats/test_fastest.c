#include "stats/fastest.h"

#include "fixture_series.h"
#include "unit.h"

enum { COUNT = 60 };

static struct series series[3];
static bool lacks;
static const struct launch_overhead none = {NAN, NAN};

static struct entrant entrant(size_t i, uint32_t rounds, double ns) {
  struct interval ci95;
  struct entrant entrant = {series[i].slots, rounds, 0, false, 0};
  simple(&series[i], rounds, ns);
  stats_median_interval(series[i].slots, rounds, 0, 1, &entrant.median_ns, &ci95);
  return entrant;
}

static void the_fastest_is_faster_than_each_other(void) {
  stream = 1;
  const struct entrant all[] = {entrant(0, COUNT, 1100), entrant(1, COUNT, 1000), entrant(2, COUNT, 1050)};
  ASSERT_EQ_INT(stats_fastest(all, 3, &none, 0, 1, false, &lacks), 1);
  ASSERT_EQ_INT(stats_fastest(all, 2, &none, 0, 1, false, &lacks), 1);
  ASSERT_TRUE(stats_fastest(all, 1, &none, 0, 1, false, &lacks) == SIZE_MAX &&
              stats_fastest(all, 0, &none, 0, 1, false, &lacks) == SIZE_MAX);
}

/* A difference of 0.4% is significant (the intervals of the medians do not overlap), but too small for a verdict. */
static void what_is_the_same_has_no_fastest(void) {
  double median;
  struct interval a, b;
  stream = 2;
  const struct entrant all[] = {entrant(0, 300, 1100), entrant(1, 300, 1000), entrant(2, 300, 1004)};
  stats_median_interval(series[1].slots, 300, 0, 1, &median, &a);
  stats_median_interval(series[2].slots, 300, 0, 1, &median, &b);
  ASSERT_TRUE(a.hi < b.lo);
  ASSERT_TRUE(stats_fastest(all, 3, &none, 0, 1, false, &lacks) == SIZE_MAX);
}

/* One process cannot establish a lead of 1%. */
static void a_small_lead_takes_processes(void) {
  stream = 4;
  const struct entrant all[] = {entrant(0, COUNT, 1100), entrant(1, COUNT, 1000), entrant(2, COUNT, 1010)};
  ASSERT_TRUE(stats_fastest(all, 3, &none, 0, 1, false, &lacks) == SIZE_MAX && lacks);
  ASSERT_TRUE(stats_fastest(all, 2, &none, 0, 1, false, &lacks) == 1 && !lacks);
  for (size_t i = 0; i < 3; i++)
    for (size_t r = 0; r < COUNT; r++)
      series[i].slots[r].epoch = (uint32_t)(1 + r / (COUNT / 3));
  ASSERT_EQ_INT(stats_fastest(all, 3, &none, 0, 1, false, &lacks), 1);
}

/* A lead that contention may explain marks no variant as the fastest. */
static void contention_explains_no_lead_of_three_times(void) {
  stream = 5;
  const struct entrant all[] = {entrant(0, COUNT, 3000), entrant(1, COUNT, 1000), entrant(2, COUNT, 1900)};
  ASSERT_EQ_INT(stats_fastest(all, 2, &none, 0, 1, true, &lacks), 1);
  ASSERT_TRUE(stats_fastest(all, 3, &none, 0, 1, true, &lacks) == SIZE_MAX && !lacks);
  ASSERT_EQ_INT(stats_fastest(all, 3, &none, 0, 1, false, &lacks), 1);
}

/* A difference over five rounds may be due to chance, and variants without common rounds cannot be compared. In both
 * cases no variant is the fastest. */
static void without_a_word_there_is_no_fastest(void) {
  stream = 3;
  const struct entrant few[] = {entrant(0, 5, 1100), entrant(1, 5, 1000)};
  ASSERT_TRUE(stats_fastest(few, 2, &none, 0, 1, false, &lacks) == SIZE_MAX);
  const struct entrant apart[] = {entrant(0, COUNT, 1100), entrant(1, COUNT, 1000)};
  for (size_t i = 0; i < COUNT; i++)
    series[1].slots[i].epoch = 2;
  ASSERT_TRUE(stats_fastest(apart, 2, &none, 0, 1, false, &lacks) == SIZE_MAX);
}

UNIT_MAIN("stats_fastest", UNIT_TEST(the_fastest_is_faster_than_each_other), UNIT_TEST(what_is_the_same_has_no_fastest),
          UNIT_TEST(without_a_word_there_is_no_fastest), UNIT_TEST(a_small_lead_takes_processes),
          UNIT_TEST(contention_explains_no_lead_of_three_times))
