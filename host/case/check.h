/* Compares outputs with float64 expectations. The functions work on arrays and know neither tensors nor devices. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sums over all compared elements of one output. The squares are those of values times `unit`, a power of two, because
 * squares of very large or small values would leave the range of a double. */
struct check {
  double difference2, expected2; /* sums of the squares of the errors, and of the expected values */
  double unit;                   /* 0: nothing was compared, or all values are 0 */
  /* root mean square of the whole output, if only a part of it is compared; 0: the whole output is compared */
  double typical;
  uint64_t compared;
  double worst;         /* largest difference divided by the size of its element, |expected| + rms of the span */
  uint64_t worst_index; /* logical index of the worst element */
  double worst_value, worst_expected;
  /* number of values that are NaN or infinite where a finite one is expected, or the reverse */
  uint64_t not_finite;
  uint64_t first_not_finite;
  uint64_t different; /* number of values that differ in any bit; counted by check_bits() */
  uint64_t first_different;
  /* value and expected value of the first element that differs in any bit */
  double different_value, different_expected;
};

/* How far an output may differ from its expectations. */
struct allowance {
  double tolerance; /* largest norm-relative error that passes */
  bool own;         /* the tolerance is set by the bench, instead of computed from dtype, math and reduction */
  bool exact;       /* values must match bit for bit */
};

/* Returns the tolerance for the norm-relative error of an output of `dtype` that is computed in `math` with sums of
 * `reduction` terms. Table and sources are in check.c. -1: unknown dtype or math. */
double check_tolerance(uint32_t dtype, const char *math, uint64_t reduction);

/* Returns the name of the n-th math mode that has tolerances, the most precise first; NULL after the last. */
const char *check_math(size_t n);

/* Returns the math mode that "native" means for a case whose first input has this storage type. */
const char *check_native(uint32_t dtype);

/* Returns the difference that is not counted as an error: half of the smallest positive value of this storage type (of
 * f64 all of it, see check.c); 0 for integers. Rounding near zero moves a result by up to that much. Of a larger
 * difference only the part above it counts. */
double check_slack(uint32_t dtype);

/* Compares a span of `count` elements from logical index `first`, and adds the result to `check`. Equal infinities
 * agree, and so do NaN and NaN. */
void check_add(struct check *check, double slack, uint64_t first, const double *values, const double *expected,
               size_t count);

/* These functions do in parallel, for pieces of a span, what check_add() does for a whole span. check_size() measures a
 * piece, and check_size_of() combines the sizes into the root mean square of the span. check_scale() turns it into the
 * divisor of all differences. check_piece() compares a piece and stores the result in a separate struct check;
 * check_join() adds these results in order. */
struct check_size {
  double rms, finite; /* rms: root mean square of the finite values; finite: number of finite values */
};

struct check_size check_size(const double *expected, size_t count);
struct check_size check_size_of(const struct check_size *sizes, size_t count); /* the size of all pieces together */
double check_scale(const struct check *check, double rms);

struct check_ruler {
  double scale; /* from check_scale(); the same for all pieces of a span */
  double slack; /* the result of check_slack() */
};

void check_piece(struct check *piece, const struct check_ruler *ruler, uint64_t first, const double *values,
                 const double *expected, size_t count);
void check_join(struct check *check, const struct check *piece);

/* Counts the values that differ in any bit. Call it in addition to check_piece() for an output that must match bit for
 * bit. */
void check_bits(struct check *piece, uint64_t first, const double *values, const double *expected, size_t count);

/* Returns the norm-relative error, sqrt(sum of squared differences / sum of squared expected values): infinite if a
 * value was not finite, 0 if nothing was compared. */
double check_error(const struct check *check);

/* Returns true if the output passes. If not, `why` names `tensor`, the fault, values and index. */
bool check_pass(const struct check *check, const struct allowance *allowance, const char *tensor, char *why,
                size_t size);
