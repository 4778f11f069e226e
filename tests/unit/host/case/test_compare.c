/* Tests which error of an output element is accepted. The limit is relative: usually to the size of other elements of
 * the output, but in a row of small values to the size of the values in that row. */
#include "case/compare.h"

#include <math.h>

#include "case/verify.h"
#include "fixture_case.h"

enum { N = 256 };
static const int64_t length = N;
static struct bed bed;
static float *y;

/* Declares the expected values of `count` elements of the output y, from element `first` on, in one call. Stores the
 * same values in y, as a variant without errors would. */
static void state(uint64_t first, uint64_t count, const double *values) {
  ASSERT_EQ_INT(gb.tensor->expect(bed.c, "y", first, count, values), GB_OK);
  for (uint64_t i = 0; i < count; i++)
    y[first + i] = (float)values[i];
}

static void begin(void) {
  bed_open(&bed);
  gb_tensor t = bed_tensor("y", GB_OUT, GB_DTYPE_F32, &length);
  t.reduction = 100;
  ASSERT_EQ_STR(bed_declare(&bed, t), "");
  bed_fill(&bed, 1);
  y = gb.tensor->data(bed.c, "y");
  memset(y, 0, N * sizeof *y);
  call_begin(bed.c, PHASE_REFERENCE, OWNER_BENCH);
}

static bool passes(void) {
  struct verification verdict;
  struct err err = {0};
  static const struct plain plain;
  ASSERT_EQ_INT(case_verify(bed.c, "fp32", &plain, &PORTION_ALL, &verdict, &err), 0);
  return verdict.pass;
}

/* If the terms of a sum cancel, the sum is near zero, but its rounding error is as large as with other sums. So the
 * limit for this error is relative to the size of the other sums. Their expected values are declared one, two or three
 * in a call (`at_once`). */
static void an_element_that_cancels_is_held_against_the_others(void) {
  for (uint64_t at_once = 1; at_once < 4; at_once++) {
    begin();
    for (uint64_t i = 0; i + at_once <= 30; i += at_once + 1) {
      const double values[] = {10, -8, 9};
      state(i, at_once, values);
    }
    const double left = 1e-6;
    state(200, 1, &left);
    y[200] = 1e-6F + 3e-6F;
    ASSERT_TRUE(passes());
    y[200] = 1;
    ASSERT_TRUE(!passes());
    bed_close(&bed);
  }
}

/* In a row of small values the limit is relative to these values. Larger values in other rows do not make it wider. */
static void a_row_of_small_values_is_held_against_itself(void) {
  double large[64], small[64];
  begin();
  for (int i = 0; i < 64; i++) {
    large[i] = 1000 + i;
    small[i] = 1e-3 * (1 + i);
  }
  state(0, 64, large);
  state(128, 64, small);
  ASSERT_TRUE(passes());
  y[130] = 4e-3F; /* wrong: 3e-3 is expected */
  ASSERT_TRUE(!passes());
  bed_close(&bed);
}

UNIT_MAIN("compare", UNIT_TEST(an_element_that_cancels_is_held_against_the_others),
          UNIT_TEST(a_row_of_small_values_is_held_against_itself))
