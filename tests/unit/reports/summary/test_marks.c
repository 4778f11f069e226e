#include "summary/marks.h"

#include "sample_rich.h"
#include "summary/summary.h"
#include "unit.h"

/* Checks which marks (notes that limit what may be concluded) a row of sample_rich.h's run has. */
static void assert_marks(const struct run_data *data, const struct record *row, const char *expected) {
  struct run_summary summary;
  char text[TEXT_SIZE] = "not found";
  summary_build(data, &summary);
  for (size_t i = 0; i < summary.bench_count; i++)
    for (size_t j = 0; j < summary.benches[i].case_count; j++)
      for (size_t k = 0; k < summary.benches[i].variant_count; k++)
        if (summary.benches[i].cases[j].rows[k] == row)
          marks_text(marks_of(data, &summary.benches[i].cases[j], row), text, sizeof text);
  ASSERT_EQ_STR(text, expected);
  summary_free(&summary);
}

static void rows_get_what_they_deserve(void) {
  struct run_data data;
  sample_rich(&data);
  const struct record *rows = data.records;
  assert_marks(&data, &rows[0], "launch-limited");
  assert_marks(&data, &rows[1], "launch-limited, throttled, conditions");
  assert_marks(&data, &rows[2], "mixed math, launch-limited");
  assert_marks(&data, &rows[4], "in groups, launch-limited"); /* launch overhead is 3.2 of 40 us */
  assert_marks(&data, &rows[6], "");
  assert_marks(&data, &rows[7], "not interleaved");
  assert_marks(&data, &rows[10], "imprecise");
  data.records[10].precision = 0; /* no precision was requested */
  assert_marks(&data, &rows[10], "");
  assert_marks(&data, &rows[24], "launch-limited, quick");
  run_data_free(&data);
}

static void the_overhead_must_be_known(void) {
  struct run_data data;
  sample_rich(&data);
  pairs_free(&data.environment);
  data.records[0].launch_overhead_ns = (double)NAN;
  assert_marks(&data, &data.records[0], "");
  pairs_add_text(&data.environment, "launch_overhead_ns", "3200");
  assert_marks(&data, &data.records[0], "launch-limited");
  data.records[0].median_raw_ns = 64001;
  assert_marks(&data, &data.records[0], "");
  run_data_free(&data);
}

/* Math with fewer bits is marked, with more bits it is not; unknown types are marked. */
static void math_is_mixed_one_way(void) {
  struct run_data data;
  sample_rich(&data);
  record_set(&data.records[6 + 2].math, "fp64");
  assert_marks(&data, &data.records[8], "");
  record_set(&data.records[8].math, "tf32");
  assert_marks(&data, &data.records[8], "mixed math");
  record_set(&data.records[8].math, "posit16");
  assert_marks(&data, &data.records[8], "mixed math");
  record_set(&data.records[8].math, NULL);
  assert_marks(&data, &data.records[8], "mixed math");
  run_data_free(&data);
}

static void who_may_reuse_results(void) {
  struct run_data data;
  sample_rich(&data);
  struct record *row = &data.records[6];
  record_set(&row->backend, "cuda");
  assert_marks(&data, row, "");
  row->verified_slots = 3;
  row->reuse_limit = 0.1;
  assert_marks(&data, row, "");
  row->reuse_limit = 0.11;
  assert_marks(&data, row, "may reuse results");
  row->reuse_limit = (double)NAN;
  assert_marks(&data, row, "may reuse results");
  record_set(&row->contract, "gpubench.org/calibrate/copy");
  assert_marks(&data, row, "");
  record_set(&row->contract, NULL);
  row->yardstick = 1;
  assert_marks(&data, row, "");
  row->yardstick = 0;
  record_set(&row->backend, "cpu");
  record_set(&row->verdict, "undecided");
  row->speedup = 2;
  row->speedup_lo = 1.9;
  row->reuse_limit = (double)NAN;
  assert_marks(&data, row, "");
  row->contended = 1; /* on a busy machine the row has no verdict */
  row->speedup_lo99 = 1.8;
  assert_marks(&data, row, "may reuse results");
  row->speedup_lo = 0.9;
  assert_marks(&data, row, "");
  row->contended = 0;
  record_set(&row->verdict, "faster");
  assert_marks(&data, row, "may reuse results");
  row->reuse_limit = 0.5;
  assert_marks(&data, row, "may reuse results");
  row->reuse_limit = 0.2;
  assert_marks(&data, row, "");
  run_data_free(&data);
}

static void what_failed_has_none(void) {
  struct run_data data;
  sample_rich(&data);
  record_set(&data.records[1].status, "wrong");
  assert_marks(&data, &data.records[1], "");
  run_data_free(&data);
}

static void each_has_a_word_and_a_meaning(void) {
  for (unsigned i = 0; i < MARK_COUNT; i++)
    ASSERT_TRUE(mark_word(i)[0] != '\0' && mark_meaning(i)[strlen(mark_meaning(i)) - 1] == '.');
}

UNIT_MAIN("marks", UNIT_TEST(rows_get_what_they_deserve), UNIT_TEST(the_overhead_must_be_known),
          UNIT_TEST(math_is_mixed_one_way), UNIT_TEST(who_may_reuse_results), UNIT_TEST(what_failed_has_none),
          UNIT_TEST(each_has_a_word_and_a_meaning))
