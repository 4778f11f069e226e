/* Levels of series whose truth is known. */
#include "unit.h"

#include "trend/trend.h"

enum { NIGHTS = 40 };

/* Noise of half a percent that is the same on every machine. */
static double night(size_t i) {
  return 1000 * (1 + 0.005 * ((double)(i * 7919 % 101) / 50 - 1));
}

static void one_level(void) {
  double ns[NIGHTS];
  struct nights_segment segments[NIGHTS];
  for (size_t i = 0; i < NIGHTS; i++)
    ns[i] = night(i);
  ASSERT_EQ_INT(trend_levels(ns, NIGHTS, segments), 1);
  ASSERT_EQ_INT(segments[0].timed, NIGHTS);
  ASSERT_TRUE(isnan(segments[0].step));
  ns[20] *= 1.2; /* one night that is off is no level */
  ASSERT_EQ_INT(trend_levels(ns, NIGHTS, segments), 1);
}

static void a_step_and_missing_nights(void) {
  double ns[NIGHTS];
  struct nights_segment segments[NIGHTS];
  for (size_t i = 0; i < NIGHTS; i++)
    ns[i] = i % 9 == 4 ? NAN : night(i) * (i >= 25 ? 1.05 : 1);
  ASSERT_EQ_INT(trend_levels(ns, NIGHTS, segments), 2);
  ASSERT_EQ_INT(segments[1].first, 25);
  ASSERT_EQ_INT(segments[1].last, 39);
  ASSERT_NEAR(segments[1].step, 0.05, 0.006);
}

static void nothing(void) {
  const double ns[3] = {NAN, NAN, NAN};
  struct nights_segment segments[3];
  ASSERT_EQ_INT(trend_levels(ns, 3, segments), 0);
  ASSERT_EQ_INT(trend_levels(ns, 0, segments), 0);
}

UNIT_MAIN("levels", UNIT_TEST(one_level), UNIT_TEST(a_step_and_missing_nights), UNIT_TEST(nothing))
