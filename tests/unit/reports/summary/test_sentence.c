#include "summary/sentence.h"

#include "sample_run.h"
#include "summary/summary.h"
#include "unit.h"

enum { COMPARED = 8, CASES = 4 };

static struct run_data data;

/* Returns the row of flash (1) or mine (2) in case `i`; only these two variants have a baseline. */
static struct record *row(size_t i, size_t variant) {
  return &data.records[3 * i + variant];
}

/* Gives the first case verdicts with these p-values; all others are undecided. */
static void begin(double flash, double mine) {
  sample_run(&data, false);
  for (size_t i = 0; i < CASES; i++)
    for (size_t v = 1; v < 3; v++) {
      row(i, v)->speedup_p = i == 0 ? v == 1 ? flash : mine : 0.5;
      row(i, v)->fastest = i == 0 && v == 2;
      if (i > 0) record_set(&row(i, v)->verdict, "undecided");
    }
}

static const char *says(void) {
  static char text[256];
  struct run_summary summary;
  summary_build(&data, &summary);
  words_sentence(&summary.benches[0], text, sizeof text);
  summary_free(&summary);
  return text;
}

static bool has_star(void) {
  struct run_summary summary;
  summary_build(&data, &summary);
  const bool star = summary.benches[0].cases[0].winner == row(0, 2);
  summary_free(&summary);
  return star;
}

/* One verdict needs a p-value of at most 1%. Of eight verdicts (Holm's method), the smallest p-value must be at most
 * 5%/8 = 0.625%. */
static void what_may_be_chance_is_undecided(void) {
  begin(0.006, 0.008);
  words_settle(&data);
  ASSERT_EQ_STR(row(0, 1)->verdict, "faster");
  ASSERT_EQ_STR(row(0, 2)->verdict, "undecided (one of many)"); /* one of the remaining seven needs 0.714% */
  ASSERT_EQ_STR(row(1, 1)->verdict, "undecided");
  ASSERT_TRUE(row(0, 2)->fastest == 0 && !has_star());
  ASSERT_EQ_STR(says(), "8 comparisons share an error of 5% (Holm's rule): 1 is undecided for it");
  words_settle(&data); /* as when a report is read again */
  ASSERT_EQ_STR(row(0, 2)->verdict, "undecided (one of many)");
  ASSERT_EQ_STR(row_verdict(row(0, 2)), "undecided (one of many)");
  row(0, 2)->speedup_p = 1e-9;
  words_settle(&data);
  ASSERT_EQ_STR(row(0, 2)->verdict, "faster");
  run_data_free(&data);
}

static void what_is_sure_stays(void) {
  begin(0.006, 0.007);
  words_settle(&data);
  ASSERT_EQ_STR(row(0, 1)->verdict, "faster");
  ASSERT_EQ_STR(row(0, 2)->verdict, "faster");
  ASSERT_TRUE(row(0, 2)->fastest == 1 && has_star());
  ASSERT_EQ_STR(says(), "8 comparisons share an error of 5% (Holm's rule): none of them is undecided for it");
  run_data_free(&data);
}

/* For five verdicts, Holm's rule demands no confidence above 99%, which each verdict must reach in any case. Rows that
 * cannot have a verdict do not count. */
static void few_lose_nothing(void) {
  begin(0.0099, 0.0099);
  row(1, 1)->speedup_p = (double)NAN; /* as in a file of an older version */
  row(1, 2)->contended = 1;
  row(2, 1)->rounds = 5;
  /* other jobs on the machine, or few rounds, may explain this lead */
  row(1, 2)->speedup_lo99 = row(2, 1)->speedup_lo99 = 1.9;
  words_settle(&data);
  ASSERT_EQ_STR(row(0, 1)->verdict, "faster");
  ASSERT_EQ_STR(row(0, 2)->verdict, "faster");
  ASSERT_EQ_STR(says(), "");
  run_data_free(&data);
}

/* The correction is applied to each bench and mode separately. */
static void benches_are_apart(void) {
  begin(0.008, 0.008);
  for (size_t i = 1; i < 5; i++)
    for (size_t v = 0; v < 3; v++)
      record_set(&row(i, v)->mode, "hot");
  words_settle(&data);
  ASSERT_EQ_STR(row(0, 1)->verdict, "faster");
  ASSERT_EQ_STR(row(0, 2)->verdict, "faster");
  run_data_free(&data);
}

UNIT_MAIN("sentence", UNIT_TEST(what_may_be_chance_is_undecided), UNIT_TEST(what_is_sure_stays),
          UNIT_TEST(few_lose_nothing), UNIT_TEST(benches_are_apart))
