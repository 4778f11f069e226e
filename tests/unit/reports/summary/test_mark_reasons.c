#include "summary/marks.h"

#include "sample_run.h"
#include "summary/summary.h"
#include "unit.h"

/* The first bench of the run in sample_run.h: three variants, with its cases in order. */
struct sample {
  struct run_data data;
  struct run_summary summary;
  struct mark_scope scope;
};

static void begin(struct sample *s) {
  sample_run(&s->data, false);
}

static void settle(struct sample *s) {
  summary_build(&s->data, &s->summary);
  s->scope = (struct mark_scope){&s->data, &s->summary.benches[0], NULL, NULL};
}

static void end(struct sample *s) {
  summary_free(&s->summary);
  run_data_free(&s->data);
}

static void assert_told(const struct mark_scope *scope, unsigned marks, const char *expected) {
  char text[MSG_SIZE];
  marks_tell(scope, marks, text, sizeof text);
  ASSERT_EQ_STR(text, expected);
}

static void figures_stand_behind_the_word(void) {
  struct sample s;
  begin(&s);
  struct record *rows = s.data.records;
  for (size_t i = 0; i < 2; i++) {
    record_set(&rows[i].stop_reason, "case_time");
    rows[i].ci95_lo_ns = rows[i].median_raw_ns * (i == 0 ? 0.99 : 0.95);
    rows[i].ci95_hi_ns = rows[i].median_raw_ns * (i == 0 ? 1.01 : 1.05);
  }
  rows[1].few_verified = 1;
  rows[1].verify_elements = 12;
  settle(&s);
  struct mark_scope one = s.scope;
  one.point = &s.scope.bench->cases[0];
  one.row = &rows[0];
  assert_told(&one, 1U << MARK_IMPRECISE,
              "imprecise: \xC2\xB1"
              "1.0%");
  one.row = &rows[1];
  assert_told(&one, 1U << MARK_IMPRECISE | 1U << MARK_FEW,
              "imprecise: \xC2\xB1"
              "5.0%; few verified: 12 elements");
  assert_told(&s.scope, 1U << MARK_IMPRECISE,
              "imprecise: up to \xC2\xB1"
              "5.0%");
  ASSERT_EQ_INT(marks_count(&s.scope, MARK_FEW), 1);
  assert_told(&s.scope, 0, "");
  end(&s);
}

/* If clocks differ, the reason names them: for a bench the range of each variant, for many variants the lowest and the
 * highest clock. */
static void clocks_are_named(void) {
  struct sample s;
  begin(&s);
  struct record *rows = s.data.records;
  for (size_t i = 0; i < s.data.count && i < 6; i++) {
    record_set(&rows[i].conditions,
               i < 3 ? "clocks differ; steal 2%" : "throttled in 9% of rounds: power cap; clocks differ");
    rows[i].sm_clock_mhz = 1900 - 10 * (double)i;
    rows[i].throttled_share = i < 3 ? 0 : 0.09;
  }
  settle(&s);
  struct mark_scope point = s.scope;
  point.point = &s.scope.bench->cases[0];
  ASSERT_EQ_INT(marks_rows(&point), 3);
  ASSERT_EQ_INT(marks_shared(&point), 1U << MARK_CONDITIONS);
  assert_told(&point, 1U << MARK_CONDITIONS,
              "conditions: clocks differ: standard 1900, flash 1890, mine 1880 MHz; steal 2%");
  point.point = &s.scope.bench->cases[1];
  assert_told(
      &point, 1U << MARK_CONDITIONS | 1U << MARK_THROTTLED, /* written once */
      "conditions: throttled in 9% of rounds: power cap; clocks differ: standard 1870, flash 1860, mine 1850 MHz");
  assert_told(&s.scope, 1U << MARK_CONDITIONS,
              "conditions: clocks differ: standard 1870 to 1900, flash 1860 to 1890, mine 1850 to 1880 MHz");
  end(&s);
}

static void what_differs_is_left_to_the_cases(void) {
  struct sample s;
  begin(&s);
  for (size_t i = 0; i < s.data.count; i++)
    record_set(&s.data.records[i].conditions, i % 2 == 0 ? "steal 2%" : "steal 3%");
  settle(&s);
  assert_told(&s.scope, 1U << MARK_CONDITIONS, "conditions");
  end(&s);
}

static void the_worst_comes_first(void) {
  ASSERT_EQ_INT(marks_worst(0), MARK_COUNT);
  for (unsigned i = 0; i < MARK_COUNT; i++)
    ASSERT_EQ_INT(marks_worst(1U << i), i);
  ASSERT_EQ_INT(marks_worst(1U << MARK_CEILING | 1U << MARK_QUICK), MARK_CEILING);
}

UNIT_MAIN("mark_reasons", UNIT_TEST(figures_stand_behind_the_word), UNIT_TEST(clocks_are_named),
          UNIT_TEST(what_differs_is_left_to_the_cases), UNIT_TEST(the_worst_comes_first))
