/* Tests the choice of the baseline that a speedup is divided by (the denominator): a common one, the fastest of
 * several, or the twin (the same variant of another build). */
#include "model/denominator.h"

#include <math.h>

#include "unit.h"

static const double medians[] = {30, 20, 10, NAN};
enum { COUNT = 4 };

static void none(void) {
  const struct denominator all[COUNT] = {{0, 0}};
  for (size_t j = 0; j < COUNT; j++)
    ASSERT_TRUE(denominator_of(all, medians, COUNT, j) == SIZE_MAX);
}

static void one_for_all(void) {
  const struct denominator all[COUNT] = {{0, 0}, {1, 0}};
  for (size_t j = 0; j < COUNT; j++)
    ASSERT_EQ_INT(denominator_of(all, medians, COUNT, j), 1);
  ASSERT_TRUE(denominator_serves(&all[1], 1, &all[0]) && !denominator_serves(&all[0], 0, &all[1]));
}

static void the_fastest_that_is_ok(void) {
  const struct denominator all[COUNT] = {{1, 0}, {1, 0}, {0, 0}, {1, 0}};
  static const double equal[] = {20, 20, 10, NAN}, nothing[] = {NAN, NAN, 10, NAN}, last[] = {NAN, NAN, 10, 5};
  ASSERT_EQ_INT(denominator_of(all, medians, COUNT, 2), 1);
  ASSERT_EQ_INT(denominator_of(all, medians, COUNT, 1), 1);
  ASSERT_EQ_INT(denominator_of(all, equal, COUNT, 2), 0); /* the first of equal ones */
  /* no candidate has a time, so there is no ratio, but the first candidate is named as the baseline */
  ASSERT_EQ_INT(denominator_of(all, nothing, COUNT, 2), 0);
  ASSERT_EQ_INT(denominator_of(all, last, COUNT, 2), 3);
}

/* The order decides among a bench's own baselines: the first one that is ok, even if another is faster. */
static void the_first_of_ranks_that_is_ok(void) {
  const double none[COUNT] = {(double)NAN, (double)NAN, (double)NAN, 5}, slow[COUNT] = {9, 1, 1, 1};
  const double second[COUNT] = {9, (double)NAN, 1, 1};
  const struct denominator all[COUNT] = {{0, 0}, {1, 0}, {2, 0}, {3, 0}};
  ASSERT_EQ_INT(denominator_of(all, slow, COUNT, 0), 1);
  ASSERT_EQ_INT(denominator_of(all, second, COUNT, 0), 2);
  ASSERT_EQ_INT(denominator_of(all, none, COUNT, 0), 3);
  /* the order alone decides, so no rounds are spent on finding the fastest baseline */
  ASSERT_TRUE(!denominator_is_chosen(all, COUNT, 0));
}

static void the_twin_before_all_others(void) {
  const struct denominator all[COUNT] = {{1, 1}, {0, 1}, {0, 3}, {0, 9}};
  ASSERT_EQ_INT(denominator_of(all, medians, COUNT, 0), 0);
  ASSERT_EQ_INT(denominator_of(all, medians, COUNT, 1), 0);
  ASSERT_EQ_INT(denominator_of(all, medians, COUNT, 2), 2);
  /* the twin is missing, and no other variant replaces it */
  ASSERT_TRUE(denominator_of(all, medians, COUNT, 3) == SIZE_MAX);
  ASSERT_TRUE(denominator_serves(&all[0], 0, &all[1]) && !denominator_serves(&all[0], 0, &all[2]));
}

static void chosen_is_who_has_a_choice(void) {
  const struct denominator list[COUNT] = {{1, 0}, {1, 0}, {0, 0}, {1, 2}},
                           one[COUNT] = {{1, 0}, {0, 0}, {0, 0}, {0, 0}};
  ASSERT_TRUE(denominator_is_chosen(list, COUNT, 0) && denominator_is_chosen(list, COUNT, 2));
  ASSERT_TRUE(!denominator_is_chosen(list, COUNT, 3)); /* it has a twin */
  ASSERT_TRUE(!denominator_is_chosen(one, COUNT, 0) && !denominator_is_chosen(one, COUNT, 2));
}

UNIT_MAIN("denominator", UNIT_TEST(none), UNIT_TEST(one_for_all), UNIT_TEST(the_fastest_that_is_ok),
          UNIT_TEST(the_first_of_ranks_that_is_ok), UNIT_TEST(chosen_is_who_has_a_choice),
          UNIT_TEST(the_twin_before_all_others))
