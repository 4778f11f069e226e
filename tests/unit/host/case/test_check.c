#include "case/check.h"

#include <float.h>

#include "model/data/dtype.h"
#include "model/data/fill.h"
#include "unit.h"

enum { N = 4096 };

/* Fills in normal values, and the same values rounded to `dtype`. */
static void rounded(uint32_t dtype, double *exact, double *stored, size_t count) {
  struct fill fill = {GB_DTYPE_F64, GB_FILL_NORMAL, 0, 3, 1, dtype};
  for (size_t i = 0; i < count; i++) {
    exact[i] = fill_value(&fill, rng_key(1, dtype), i);
    uint64_t storage = 0;
    fill_store(dtype, &storage, 0, exact[i]);
    stored[i] = dtype_load(dtype, &storage, 0);
  }
}

static struct check compare(const double *values, const double *expected, size_t count) {
  struct check check = {0};
  check_add(&check, 0, 0, values, expected, count);
  return check;
}

static bool passes(const struct check *check, double tolerance, char why[static 512]) {
  return check_pass(check, &(struct allowance){.tolerance = tolerance}, "y", why, 512);
}

/* Finds differences that no norm shows: the last bit, the sign of a zero, a difference too small to be squared. */
static void every_bit_counts(void) {
  static const double expected[] = {1, 0.0, 5e-324, NAN, INFINITY, 2}, values[] = {1, -0.0, 1e-323, -NAN, INFINITY, 3};
  char why[512];
  struct check pieces[2], check = {0};
  for (int i = 0; i < 2; i++) {
    pieces[i] = (struct check){0};
    check_piece(&pieces[i], &(struct check_ruler){1, 0}, 3 * (uint64_t)i, values + 3 * i, expected + 3 * i,
                i == 0 ? 3 : 2);
    check_bits(&pieces[i], 3 * (uint64_t)i, values + 3 * i, expected + 3 * i, i == 0 ? 3 : 2);
    check_join(&check, &pieces[i]);
  }
  ASSERT_TRUE(!check_pass(&check, &(struct allowance){.own = true, .exact = true}, "y", why, sizeof why));
  ASSERT_EQ_STR(why, "'y': 2 of 5 values are not bit for bit what they have to be; first [1] is -0, expected 0");
  ASSERT_TRUE(check_pass(&pieces[1], &(struct allowance){.own = true, .exact = true}, "y", why, sizeof why));
}

static void tolerances_of_the_bench_are_named(void) {
  static const double expected[] = {1, 2, 3, 4}, values[] = {1.1, 2, 3, 4};
  char why[512];
  const struct check check = compare(values, expected, 4);
  ASSERT_TRUE(!check_pass(&check, &(struct allowance){1e-3, true, false}, "y", why, sizeof why));
  ASSERT_HAS(why, "tolerance 1.50e-03 of the bench's own (norm-relative over 4 values)");
  ASSERT_TRUE(check_pass(&check, &(struct allowance){0.5, true, false}, "y", why, sizeof why));
}

/* Values whose only error is the rounding to their storage type have the errors listed here, and pass. With the
 * tolerance of the next more precise type they fail. */
static void storage_rounding_passes(void) {
  static const struct {
    uint32_t dtype;
    double error;
  } rows[] = {{GB_DTYPE_F32, 2.53e-8}, {GB_DTYPE_F16, 2.07e-4}, {GB_DTYPE_BF16, 1.66e-3}, {GB_DTYPE_E4M3, 2.65e-2}};
  double exact[N], stored[N];
  char why[512];
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    rounded(rows[i].dtype, exact, stored, N);
    struct check check = compare(stored, exact, N);
    ASSERT_NEAR(check_error(&check), rows[i].error, 0.05 * rows[i].error);
    ASSERT_TRUE(passes(&check, check_tolerance(rows[i].dtype, "fp32", 1), why));
    ASSERT_EQ_STR(why, "");
    if (i > 0) ASSERT_TRUE(!passes(&check, check_tolerance(rows[i - 1].dtype, "fp32", 4096), why));
  }
}

static void targets_of_the_table(void) {
  static const struct {
    uint32_t dtype;
    const char *math;
    uint64_t reduction;
    double least, most;
  } rows[] = {
      {GB_DTYPE_BF16, "bf16", 128, 3.5e-3, 4.5e-3}, {GB_DTYPE_BF16, "fp32", 1024, 2.4e-3, 4e-3},
      {GB_DTYPE_F32, "fp32", 512, 1e-6, 4e-6},      {GB_DTYPE_F32, "fp32", 4096, 5e-6, 1.5e-5},
      {GB_DTYPE_F32, "tf32", 4096, 8e-4, 2e-3},     {GB_DTYPE_F32, "3xtf32", 4096, 1e-5, 1e-4},
      {GB_DTYPE_F16, "fp16", 4096, 4e-4, 8e-4},     {GB_DTYPE_F64, "fp64", 4096, 1e-14, 1e-13},
      {GB_DTYPE_BF16, "fp8", 4096, 3e-2, 8e-2},     {GB_DTYPE_I32, "fp32", 4096, 0, 0},
      {GB_DTYPE_E4M3, "fp32", 4096, 3e-2, 5e-2},    {GB_DTYPE_E4M3, "fp8", 4096, 5e-2, 8e-2},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    double tolerance = check_tolerance(rows[i].dtype, rows[i].math, rows[i].reduction);
    if (!(tolerance >= rows[i].least && tolerance <= rows[i].most))
      UNIT_FAIL("%s in %s, %llu terms: %g", dtype_name(rows[i].dtype), rows[i].math,
                (unsigned long long)rows[i].reduction, tolerance);
  }
  ASSERT_NEAR(check_tolerance(GB_DTYPE_F32, "native", 1), -1, 0);
  ASSERT_NEAR(check_tolerance(GB_DTYPE_F32, "", 1), -1, 0);
  ASSERT_NEAR(check_tolerance(99, "fp32", 1), -1, 0);
}

static void native_math_is_that_of_storage(void) {
  ASSERT_EQ_STR(check_native(GB_DTYPE_F64), "fp64");
  ASSERT_EQ_STR(check_native(GB_DTYPE_F32), "fp32");
  ASSERT_EQ_STR(check_native(GB_DTYPE_F16), "fp16");
  ASSERT_EQ_STR(check_native(GB_DTYPE_BF16), "bf16");
  ASSERT_EQ_STR(check_native(GB_DTYPE_E4M3), "fp8");
  ASSERT_EQ_STR(check_native(GB_DTYPE_U8), "fp32");
}

/* A sum that was computed in one precision passes with the tolerance for that precision, and fails with that for the
 * next higher one. */
static void sums_in_float(void) {
  enum { TERMS = 4096, SUMS = 64 };
  double values[SUMS], expected[SUMS];
  char why[512];
  for (uint64_t s = 0; s < SUMS; s++) {
    float sum = 0;
    double exact = 0;
    struct fill fill = {GB_DTYPE_F32, GB_FILL_UNIFORM, -1, 1, 1, 1};
    for (uint64_t i = 0; i < TERMS; i++) {
      double a = fill_value(&fill, 1, s * TERMS + i), b = fill_value(&fill, 2, s * TERMS + i);
      sum += (float)a * (float)b;
      exact += a * b;
    }
    values[s] = (double)sum;
    expected[s] = exact;
  }
  struct check check = compare(values, expected, SUMS);
  ASSERT_TRUE(passes(&check, check_tolerance(GB_DTYPE_F32, "fp32", TERMS), why));
  ASSERT_TRUE(!passes(&check, check_tolerance(GB_DTYPE_F64, "fp64", TERMS), why));
}

/* A single value that was exact before it was rounded to bf16 passes, even if the rounding error is as large as
 * possible. */
static void single_values_pass(void) {
  char why[512];
  double expected = 1 + 0x1.fp-9, value = 1;
  struct check check = compare(&value, &expected, 1);
  ASSERT_TRUE(passes(&check, check_tolerance(GB_DTYPE_BF16, "fp32", 1), why));
  value = 1 + 0x1p-6;
  check = compare(&value, &expected, 1);
  ASSERT_TRUE(!passes(&check, check_tolerance(GB_DTYPE_BF16, "fp32", 1), why));
}

static void one_wrong_element_is_found(void) {
  double exact[N], stored[N];
  char why[512];
  rounded(GB_DTYPE_BF16, exact, stored, N);
  double tolerance = check_tolerance(GB_DTYPE_BF16, "bf16", 64);
  /* the error of the whole norm stays far below the tolerance, but this element is wrong */
  stored[1234] += 0.3;
  struct check check = compare(stored, exact, N);
  ASSERT_TRUE(check_error(&check) < tolerance);
  ASSERT_TRUE(!passes(&check, tolerance, why));
  ASSERT_EQ_INT(check.worst_index, 1234);
  char number[64];
  ASSERT_HAS(why, "'y': [1234] is ");
  snprintf(number, sizeof number, "%.9g", exact[1234]);
  ASSERT_HAS(why, number);
  snprintf(number, sizeof number, "tolerance %.2e", 8 * tolerance);
  ASSERT_HAS(why, number);
}

static void messages_name_everything(void) {
  static const double values[] = {1, 2.5, 3}, expected[] = {1, 2, 3};
  struct check check = compare(values, expected, 3);
  char why[512], small[8];
  ASSERT_TRUE(!passes(&check, 1e-3, why));
  ASSERT_HAS(why,
             "'y': error 1.34e-01, tolerance 1.58e-03 (norm-relative over 3 values); worst [1] is 2.5, expected 2");
  ASSERT_TRUE(!check_pass(&check, &(struct allowance){.tolerance = 1e-3}, "y", small, sizeof small));
  ASSERT_EQ_INT(strlen(small), 7);
}

static void not_finite_values(void) {
  static const double expected[] = {1, INFINITY, -INFINITY, NAN, 5};
  double values[] = {1, INFINITY, -INFINITY, NAN, 5};
  char why[512];
  struct check check = compare(values, expected, 5);
  ASSERT_TRUE(passes(&check, 0, why));
  ASSERT_NEAR(check_error(&check), 0, 0);
  values[1] = -INFINITY;
  values[4] = NAN;
  check = (struct check){0};
  check_add(&check, 0, 100, values, expected, 5);
  ASSERT_EQ_INT(check.not_finite, 2);
  ASSERT_EQ_INT(check.first_not_finite, 101);
  ASSERT_TRUE(isinf(check_error(&check)));
  ASSERT_TRUE(!passes(&check, 1, why));
  ASSERT_HAS(why,
             "2 of 5 values are not finite, or finite where they should not be; first [101] is -inf, expected inf");
}

static void zeros_and_nothing(void) {
  static const double zeros[4] = {0}, small[4] = {0, 1e-30, 0, 0}, ones[2] = {1, 1};
  char why[512];
  struct check check = compare(zeros, zeros, 4);
  ASSERT_TRUE(passes(&check, 0, why));
  check = compare(small, zeros, 4);
  ASSERT_TRUE(!passes(&check, 1e-3, why));
  check = compare(ones, ones, 2);
  check_add(&check, 0, 2, small, zeros, 4); /* compared with ones, 1e-30 is negligible */
  ASSERT_TRUE(passes(&check, 1e-3, why));
  check = (struct check){0};
  ASSERT_NEAR(check_error(&check), 0, 0);
  ASSERT_TRUE(!passes(&check, 1e-3, why));
  ASSERT_HAS(why, "nothing was compared");
}

static void spans_add_up(void) {
  double exact[N], stored[N];
  rounded(GB_DTYPE_F16, exact, stored, N);
  struct check whole = compare(stored, exact, N), parts = {0};
  for (size_t i = 0; i < N; i += 256)
    check_add(&parts, 0, i, stored + i, exact + i, 256);
  ASSERT_EQ_INT(parts.compared, N);
  ASSERT_NEAR(check_error(&parts), check_error(&whole), 1e-12);
}

/* Relative errors are right for values of any magnitude, although their squares leave the range of a double. */
static void norms_do_not_leave_the_range(void) {
  static const double sizes[] = {0x1p-1020, 1e-307, 1e-200, 1e-162, 1e-160, 1e-122, 1e-100, 1,      1e100,
                                 1e144,     1e145,  1e152,  3e152,  1e154,  1e156,  1e200,  8.9e307};
  static const double off[] = {1e-12, 1e-4, 0.01, 0.5};
  const double tolerance = check_tolerance(GB_DTYPE_F64, "fp64", 1);
  double values[N], expected[N];
  char why[512];
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
    for (size_t i = 0; i < N; i++) {
      expected[i] = sizes[s] * (1 + (double)i / N) * (i % 2 ? 1 : -1);
      values[i] = nextafter(expected[i], INFINITY);
    }
    struct check check = compare(values, expected, N);
    if (!passes(&check, tolerance, why)) UNIT_FAIL("an ulp at %g: %s", sizes[s], why);
    ASSERT_TRUE(check_error(&check) > 1e-17);
    for (size_t k = 0; k < sizeof off / sizeof off[0]; k++) {
      for (size_t i = 0; i < N; i++)
        values[i] = expected[i] * (1 - off[k]);
      check = compare(values, expected, N);
      if (passes(&check, tolerance, why) || fabs(check_error(&check) / off[k] - 1) > 1e-3)
        UNIT_FAIL("%g off at %g: error %g", off[k], sizes[s], check_error(&check));
      ASSERT_NEAR(check.worst_expected, expected[check.worst_index], 0);
    }
  }
}

/* The spans (ranges of elements) of a tensor may differ in magnitude. The error is relative to the norm of the whole
 * tensor. */
static void spans_of_all_sizes_add_up(void) {
  static const struct {
    double sizes[3], off[3]; /* magnitudes of three spans, and their relative errors */
    double error;
  } rows[] = {
      {{1e-200, 1e200, 1}, {0, 0.5, 0}, 0.5},
      {{1e200, 1e-200, 1e200}, {0.1, 0, 0.1}, 0.1},
      {{0, 1e-250, 1e-250}, {0, 0.5, 0.5}, 0.5},
      {{1e-170, 1e-170, 0}, {0.25, 0.25, 0}, 0.25},
      {{1, 1e-300, 1}, {0, 1e-3, 0}, 0},
      {{1e-300, 1, 1e-300}, {1e-3, 1e-6, 1e-3}, 1e-6},
      {{1e307, 1e307, 1e-307}, {1e-9, 1e-9, 0}, 1e-9},
      {{1e160, 0, 0}, {0.5, 0, 0}, 0.5},
  };
  enum { SPAN = 100 };
  double values[SPAN], expected[SPAN];
  for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
    struct check check = {0};
    for (size_t span = 0; span < 3; span++) {
      for (size_t i = 0; i < SPAN; i++) {
        expected[i] = rows[r].sizes[span];
        values[i] = expected[i] * (1 - rows[r].off[span]);
      }
      check_add(&check, 0, SPAN * span, values, expected, SPAN);
    }
    if (fabs(check_error(&check) - rows[r].error) > 1e-6 * rows[r].error)
      UNIT_FAIL("row %zu: error %g, not %g", r, check_error(&check), rows[r].error);
  }
}

static void sizes_of_all_sizes(void) {
  static const struct {
    double values[4], rms;
  } rows[] = {
      {{3, 4, 3, 4}, 3.5355339059327378},
      {{3e200, 4e200, 3e200, 4e200}, 3.5355339059327378e200},
      {{3e-200, 4e-200, 3e-200, 4e-200}, 3.5355339059327378e-200},
      {{1e300, 1e-300, 1e300, 0}, 0.70710678118654752e300},
      {{DBL_MAX, DBL_MAX, DBL_MAX, DBL_MAX}, DBL_MAX},
      {{1e155, NAN, INFINITY, -1e155}, 1e155},
      {{0, 0, 0, 0}, 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const struct check_size size = check_size(rows[i].values, 4), both[] = {size, size};
    ASSERT_NEAR(size.rms, rows[i].rms, 1e-15 * rows[i].rms);
    ASSERT_NEAR(check_size_of(both, 2).rms, rows[i].rms, 1e-15 * rows[i].rms);
  }
}

/* Correctly rounded values pass, even values below the smallest one that the type can hold. Wrong values of the same
 * size do not pass. */
static void what_is_rounded_rightly_passes(void) {
  static const struct {
    uint32_t dtype;
    double size, wrong; /* wrong: a wrong result, as a share of the expected one */
  } rows[] = {
      {GB_DTYPE_F16, 1, 0.99},     {GB_DTYPE_F16, 1e-3, 0},       {GB_DTYPE_F16, 6e-5, 0.9},
      {GB_DTYPE_F16, 1e-5, 0.9},   {GB_DTYPE_F16, 1e-6, 0},       {GB_DTYPE_F16, 1e-7, 0},
      {GB_DTYPE_F16, 1e-9, 1e3},   {GB_DTYPE_F32, 1e-3, 0.999},   {GB_DTYPE_F32, 1e-37, 0.999},
      {GB_DTYPE_F32, 1e-40, 0.99}, {GB_DTYPE_F32, 1e-42, 0.9},    {GB_DTYPE_F32, 1e-44, 0},
      {GB_DTYPE_F32, 1e-60, 1e20}, {GB_DTYPE_BF16, 1e-3, 0.9},    {GB_DTYPE_BF16, 1e-38, 0.9},
      {GB_DTYPE_BF16, 1e-39, 0.8}, {GB_DTYPE_BF16, 1e-40, 0},     {GB_DTYPE_E4M3, 1, 0.7},
      {GB_DTYPE_E4M3, 0.03, 0.7},  {GB_DTYPE_E4M3, 0.015, 0},     {GB_DTYPE_E4M3, 4e-3, 0},
      {GB_DTYPE_E4M3, 1e-4, 100},  {GB_DTYPE_F64, 1e-310, 0.999}, {GB_DTYPE_F64, 1e-320, 0.9},
  };
  double values[N], expected[N];
  char why[512];
  for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
    const uint32_t dtype = rows[r].dtype;
    const double tolerance = check_tolerance(dtype, check_native(dtype), 1), slack = check_slack(dtype);
    for (int right = 1; right >= 0; right--) {
      struct check check = {0};
      for (size_t i = 0; i < N; i++) {
        expected[i] = rows[r].size * (1 + (double)i / N);
        values[i] = dtype_round(dtype, right ? expected[i] : rows[r].wrong * expected[i]);
      }
      check_add(&check, slack, 0, values, expected, N);
      if (passes(&check, tolerance, why) != right)
        UNIT_FAIL("%s at %g: %s %s", dtype_name(dtype), rows[r].size, right ? "right, but" : "wrong, but passes", why);
    }
  }
  ASSERT_NEAR(check_slack(GB_DTYPE_F16), 0x1p-25, 0);
  ASSERT_NEAR(check_slack(GB_DTYPE_F32), 0x1p-150, 0);
  ASSERT_NEAR(check_slack(GB_DTYPE_BF16), 0x1p-134, 0);
  ASSERT_NEAR(check_slack(GB_DTYPE_E4M3), 0x1p-10, 0);
  ASSERT_NEAR(check_slack(GB_DTYPE_F64), 0x1p-1074, 0);
  ASSERT_NEAR(check_slack(GB_DTYPE_I32), 0, 0);
  ASSERT_NEAR(check_slack(GB_DTYPE_U8), 0, 0);
}

/* Computes the same as compare(), but one element after another. */
static struct check plainly(const double *values, const double *expected, size_t count) {
  struct check check = {.compared = count};
  const double rms = check_size(expected, count).rms;
  for (size_t i = 0; i < count; i++) {
    if (!isfinite(values[i]) || !isfinite(expected[i])) {
      check.not_finite += !(values[i] == expected[i]);
      if (check.not_finite == 1 && check.worst < INFINITY)
        check.first_not_finite = check.worst_index = i, check.worst = INFINITY;
      continue;
    }
    double difference = fabs(values[i] - expected[i]), relative = difference / (fabs(expected[i]) + rms);
    check.difference2 += difference * difference;
    check.expected2 += expected[i] * expected[i];
    if (relative > check.worst) check.worst = relative, check.worst_index = i;
  }
  return check;
}

static void agrees(const struct check *check, const struct check *right) {
  ASSERT_NEAR(check->difference2, right->difference2, 1e-12 * right->difference2);
  ASSERT_NEAR(check->expected2, right->expected2, 1e-12 * right->expected2);
  ASSERT_EQ_INT(check->compared, right->compared);
  ASSERT_EQ_INT(check->not_finite, right->not_finite);
  ASSERT_EQ_INT(check->first_not_finite, right->first_not_finite);
  ASSERT_TRUE(check->worst == right->worst || fabs(check->worst / right->worst - 1) < 1e-12);
  ASSERT_EQ_INT(check->worst_index, right->worst_index);
}

/* Tests compare() on complete and partial blocks, with the worst element at any position. Of two equally wrong elements
 * it names the first. */
static void blocks_are_as_their_elements(void) {
  static const size_t counts[] = {1, 63, 64, 65, 700, N};
  double exact[N], stored[N];
  for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
    for (size_t place = 0; place < counts[c]; place += 1 + counts[c] / 9) {
      rounded(GB_DTYPE_BF16, exact, stored, N);
      stored[place] += 3;
      exact[counts[c] - 1] = exact[place], stored[counts[c] - 1] = stored[place];
      struct check check = compare(stored, exact, counts[c]), right = plainly(stored, exact, counts[c]);
      agrees(&check, &right);
      ASSERT_EQ_INT(check.worst_index, place);
      stored[place] = INFINITY;
      check = compare(stored, exact, counts[c]), right = plainly(stored, exact, counts[c]);
      agrees(&check, &right);
    }
}

/* Checks of pieces add up to the check of the whole span, wherever values are not finite. */
static void pieces_add_up(void) {
  double exact[N], stored[N];
  for (int infinite = 0; infinite < 3; infinite++) {
    rounded(GB_DTYPE_F16, exact, stored, N);
    if (infinite > 0) stored[N - 5] = INFINITY;
    if (infinite > 1) stored[700] = stored[701] = INFINITY;
    struct check whole = compare(stored, exact, N), sum = {0};
    const struct check_ruler ruler = {check_size(exact, N).rms, 0};
    for (size_t i = 0; i < N; i += 512) {
      struct check piece = {0};
      check_piece(&piece, &ruler, i, stored + i, exact + i, 512);
      check_join(&sum, &piece);
    }
    agrees(&sum, &whole);
    ASSERT_EQ_INT(sum.not_finite, infinite == 2 ? 3 : infinite);
  }
}

UNIT_MAIN("check", UNIT_TEST(storage_rounding_passes), UNIT_TEST(every_bit_counts),
          UNIT_TEST(tolerances_of_the_bench_are_named), UNIT_TEST(targets_of_the_table),
          UNIT_TEST(native_math_is_that_of_storage), UNIT_TEST(sums_in_float), UNIT_TEST(single_values_pass),
          UNIT_TEST(one_wrong_element_is_found), UNIT_TEST(messages_name_everything), UNIT_TEST(not_finite_values),
          UNIT_TEST(zeros_and_nothing), UNIT_TEST(spans_add_up), UNIT_TEST(norms_do_not_leave_the_range),
          UNIT_TEST(spans_of_all_sizes_add_up), UNIT_TEST(sizes_of_all_sizes),
          UNIT_TEST(what_is_rounded_rightly_passes), UNIT_TEST(blocks_are_as_their_elements), UNIT_TEST(pieces_add_up))
