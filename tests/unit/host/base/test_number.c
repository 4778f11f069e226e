#include "base/number.h"

#include <math.h>

#include "unit.h"

static const char *significant(double value, int digits) {
  static struct number number;
  number = number_significant(value, digits);
  return number.text;
}

static void keeps_significant_digits(void) {
  ASSERT_EQ_STR(significant(0.1125, 4), "0.1125");
  ASSERT_EQ_STR(significant(2.051, 4), "2.051");
  ASSERT_EQ_STR(significant(18.33, 4), "18.33");
  ASSERT_EQ_STR(significant(18330, 4), "18330");
  ASSERT_EQ_STR(significant(9.9996, 4), "10.00"); /* rounding adds a digit */
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
  ASSERT_EQ_STR(number_ratio((double)NAN, 1).text, "");
  ASSERT_EQ_STR(number_percent((double)NAN).text, "");
  ASSERT_EQ_STR(number_error((double)NAN).text, "");
  ASSERT_EQ_STR(number_half_width(1, (double)NAN, 2).text, "");
  ASSERT_EQ_STR(number_time((double)NAN).text, "");
}

static const char *ratio(double value, double like) {
  static struct number number;
  number = number_ratio(value, like);
  return number.text;
}

static void ratios_line_up(void) {
  ASSERT_EQ_STR(ratio(1.0972, 1.0972), "1.097");
  ASSERT_EQ_STR(ratio(0.99, 1.001), "0.990");
  ASSERT_EQ_STR(ratio(12.345, 12.345), "12.35");
  ASSERT_EQ_STR(ratio(9.98, 12.3), "9.98");
  ASSERT_EQ_STR(ratio(0.5824, 0.5824), "0.582");
  ASSERT_EQ_STR(ratio(0.04236, 0.04236), "0.0424");
  ASSERT_EQ_STR(ratio(12345, 12345), "12345");
  ASSERT_EQ_STR(ratio(4.46e21, 0.166), "4e+21"); /* such a ratio can come from three rounds on a busy machine */
  ASSERT_EQ_STR(ratio(6.2e-24, 0.166), "6e-24");
  ASSERT_EQ_STR(ratio(0, 0.166), "0.000");
}

static void intervals_are_whole_or_nothing(void) {
  ASSERT_EQ_STR(number_interval(0.9071, 0.9168, 0.912).text, "[0.907, 0.917]");
  ASSERT_EQ_STR(number_interval(0.9071, NAN, 0.912).text, "");
  ASSERT_EQ_STR(number_interval(NAN, 0.9168, 0.912).text, "");
}

static void short_forms(void) {
  ASSERT_EQ_STR(number_percent(0.7149).text, "71");
  ASSERT_EQ_STR(number_percent(0.0412).text, "4.1");
  ASSERT_EQ_STR(number_percent(0.0997).text, "10");
  ASSERT_EQ_STR(number_half_width(100, 99.7, 100.3).text, "0.3");
  ASSERT_EQ_STR(number_half_width(100, 100, 100).text, "<0.1");
  ASSERT_EQ_STR(number_half_width(100, 49.9, 151).text, "too noisy");
  ASSERT_EQ_STR(number_plus_minus("+-", 100, 99.7, 100.3).text, "+-0.3%");
  ASSERT_EQ_STR(number_plus_minus("+-", 100, 40, 160).text, "too noisy");
  ASSERT_EQ_STR(number_plus_minus("+-", 1, (double)NAN, 2).text, "");
  ASSERT_EQ_STR(number_error(2.1e-3).text, "2.1e-3");
  ASSERT_EQ_STR(number_error(0).text, "0");
  ASSERT_EQ_STR(number_time(3524000).text, "3.524 ms");
}

static void chooses_units(void) {
  ASSERT_EQ_STR(number_time_unit(500).name, "ns");
  ASSERT_EQ_STR(number_time_unit(999.96).name, "us"); /* would be rounded to 1000 ns */
  ASSERT_EQ_STR(number_time_unit(2e6).name, "ms");
  ASSERT_EQ_STR(number_time_unit(5e13).name, "s");
}

UNIT_MAIN("number", UNIT_TEST(keeps_significant_digits), UNIT_TEST(says_nothing_of_what_is_unknown),
          UNIT_TEST(ratios_line_up), UNIT_TEST(intervals_are_whole_or_nothing), UNIT_TEST(short_forms),
          UNIT_TEST(chooses_units))
