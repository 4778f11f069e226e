#include "base/number.h"

#include <math.h>

#include "unit.h"

static char text[64];

static const char *significant(double value, int digits) {
  number_significant(text, sizeof text, value, digits);
  return text;
}

static void keeps_significant_digits(void) {
  ASSERT_EQ_STR(significant(0.1125, 4), "0.1125");
  ASSERT_EQ_STR(significant(2.051, 4), "2.051");
  ASSERT_EQ_STR(significant(18.33, 4), "18.33");
  ASSERT_EQ_STR(significant(18330, 4), "18330");
  ASSERT_EQ_STR(significant(9.9996, 4), "10.00"); /* rounding gains a digit */
  ASSERT_EQ_STR(significant(999.96, 4), "1000");
  ASSERT_EQ_STR(significant(31.04, 3), "31.0");
  ASSERT_EQ_STR(significant(-2.5, 2), "-2.5");
  ASSERT_EQ_STR(significant(0, 4), "0");
  ASSERT_EQ_STR(significant(1e-9, 3), "1.00e-09");
  ASSERT_EQ_STR(significant(1e18, 3), "1.00e+18");
}

static void says_nothing_of_what_is_unknown(void) {
  ASSERT_EQ_STR(significant((double)NAN, 4), "");
  ASSERT_EQ_STR(significant((double)INFINITY, 4), "inf");
  number_ratio(text, sizeof text, (double)NAN, 1);
  ASSERT_EQ_STR(text, "");
  number_percent(text, sizeof text, (double)NAN);
  ASSERT_EQ_STR(text, "");
  number_error(text, sizeof text, (double)NAN);
  ASSERT_EQ_STR(text, "");
  number_half_width(text, sizeof text, 1, (double)NAN, 2);
  ASSERT_EQ_STR(text, "");
  number_time(text, sizeof text, (double)NAN);
  ASSERT_TRUE(strchr(text, 'n') != NULL || text[0] == '\0');
}

static const char *ratio(double value, double like) {
  number_ratio(text, sizeof text, value, like);
  return text;
}

static void ratios_line_up(void) {
  ASSERT_EQ_STR(ratio(1.0972, 1.0972), "1.097");
  ASSERT_EQ_STR(ratio(0.99, 1.001), "0.990");
  ASSERT_EQ_STR(ratio(12.345, 12.345), "12.35");
  ASSERT_EQ_STR(ratio(9.98, 12.3), "9.98");
  ASSERT_EQ_STR(ratio(0.5824, 0.5824), "0.582");
  ASSERT_EQ_STR(ratio(0.04236, 0.04236), "0.0424");
  ASSERT_EQ_STR(ratio(12345, 12345), "12345");
  ASSERT_EQ_STR(ratio(4.46e21, 0.166), "4e+21"); /* three rounds on a busy machine */
  ASSERT_EQ_STR(ratio(6.2e-24, 0.166), "6e-24");
  ASSERT_EQ_STR(ratio(0, 0.166), "0.000");
}

static void intervals_are_whole_or_nothing(void) {
  number_interval(text, sizeof text, 0.9071, 0.9168, 0.912);
  ASSERT_EQ_STR(text, "[0.907, 0.917]");
  number_interval(text, sizeof text, 0.9071, NAN, 0.912);
  ASSERT_EQ_STR(text, "");
  number_interval(text, sizeof text, NAN, 0.9168, 0.912);
  ASSERT_EQ_STR(text, "");
}

static void short_forms(void) {
  number_percent(text, sizeof text, 0.7149);
  ASSERT_EQ_STR(text, "71");
  number_percent(text, sizeof text, 0.0412);
  ASSERT_EQ_STR(text, "4.1");
  number_percent(text, sizeof text, 0.0997);
  ASSERT_EQ_STR(text, "10");
  number_half_width(text, sizeof text, 100, 99.7, 100.3);
  ASSERT_EQ_STR(text, "0.3");
  number_half_width(text, sizeof text, 100, 100, 100);
  ASSERT_EQ_STR(text, "<0.1");
  number_half_width(text, sizeof text, 100, 49.9, 151);
  ASSERT_EQ_STR(text, "too noisy");
  number_plus_minus(text, sizeof text, "+-", 100, 99.7, 100.3);
  ASSERT_EQ_STR(text, "+-0.3%");
  number_plus_minus(text, sizeof text, "+-", 100, 40, 160);
  ASSERT_EQ_STR(text, "too noisy");
  number_plus_minus(text, sizeof text, "+-", 1, (double)NAN, 2);
  ASSERT_EQ_STR(text, "");
  number_error(text, sizeof text, 2.1e-3);
  ASSERT_EQ_STR(text, "2.1e-3");
  number_error(text, sizeof text, 0);
  ASSERT_EQ_STR(text, "0");
  number_time(text, sizeof text, 3524000);
  ASSERT_EQ_STR(text, "3.524 ms");
}

static void chooses_units(void) {
  ASSERT_EQ_STR(number_time_unit(500).name, "ns");
  ASSERT_EQ_STR(number_time_unit(999.96).name, "us"); /* would round to 1000 ns */
  ASSERT_EQ_STR(number_time_unit(2e6).name, "ms");
  ASSERT_EQ_STR(number_time_unit(5e13).name, "s");
}

static void reads_precisions(void) {
  static const char *const cases[][2] = {
      {"0.005", "0.5%"}, {"0.5%", "0.5%"}, {"x", "the precision"}, {"-1", "the precision"}, {"inf", "the precision"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    number_precision(text, sizeof text, cases[i][0]);
    ASSERT_EQ_STR(text, cases[i][1]);
  }
  number_precision(text, sizeof text, NULL);
  ASSERT_EQ_STR(text, "the precision");
}

UNIT_MAIN("number", UNIT_TEST(keeps_significant_digits), UNIT_TEST(says_nothing_of_what_is_unknown),
          UNIT_TEST(ratios_line_up), UNIT_TEST(intervals_are_whole_or_nothing), UNIT_TEST(short_forms),
          UNIT_TEST(chooses_units), UNIT_TEST(reads_precisions))
