/* Tests the short forms of GELU and Swish against float64, for every bf16 and fp16 value and a dense sweep of fp32.
 * CUDA uses the same formulas, with instructions for 2^z and 1/z whose errors (2 and 1 units in the last place) are
 * about as large as fp32's rounding. Also tests the conversions of the cpu kernels against gpubench's own. */
#include "../../plugins/activations/approx.h"

#include <math.h>

#include "../../plugins/shared/convert.h"
#include "model/data/fill.h"
#include "unit.h"

typedef float (*quick_fn)(float x);
typedef double (*exact_fn)(double x);

static float quick_erf(float x) {
  return approx_gelu_erf(x);
}

static float quick_erf_16bit(float x) {
  return approx_gelu_erf_16bit(x);
}

static float quick_erf_bf16(float x) {
  return approx_gelu_erf_bf16(x);
}

static float quick_tanh(float x) {
  return approx_gelu_tanh(x);
}

static float quick_swish(float x) {
  return approx_swish(x);
}

static double exact_erf(double x) {
  return 0.5 * x * erfc(-x * 0.70710678118654752);
}

/* Returns the tanh form of GELU, without computing 1 + tanh(u), which would cancel in the lower tail. */
static double exact_tanh(double x) {
  return x / (1 + exp(-2 * 0.79788456080286536 * (x + 0.044715 * x * x * x)));
}

static double exact_swish(double x) {
  return x / (1 + exp(-x));
}

/* Returns the distance between neighbouring values of the type at `value`. */
static double step_at(uint32_t dtype, double value) {
  const uint64_t code = fill_encode(dtype, fabs(value));
  return fill_decode(dtype, code + 1) - fill_decode(dtype, code);
}

/* Returns the largest error over every finite value of the type in [low, high]. The unit is the distance between
 * neighbouring values of the type at the exact result. */
static double worst_in_steps(uint32_t dtype, quick_fn quick, exact_fn exact, double low, double high) {
  double worst = 0;
  for (uint64_t code = 0; code < 65536; code++) {
    const double x = fill_decode(dtype, code);
    if (!(x >= low && x <= high)) continue;
    const double y = exact(x), error = fabs((double)quick((float)x) - y) / step_at(dtype, y);
    if (!(error <= worst)) worst = error;
  }
  return worst;
}

/* Bounds the errors in steps of the type; rounding for storage alone costs half a step. The smallest bf16 values reach
 * far into the tail, where GELU is -5e-15. */
static void every_16_bit_value(void) {
  static const struct {
    quick_fn quick;
    exact_fn exact;
    double low, bf16, fp16;
  } cases[] = {{quick_erf, exact_erf, -8, 0.03, 0.13},
               {quick_erf_16bit, exact_erf, -8, 0.01, 0.07},
               {quick_erf_bf16, exact_erf, -6, 0.1, 0.8},
               {quick_tanh, exact_tanh, -5, 0.002, 0.003},
               {quick_swish, exact_swish, -80, 0.002, 0.003}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const double bf16 = worst_in_steps(GB_DTYPE_BF16, cases[i].quick, cases[i].exact, cases[i].low, 3e38);
    const double fp16 = worst_in_steps(GB_DTYPE_F16, cases[i].quick, cases[i].exact, cases[i].low, 65504);
    if (!(bf16 <= cases[i].bf16)) UNIT_FAIL("case %zu: %g steps of bf16, at most %g", i, bf16, cases[i].bf16);
    if (!(fp16 <= cases[i].fp16)) UNIT_FAIL("case %zu: %g steps of fp16, at most %g", i, fp16, cases[i].fp16);
  }
}

/* Below the range of the formulas, the result approaches 0 from below and stays there. */
static void the_tail_vanishes(void) {
  const quick_fn quick[] = {quick_erf, quick_erf_16bit, quick_erf_bf16, quick_tanh};
  for (size_t i = 0; i < sizeof quick / sizeof quick[0]; i++)
    for (double x = -5; x > -3e38; x *= 1.01) {
      const double y = (double)quick[i]((float)x);
      if (!(y <= 0 && y >= -2e-6)) UNIT_FAIL("case %zu: %g becomes %g", i, x, y);
      if (x < -16 && y != 0) UNIT_FAIL("case %zu: %g becomes %g", i, x, y);
    }
}

static double worst_fp32(quick_fn quick, exact_fn exact) {
  double worst = 0;
  for (int i = -2400000; i <= 2400000; i++) {
    const double x = (double)((float)i * (12.0f / 2400000)), error = fabs((double)quick((float)x) - exact(x));
    if (!(error / fmax(fabs(x), 1) <= worst)) worst = error / fmax(fabs(x), 1);
  }
  return worst;
}

/* Errors are relative to the larger of |x| and 1; half a step of fp32 is 6e-8. */
static void a_dense_sweep_of_fp32(void) {
  ASSERT_NEAR(worst_fp32(quick_erf, exact_erf), 0, 1.1e-7);
  ASSERT_NEAR(worst_fp32(quick_tanh, exact_tanh), 0, 2.5e-7);
  ASSERT_NEAR(worst_fp32(quick_swish, exact_swish), 0, 2.5e-7);
}

static void the_forms_differ(void) {
  double most = 0;
  for (double x = -6; x <= 6; x += 1e-3)
    most = fmax(most, fabs((double)quick_erf((float)x) - (double)quick_tanh((float)x)));
  ASSERT_TRUE(most > 4e-4 && most < 6e-4);
}

static void special_values(void) {
  const quick_fn quick[] = {quick_erf, quick_erf_16bit, quick_erf_bf16, quick_tanh, quick_swish};
  for (size_t i = 0; i < sizeof quick / sizeof quick[0]; i++) {
    ASSERT_TRUE(isnan(quick[i](NAN)));
    ASSERT_TRUE(isinf(quick[i](INFINITY)) && quick[i](INFINITY) > 0);
    ASSERT_TRUE(quick[i](0.0f) == 0.0f && quick[i](-0.0f) == 0.0f);
    ASSERT_TRUE(quick[i](3e38f) == 3e38f);
    ASSERT_TRUE(quick[i](-3e38f) == 0.0f);
  }
  ASSERT_TRUE(quick_erf(-INFINITY) == 0.0f);
}

static void conversions_are_the_hosts(void) {
  for (uint32_t code = 0; code < 65536; code++) {
    const double half = fill_decode(GB_DTYPE_F16, code), brain = fill_decode(GB_DTYPE_BF16, code);
    const float from = from_fp16((uint16_t)code);
    if (isnan(half) ? !isnan(from) : (double)from != half || (signbit(from) != 0) != (signbit(half) != 0))
      UNIT_FAIL("fp16 0x%x is %g, should be %g", code, (double)from, half);
    if (isnan(half) ? !isnan(from_fp16(to_fp16(from))) : to_fp16(from) != code)
      UNIT_FAIL("fp16 0x%x comes back as 0x%x", code, to_fp16(from));
    if (!isnan(brain) && to_bf16(from_bf16((uint16_t)code)) != code) UNIT_FAIL("bf16 0x%x comes back otherwise", code);
  }
  for (uint32_t i = 0; i < 4000000; i++) { /* bit patterns over the whole range, including ties */
    const float value = bits_to_float(i % 4 != 0 ? i * 2654435761u : i * 2654435761u & 0xfffff000u);
    if (isnan(value)) continue;
    const uint64_t half = fill_encode(GB_DTYPE_F16, (double)value), brain = fill_encode(GB_DTYPE_BF16, (double)value);
    if (to_fp16(value) != half)
      UNIT_FAIL("%a to fp16: 0x%x, should be 0x%llx", (double)value, to_fp16(value), (unsigned long long)half);
    if (to_bf16(value) != brain)
      UNIT_FAIL("%a to bf16: 0x%x, should be 0x%llx", (double)value, to_bf16(value), (unsigned long long)brain);
  }
}

UNIT_MAIN("activations_approx", UNIT_TEST(every_16_bit_value), UNIT_TEST(the_tail_vanishes),
          UNIT_TEST(a_dense_sweep_of_fp32), UNIT_TEST(the_forms_differ), UNIT_TEST(special_values),
          UNIT_TEST(conversions_are_the_hosts))
