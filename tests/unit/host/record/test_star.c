#include "record/record.h"

#include "unit.h"

enum { COUNT = 4 };

static struct record rows[COUNT];
static const struct record *all[COUNT + 1];

static void row(size_t i, const char *variant, const char *baseline, const char *verdict) {
  record_init(&rows[i]);
  record_set(&rows[i].variant, variant);
  record_set(&rows[i].baseline, baseline);
  record_set(&rows[i].verdict, verdict);
  rows[i].median_raw_ns = 1000;
  all[i] = &rows[i];
}

static bool agrees(size_t best) {
  return record_star_agrees(all, COUNT + 1, &rows[best]);
}

static void finish(void) {
  for (size_t i = 0; i < COUNT; i++)
    record_free(&rows[i]);
}

static void its_own_word_says_faster(void) {
  row(0, "base", "base", NULL);
  row(1, "a", "base", "faster");
  row(2, "b", "base", "undecided");
  row(3, "copy", NULL, NULL);
  ASSERT_TRUE(agrees(1) && !agrees(2));
  rows[0].median_raw_ns = (double)NAN; /* the baseline was not timed, so no verdict is needed */
  ASSERT_TRUE(agrees(2));
  finish();
}

static void what_is_compared_with_it_is_slower(void) {
  row(0, "base", "base", NULL);
  row(1, "a", "base", "slower");
  row(2, "b", "base", "slower");
  row(3, "copy", "base", "faster");
  ASSERT_TRUE(!agrees(0));
  rows[3].yardstick = 1;
  ASSERT_TRUE(agrees(0));
  record_set(&rows[2].verdict, "undecided (one process)");
  ASSERT_TRUE(!agrees(0));
  rows[2].median_raw_ns = (double)NAN;
  ASSERT_TRUE(agrees(0));
  finish();
}

UNIT_MAIN("star", UNIT_TEST(its_own_word_says_faster), UNIT_TEST(what_is_compared_with_it_is_slower))
