/* Tests that rows are refused if they contain values that no run can have produced. */
#include <string.h>

#include "record/run_load.h"

#include "unit.h"

static struct record record;

static void set(const char *name, const char *text) {
  for (size_t i = 0; i < record_field_count; i++)
    if (strcmp(record_fields[i].name, name) == 0) ASSERT_TRUE(record_parse(&record, &record_fields[i], text));
}

/* Returns the error for a row with these two values, or "". */
static const char *says(const char *a, const char *a_text, const char *b, const char *b_text) {
  static struct err err;
  err = (struct err){0};
  record_init(&record);
  set(a, a_text);
  set(b, b_text);
  int rc = record_check(&record, &err);
  ASSERT_EQ_INT(rc, err.exit_code != 0 ? -1 : 0);
  record_free(&record);
  return err.text;
}

static void what_is_possible(void) {
  ASSERT_EQ_STR(says("status", "not_run", "message", "nothing is known"), "");
  ASSERT_EQ_STR(says("median_raw_ns", "0", "p25_ns", "0"), "");
  ASSERT_EQ_STR(says("p25_ns", "5", "p95_ns", "5"), "");
  ASSERT_EQ_STR(says("drift", "-0.5", "skew", "-0.1"), "");        /* changes may be negative */
  ASSERT_EQ_STR(says("ci95_lo_ns", "-7", "ci95_hi_ns", "90"), ""); /* possible with three rounds that lie far apart */
  ASSERT_EQ_STR(says("speedup_lo", "-0.5", "speedup_hi", "2"), "");
  ASSERT_EQ_STR(says("verify_error", "inf", "leak_bytes_per_call", "-3"), "");
}

static void what_is_not(void) {
  ASSERT_EQ_STR(says("median_raw_ns", "-5", "status", "ok"), "column median_raw_ns: '-5' is negative");
  ASSERT_EQ_STR(says("median_raw_ns", "inf", "status", "ok"), "column median_raw_ns: 'inf' is infinite");
  ASSERT_EQ_STR(says("launch_overhead_ns", "-1", "status", "ok"), "column launch_overhead_ns: '-1' is negative");
  ASSERT_EQ_STR(says("speedup", "-2", "status", "ok"), "column speedup: '-2' is negative");
  ASSERT_EQ_STR(says("ci95_hi_ns", "inf", "status", "ok"), "column ci95_hi_ns: 'inf' is infinite");
  ASSERT_EQ_STR(says("p25_ns", "9", "p75_ns", "5"), "column p25_ns: '9' is above p75_ns, '5'");
  ASSERT_EQ_STR(says("min_ns", "9", "max_ns", "5"), "column min_ns: '9' is above max_ns, '5'");
  ASSERT_EQ_STR(says("median_raw_ns", "9", "p75_ns", "5"), "column median_raw_ns: '9' is above p75_ns, '5'");
  ASSERT_EQ_STR(says("ci95_lo_ns", "9", "ci95_hi_ns", "5"), "column ci95_lo_ns: '9' is above ci95_hi_ns, '5'");
  ASSERT_EQ_STR(says("speedup_lo", "2", "speedup_hi", "1"), "column speedup_lo: '2' is above speedup_hi, '1'");
}

UNIT_MAIN("run_load", UNIT_TEST(what_is_possible), UNIT_TEST(what_is_not))
