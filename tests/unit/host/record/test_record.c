#include "record/record.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "unit.h"

static const struct record_field *field(const char *name) {
  for (size_t i = 0; i < record_field_count; i++)
    if (strcmp(record_fields[i].name, name) == 0) return &record_fields[i];
  UNIT_FAIL("no field '%s'", name);
  return &record_fields[0];
}

static void begins_unknown(void) {
  struct record record;
  char buffer[64];
  record_init(&record);
  ASSERT_EQ_INT(record.samples, -1);
  ASSERT_TRUE(isnan(record.median_raw_ns));
  ASSERT_TRUE(record.message == NULL);
  for (size_t i = 0; i < record_field_count; i++)
    ASSERT_EQ_STR(record_text(&record, &record_fields[i], buffer, sizeof buffer), "");
}

/* The list of fields covers struct record without gaps, in the order of the offsets. */
static void covers_the_struct(void) {
  size_t end = 0;
  for (size_t i = 0; i < record_field_count; i++) {
    ASSERT_EQ_INT(record_fields[i].offset, end);
    end = record_fields[i].offset + 8;
    ASSERT_TRUE(record_fields[i].doc[0] != '\0');
    for (size_t j = 0; j < i; j++)
      ASSERT_TRUE(strcmp(record_fields[i].name, record_fields[j].name) != 0);
  }
  ASSERT_EQ_INT(sizeof(struct record), end);
}

static void numbers_come_back(void) {
  static const double values[] = {0, 0.1, 1.0 / 3, 123456.789, 1e-300, 5e-324, 1.7976931348623157e308, -2.5, 32};
  struct record record;
  char buffer[64];
  record_init(&record);
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
    record.median_raw_ns = values[i];
    const char *text = record_text(&record, field("median_raw_ns"), buffer, sizeof buffer);
    record.median_raw_ns = -1;
    ASSERT_TRUE(record_parse(&record, field("median_raw_ns"), text));
    if (record.median_raw_ns != values[i]) UNIT_FAIL("%.17g became %.17g", values[i], record.median_raw_ns);
  }
  record.median_raw_ns = 0.1;
  ASSERT_EQ_STR(record_text(&record, field("median_raw_ns"), buffer, sizeof buffer), "0.1");
  record.verify_error = (double)INFINITY;
  ASSERT_EQ_STR(record_text(&record, field("verify_error"), buffer, sizeof buffer), "inf");
  record.flops = INT64_MAX;
  ASSERT_EQ_STR(record_text(&record, field("flops"), buffer, sizeof buffer), "9223372036854775807");
  ASSERT_TRUE(record_parse(&record, field("flops"), "9223372036854775807"));
  ASSERT_TRUE(record.flops == INT64_MAX);
  record_free(&record);
}

static void refuses_nonsense(void) {
  static const char *const no_real[] = {"x", "1x", " 1", "nan", "1 ", "1,5", "-"};
  static const char *const no_whole[] = {"x",    "1.5",  " 1",  "-1",   "9223372036854775808",   "1e-3",
                                         "1e99", "0x10", "1-2", "true", "9.223372036854776e+18", "nan"};
  struct record record;
  record_init(&record);
  for (size_t i = 0; i < sizeof no_real / sizeof no_real[0]; i++)
    if (record_parse(&record, field("median_raw_ns"), no_real[i])) UNIT_FAIL("'%s' is no number", no_real[i]);
  for (size_t i = 0; i < sizeof no_whole / sizeof no_whole[0]; i++)
    if (record_parse(&record, field("samples"), no_whole[i])) UNIT_FAIL("'%s' is no whole number", no_whole[i]);
  ASSERT_TRUE(isnan(record.median_raw_ns));
  ASSERT_EQ_INT(record.samples, -1);
}

/* Whole numbers as pandas writes them: as decimals in a column with empty cells, as True and False for a comparison. */
static void whole_numbers_of_other_programs(void) {
  static const struct {
    const char *text;
    int64_t value;
  } of[] = {{"600.0", 600}, {"0.0", 0},  {"1e+16", 10000000000000000}, {"17179869184.0", 17179869184},
            {"True", 1},    {"False", 0}};
  struct record record;
  record_init(&record);
  for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
    ASSERT_TRUE(record_parse(&record, field("flops"), of[i].text));
    ASSERT_EQ_INT(record.flops, of[i].value);
  }
}

static void empty_is_unknown(void) {
  struct record record;
  record_init(&record);
  record.samples = 3;
  record.median_raw_ns = 3;
  record_set(&record.message, "why");
  ASSERT_TRUE(record_parse(&record, field("samples"), ""));
  ASSERT_TRUE(record_parse(&record, field("median_raw_ns"), ""));
  ASSERT_TRUE(record_parse(&record, field("message"), ""));
  ASSERT_EQ_INT(record.samples, -1);
  ASSERT_TRUE(isnan(record.median_raw_ns));
  ASSERT_TRUE(record.message == NULL);
}

static void sets_text(void) {
  struct record record;
  record_init(&record);
  record_set(&record.message, "first");
  record_set(&record.message, record.message); /* from itself */
  ASSERT_EQ_STR(record.message, "first");
  record_set(&record.message, NULL);
  ASSERT_TRUE(record.message == NULL);
  record_set(&record.message, "again");
  record_free(&record);
  ASSERT_TRUE(record.message == NULL);
}

UNIT_MAIN("record", UNIT_TEST(begins_unknown), UNIT_TEST(covers_the_struct), UNIT_TEST(numbers_come_back),
          UNIT_TEST(refuses_nonsense), UNIT_TEST(whole_numbers_of_other_programs), UNIT_TEST(empty_is_unknown),
          UNIT_TEST(sets_text))
