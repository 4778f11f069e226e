/* Tests axis expressions such as "1k:16k:x2", which list the values of a parameter: the values, their spelling in the
 * keys of cases, and hostile input. */
#include "model/axis.h"

#include <stdlib.h>

#include "unit.h"

static struct axis_desc axis_of(uint32_t type) {
  struct axis_desc axis = {.type = type, .default_count = 1};
  text_copy(axis.name, sizeof axis.name, "m");
  text_copy(axis.values, sizeof axis.values, "7");
  text_copy(axis.choices, sizeof axis.choices, "fp32, bf16,a b,x[1]");
  text_copy(axis.defaults[0].backend, sizeof axis.defaults[0].backend, "cuda");
  text_copy(axis.defaults[0].values, sizeof axis.defaults[0].values, "8,9");
  return axis;
}

/* Returns the values as keys spell them, separated by spaces, or "! " and the message. */
static const char *expand(uint32_t type, const char *expression, bool pow2) {
  static char text[4096];
  struct axis_desc axis = axis_of(type);
  struct axis_value *values;
  size_t count;
  struct err err = {0};
  if (axis_expand(&axis, expression, pow2, "-a m", &values, &count, &err)) {
    ASSERT_EQ_INT(err.exit_code, 2);
    ASSERT_TRUE(values == NULL && count == 0);
    snprintf(text, sizeof text, "! %s", err.text);
    return text;
  }
  text[0] = '\0';
  for (size_t i = 0; i < count; i++) {
    size_t used = strlen(text);
    ASSERT_EQ_STR(values[i].name, "m");
    ASSERT_EQ_INT(values[i].type, type);
    if (type == AXIS_I64) ASSERT_EQ_INT(values[i].i64, strtoll(values[i].str, NULL, 10));
    if (type == AXIS_F64) ASSERT_TRUE(values[i].f64 == strtod(values[i].str, NULL));
    snprintf(text + used, sizeof text - used, "%s%s", i > 0 ? " " : "", values[i].str);
  }
  free(values);
  return text;
}

#define I64(expression, expected) ASSERT_EQ_STR(expand(AXIS_I64, expression, false), expected)
#define POW2(expression, expected) ASSERT_EQ_STR(expand(AXIS_I64, expression, true), expected)
#define F64(expression, expected) ASSERT_EQ_STR(expand(AXIS_F64, expression, false), expected)
#define STR(expression, expected) ASSERT_EQ_STR(expand(AXIS_STR, expression, false), expected)

static void expands_whole_numbers(void) {
  I64("64,128", "64 128");
  I64("[64, 128]", "64 128");
  I64("-5", "-5");
  I64("+5", "5");
  I64("1k,2M,3G", "1024 2097152 3221225472");
  I64("-9223372036854775808,9223372036854775807", "-9223372036854775808 9223372036854775807");
  I64("1k:16k:x2", "1024 2048 4096 8192 16384");
  I64("1:100:x10", "1 10 100");
  I64("1:99:x10", "1 10");
  I64("0:100:50", "0 50 100");
  I64("0:99:50", "0 50");
  I64("3:5", "3 4 5");
  I64("-2:2:2", "-2 0 2");
  I64("5:5:x2", "5");
  I64("9223372036854775806:9223372036854775807", "9223372036854775806 9223372036854775807");
  I64("4611686018427387904:9223372036854775807:x2", "4611686018427387904");
  I64("1,4:6,9", "1 4 5 6 9");
  POW2("10:20:5", "1024 32768 1048576");
  POW2("[10:20:10]", "1024 1048576");
  POW2("0,62", "1 4611686018427387904");
}

static void expands_real_numbers(void) {
  F64("0.1,2,1e-9", "0.1 2 1e-09");
  F64("0.30000000000000004", "0.30000000000000004");
  F64("0:0.5:0.1", "0 0.1 0.2 0.3 0.4 0.5");
  F64("0.001:1:x10", "0.001 0.01 0.1 1");
  F64("1:2:x1.5", "1 1.5");
  F64("-0.0", "0");
  F64(".5", "0.5");
  F64("2k", "2048");
  F64("1e20", "1e+20");
  F64("123456789", "123456789");
}

static void expands_choices(void) {
  STR("bf16,fp32", "bf16 fp32");
  STR("[a b]", "a b");
  STR("x[1]", "x[1]");
  STR("bf61", "! -a m: 'bf61' is not among fp32, bf16,a b,x[1]");
  STR("", "! -a m: an item is empty");
  STR("[[fp32]]", "! -a m: '[fp32]' is not among fp32, bf16,a b,x[1]");
  char item[ID_SIZE] = "";
  struct axis_desc axis = axis_of(AXIS_STR);
  ASSERT_TRUE(axis_unknown_item(&axis, "fp32, bf61,zz", item, sizeof item));
  ASSERT_EQ_STR(item, "bf61");
  ASSERT_TRUE(!axis_unknown_item(&axis, "[fp32,bf16]", item, sizeof item));
  axis = axis_of(AXIS_I64);
  ASSERT_TRUE(!axis_unknown_item(&axis, "fp99", item, sizeof item));
}

static void refuses_nonsense(void) {
  I64("", "! -a m: an item is empty");
  I64("[]", "! -a m: an item is empty");
  I64("1,,2", "! -a m: an item is empty");
  I64("abc", "! -a m: 'abc' is not a whole number");
  I64("1.5", "! -a m: '1.5' is not a whole number; units are k, M, G");
  I64("1e3", "! -a m: '1e3' is not a whole number; units are k, M, G");
  I64("1K", "! -a m: '1K' is not a whole number; units are k, M, G");
  I64("1kk", "! -a m: '1kk' is not a whole number; units are k, M, G");
  I64("0x10", "! -a m: '0x10' is not a whole number; units are k, M, G");
  I64("+-5", "! -a m: '+-5' is not a whole number");
  I64("nan", "! -a m: 'nan' is not a whole number");
  I64("1:2:3:4", "! -a m: '1:2:3:4' is not a whole number; units are k, M, G");
  I64(":", "! -a m: ':' is not a whole number");
  I64("1:", "! -a m: '1:' is not a whole number");
  I64("1: 2", "! -a m: '1: 2' is not a whole number");
  I64("\x01\x02", "! -a m: '\x01\x02' is not a whole number");
  F64("nan", "! -a m: 'nan' is not a finite number; units are k, M, G");
  F64("inf", "! -a m: 'inf' is not a finite number; units are k, M, G");
  F64("-infinity", "! -a m: '-infinity' is not a finite number; units are k, M, G");
  F64("1e999", "! -a m: '1e999' is not a finite number; units are k, M, G");
  F64("1e308G", "! -a m: '1e308G' is not a finite number");
  F64("0x1p3", "! -a m: '0x1p3' is not a finite number; units are k, M, G");
  F64("1x", "! -a m: '1x' is not a finite number; units are k, M, G");
  F64(".", "! -a m: '.' is not a finite number; units are k, M, G");
}

static void refuses_bad_ranges(void) {
  I64("1:10:x1", "! -a m: '1:10:x1' needs a factor of at least x2");
  I64("1:10:x0", "! -a m: '1:10:x0' needs a factor of at least x2");
  I64("1:10:x-2", "! -a m: '1:10:x-2' needs a factor of at least x2");
  I64("0:10:x2", "! -a m: '0:10:x2' multiplies, so it must start above zero");
  I64("1:10:0", "! -a m: '1:10:0' needs a step above zero");
  I64("1:10:-1", "! -a m: '1:10:-1' needs a step above zero");
  I64("10:1:1", "! -a m: '10:1:1' ends before it starts");
  I64("1:10:x", "! -a m: '1:10:x' is not a whole number");
  F64("1:10:x1", "! -a m: '1:10:x1' needs a factor above x1");
  F64("0:10:x2", "! -a m: '0:10:x2' multiplies, so it must start above zero");
  F64("0:1:0", "! -a m: '0:1:0' needs a step above zero");
  F64("0:1:-1", "! -a m: '0:1:-1' needs a step above zero");
  F64("1:0", "! -a m: '1:0' ends before it starts");
  F64("0:1:nan", "! -a m: '0:1:nan' is not a finite number; units are k, M, G");
}

static void refuses_too_much(void) {
  I64("9223372036854775808", "! -a m: '9223372036854775808' does not fit 64 bits");
  I64("9007199254740992k", "! -a m: '9007199254740992k' does not fit 64 bits");
  I64("8589934592G", "! -a m: '8589934592G' does not fit 64 bits");
  I64("0:1000000:1", "! -a m: '0:1000000:1' has more than 4096 values");
  I64("-9223372036854775808:9223372036854775807:1",
      "! -a m: '-9223372036854775808:9223372036854775807:1' has more than 4096 values");
  F64("0:1:1e-9", "! -a m: '0:1:1e-9' has too many steps");
  F64("1:1e300:x1.0000001", "! -a m: '1:1e300:x1.0000001' has too many steps");
  F64("-1e308:1e308:1", "! -a m: '-1e308:1e308:1' has too many steps");
  POW2("63", "! -a m: '63' is no exponent of two from 0 to 62");
  POW2("-1", "! -a m: '-1' is no exponent of two from 0 to 62");
  POW2("1k", "! -a m: '1k' is no exponent of two from 0 to 62");
  ASSERT_EQ_STR(expand(AXIS_F64, "1", true), "! -a m: [pow2] needs whole numbers; axis 'm' has none");
  char text[EXPR_SIZE + 8];
  memset(text, '1', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  I64(text, "! -a m: 519 bytes of values, at most 511");
  text[0] = '[';
  text[sizeof text - 2] = ']';
  I64(text, "! -a m: 519 bytes of values, at most 511");
}

static void finds_the_default_of_a_backend(void) {
  struct axis_desc axis = axis_of(AXIS_I64);
  ASSERT_EQ_STR(axis_default(&axis, "cuda"), "8,9");
  ASSERT_EQ_STR(axis_default(&axis, "cpu"), "7");
}

static struct bench_desc bench_of(void) {
  struct bench_desc bench = {.axis_count = 3};
  text_copy(bench.name, sizeof bench.name, "forward");
  const uint32_t types[] = {AXIS_I64, AXIS_STR, AXIS_F64};
  for (uint32_t i = 0; i < 3; i++) {
    bench.axes[i] = axis_of(types[i]);
    bench.axes[i].name[0] = (char)('a' + i);
  }
  return bench;
}

static void splits_points(void) {
  struct bench_desc bench = bench_of();
  struct point point;
  struct err err = {0};
  ASSERT_EQ_INT(axis_point(&bench, "c=0.5,a=2k", "preset 'p'", &point, &err), 0);
  ASSERT_EQ_INT(point.count, 2);
  ASSERT_EQ_STR(point.values[0].name, "a");
  ASSERT_EQ_INT(point.values[0].i64, 2048);
  ASSERT_EQ_STR(point.values[1].str, "0.5");
  ASSERT_EQ_STR(point.preset, "");
  ASSERT_EQ_INT(axis_point(&bench, "b=a%20b", "preset 'p'", &point, &err), 0);
  ASSERT_EQ_STR(point.values[0].str, "a b");
}

static void point_refused(const char *text, const char *message) {
  struct bench_desc bench = bench_of();
  struct point point;
  struct err err = {0};
  ASSERT_EQ_INT(axis_point(&bench, text, "preset 'p'", &point, &err), -1);
  ASSERT_EQ_STR(err.text, message);
  ASSERT_EQ_INT(err.exit_code, 2);
}

static void refuses_points(void) {
  point_refused("", "preset 'p': an item of '' is empty");
  point_refused("a=1,", "preset 'p': an item of 'a=1,' is empty");
  point_refused("a", "preset 'p': 'a' is not NAME=VALUE");
  point_refused("z=1", "preset 'p': 'z' is no axis of forward, which has a, b, c");
  point_refused("a=1,a=1", "preset 'p': axis 'a' is given twice");
  point_refused("a=1:3", "preset 'p': 'a=1:3' is 3 values, not one");
  point_refused("b=zz", "preset 'p': 'zz' is not among fp32, bf16,a b,x[1]");
  point_refused("a=", "preset 'p': an item is empty");
  char text[2 * KEY_SIZE] = "a=";
  memset(text + 2, '1', sizeof text - 3);
  struct bench_desc bench = bench_of();
  struct point point;
  struct err err = {0};
  ASSERT_EQ_INT(axis_point(&bench, text, "preset 'p'", &point, &err), -1);
  ASSERT_HAS(err.text, "is too long");
}

UNIT_MAIN("axis", UNIT_TEST(expands_whole_numbers), UNIT_TEST(expands_real_numbers), UNIT_TEST(expands_choices),
          UNIT_TEST(refuses_nonsense), UNIT_TEST(refuses_bad_ranges), UNIT_TEST(refuses_too_much),
          UNIT_TEST(finds_the_default_of_a_backend), UNIT_TEST(splits_points), UNIT_TEST(refuses_points))
