/* Tests the matmul plugin's conversions against gpubench's own. */
#include "kernels.h"
#include "model/data/dtype.h"
#include "model/data/fill.h"
#include "unit.h"

static const struct {
  int32_t dtype;
  uint32_t storage;
  uint32_t codes;
} types[] = {
    {MATMUL_FP16, GB_DTYPE_F16, 0x10000}, {MATMUL_BF16, GB_DTYPE_BF16, 0x10000}, {MATMUL_E4M3, GB_DTYPE_E4M3, 0x100}};

static void every_code_widens(void) {
  for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
    int wrong = 0;
    for (uint32_t code = 0; code < types[t].codes; code++) {
      uint16_t wide = (uint16_t)code;
      uint8_t narrow = (uint8_t)code;
      float value;
      matmul_cpu_to_float(&value, types[t].codes == 0x100 ? (void *)&narrow : (void *)&wide, 0, 1, types[t].dtype);
      double expected = fill_decode(types[t].storage, code);
      bool nan = isnan(expected) != 0;
      wrong += nan ? !isnan(value) : (double)value != expected || (signbit(value) != 0) != (signbit(expected) != 0);
    }
    if (wrong > 0) UNIT_FAIL("%s: %d of %u", dtype_name(types[t].storage), wrong, types[t].codes);
  }
  UNIT_PASS();
}

/* Tests every code, the value half way to the next one, and the floats next to it. */
static void narrows_to_nearest_even(void) {
  for (size_t t = 0; t < 2; t++) {
    int wrong = 0;
    uint32_t infinity = (uint32_t)fill_infinity(types[t].storage);
    for (uint32_t code = 0; code < infinity; code++) {
      double here = fill_decode(types[t].storage, code);
      double next = code + 1 < infinity ? fill_decode(types[t].storage, code + 1)
                                        : here + (here - fill_decode(types[t].storage, code - 1));
      float tie = (float)((here + next) / 2);
      const float values[] = {(float)here, tie, nextafterf(tie, 0), nextafterf(tie, INFINITY), -tie};
      for (size_t i = 0; i < 5; i++) {
        uint16_t stored;
        matmul_cpu_from_float(&stored, 0, &values[i], 1, types[t].dtype);
        wrong += stored != fill_encode(types[t].storage, (double)values[i]);
      }
    }
    if (wrong > 0) UNIT_FAIL("%s: %d wrong", dtype_name(types[t].storage), wrong);
  }
  UNIT_PASS();
}

static void narrows_what_is_not_finite(void) {
  const float values[] = {INFINITY, -INFINITY, 3e38f, NAN};
  for (size_t t = 0; t < 2; t++) {
    uint16_t stored[4];
    matmul_cpu_from_float(stored, 0, values, 4, types[t].dtype);
    ASSERT_EQ_INT(stored[0], fill_infinity(types[t].storage));
    ASSERT_EQ_INT(stored[1], 0x8000 | fill_infinity(types[t].storage));
    ASSERT_EQ_INT(stored[2], fill_encode(types[t].storage, 3e38f));
    ASSERT_TRUE(isnan(dtype_load(types[t].storage, stored, 3)));
  }
}

static void many_at_a_time(void) {
  enum { COUNT = 1000 };
  static float values[COUNT], back[COUNT + 1];
  static uint16_t stored[COUNT + 7];
  for (int i = 0; i < COUNT; i++)
    values[i] = (float)(i - 500) / 8;
  matmul_cpu_from_float(stored, 7, values, COUNT, MATMUL_FP16);
  matmul_cpu_to_float(back, stored, 7, COUNT, MATMUL_FP16);
  ASSERT_EQ_INT(memcmp(values, back, sizeof values), 0);
}

static void gelu_of_rows_of_any_start(void) {
  enum { N = 1021, FIRST = 300, COUNT = 700 };
  static float bias[N], values[COUNT];
  const struct matmul_problem p = {.extra = bias, .m = 3, .n = N, .epilogue = MATMUL_BIAS_GELU};
  for (int i = 0; i < N; i++)
    bias[i] = (float)(i % 17) / 16;
  for (int i = 0; i < COUNT; i++)
    values[i] = (float)(i - COUNT / 2) / 32;
  values[0] = -INFINITY, values[COUNT - 1] = INFINITY, values[COUNT - 2] = NAN;
  matmul_cpu_epilogue(&p, 2, FIRST, values, COUNT);
  for (int i = 1; i < COUNT - 2; i++) {
    const double x = (double)((float)(i - COUNT / 2) / 32 + bias[FIRST + i]);
    const double must = x / 2 * (1 + tanh(0.79788456080286536 * (x + 0.044715 * x * x * x)));
    if (!(fabs((double)values[i] - must) <= 3e-7 * fabs(x) + 1e-9)) UNIT_FAIL("GELU(%g): %g", x, (double)values[i]);
  }
  ASSERT_TRUE(values[COUNT - 1] > 3e38f && isnan(values[COUNT - 2]));
  ASSERT_TRUE(isnan(values[0]) || values[0] > -1e-6f);
  UNIT_PASS();
}

UNIT_MAIN("matmul_cpu", UNIT_TEST(every_code_widens), UNIT_TEST(narrows_to_nearest_even),
          UNIT_TEST(narrows_what_is_not_finite), UNIT_TEST(many_at_a_time), UNIT_TEST(gelu_of_rows_of_any_start))
