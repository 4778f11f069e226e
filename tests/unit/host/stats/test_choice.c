#include "stats/fastest.h"

#include "fixture_series.h"
#include "unit.h"

enum { COUNT = 30 };

static struct series series[2];

/* If there are several baselines, the first rounds of each process choose one, and only the other rounds enter the
 * ratio. */
static void rounds_do_one_thing(void) {
  struct ratio ratio;
  stream = 1;
  simple(&series[0], COUNT, 1000);
  simple(&series[1], COUNT, 1000);
  for (uint32_t i = 0; i < COUNT; i++) {
    series[0].slots[i].epoch = series[1].slots[i].epoch = 1 + i / 15;
    series[0].slots[i].round = series[1].slots[i].round = i % 15;
    double *ns = (double *)(uintptr_t)series[1].slots[i].ns;
    for (size_t k = 0; k < series[1].slots[i].count; k++)
      ns[k] *= i % 15 < 5 ? 0.5 : 2;
  }
  ASSERT_NEAR(choice_median(series[0].slots, COUNT, 0, 1), 1000, 20);
  ASSERT_NEAR(choice_median(series[1].slots, COUNT, 0, 1), 500, 10);
  ASSERT_EQ_INT(choice_ratio(series[0].slots, COUNT, series[1].slots, COUNT, 0, 1, &ratio), 0);
  ASSERT_EQ_INT(ratio.rounds, 20);
  ASSERT_EQ_INT(ratio.restarts, 2);
  ASSERT_NEAR(ratio.speedup, 0.5, 0.01);
  const struct entrant base = {series[0].slots, COUNT, 1000, false, 0},
                       other = {series[1].slots, COUNT, 1500, false, 0};
  const struct launch_overhead overhead = {500, 0};
  struct duel duel;
  ASSERT_EQ_INT(choice_duel(&base, &other, &overhead, 0, 1, &duel), 0);
  ASSERT_NEAR(duel.raw.speedup, ratio.speedup, 0);
  ASSERT_NEAR(duel.less.speedup, 1 / 3., 0.01);
}

static void few_rounds(void) {
  struct ratio ratio;
  stream = 2;
  simple(&series[0], COUNT, 1000);
  simple(&series[1], COUNT, 1000);
  ASSERT_TRUE(isnan(choice_median(series[0].slots, 0, 0, 1)) && isnan(choice_median(series[0].slots, 2, 0, 1)));
  ASSERT_TRUE(choice_median(series[0].slots, 3, 0, 1) > 0);
  ASSERT_EQ_INT(choice_ratio(series[0].slots, 3, series[1].slots, 3, 0, 1, &ratio), -1);
  ASSERT_TRUE(isnan(ratio.speedup) && ratio.rounds == 2);
  ASSERT_EQ_INT(choice_ratio(series[0].slots, 4, series[1].slots, 4, 0, 1, &ratio), 0);
}

UNIT_MAIN("choice", UNIT_TEST(rounds_do_one_thing), UNIT_TEST(few_rounds))
