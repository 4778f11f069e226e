/* Comparing outputs with float64 expectations. Pure. */
#ifndef CASE_CHECK_H
#define CASE_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* Sums over all compared elements of one output. Squares of what is far from 1 would leave the range of a double, so
 * they are those of values times `unit`, a power of two. */
struct check {
  double difference2, expected2; /* sums of squares */
  double unit;                   /* 0: there are none, or all are 0 */
  double typical;                /* the root mean square of the whole, of which this is a part; 0: all is compared */
  uint64_t compared;
  double worst;         /* largest difference / (|expected| + rms of the span) */
  uint64_t worst_index; /* logical index of it */
  double worst_value, worst_expected;
  uint64_t not_finite; /* values that are NaN or infinite where the expectation is finite, and the reverse */
  uint64_t first_not_finite;
  uint64_t different; /* of which a bit is another; counted by check_bits() */
  uint64_t first_different;
  double different_value, different_expected; /* of that */
};

/* What an output may differ by from what was expected. */
struct allowance {
  double tolerance; /* norm-relative */
  bool own;         /* the bench's, and not by dtype, math and reduction */
  bool exact;       /* bit for bit */
};

/* Tolerance of a norm-relative error for an output of `dtype`, computed in `math` with `reduction` terms an element.
 * The table and its reasons are in check.c. -1: unknown math. */
double check_tolerance(uint32_t dtype, const char *math, uint64_t reduction);

/* The n-th math that has tolerances, the finest first; NULL behind the last. */
const char *check_math(size_t n);

/* What "native" means where the first input is of this storage type. */
const char *check_native(uint32_t dtype);

/* How far storage rounds a result that lies where the type's values are evenly spaced, near zero, and no relative
 * tolerance says what is right: by half the smallest positive value. A difference is what lies beyond that. 0 for
 * integers. */
double check_slack(uint32_t dtype);

/* Adds a span of `count` elements from logical index `first`. Equal infinities and NaN against NaN agree. */
void check_add(struct check *check, double slack, uint64_t first, const double *values, const double *expected,
               size_t count);

/* The same by pieces that may be judged at once: sizes of the pieces, whose sums say the span's root mean square, from
 * which follows what a difference is held against; each piece, into a check of its own; and those, in order, into the
 * one of all. */
struct check_size {
  double rms, finite; /* of the finite ones, and so many there are */
};

struct check_size check_size(const double *expected, size_t count);
struct check_size check_size_of(const struct check_size *sizes, size_t count); /* of all together */
double check_scale(const struct check *check, double rms);

struct check_ruler {
  double scale; /* as check_scale() has it; of all pieces of a span the same */
  double slack; /* as check_slack() has it */
};

void check_piece(struct check *piece, const struct check_ruler *ruler, uint64_t first, const double *values,
                 const double *expected, size_t count);
void check_join(struct check *check, const struct check *piece);

/* Beside the above, of a piece that is to be exact. */
void check_bits(struct check *piece, uint64_t first, const double *values, const double *expected, size_t count);

/* Norm-relative error; infinite when anything was not finite. 0 when nothing was compared. */
double check_error(const struct check *check);

/* Does it pass? If not, `why` says what is wrong of `tensor`, with values and index. */
bool check_pass(const struct check *check, const struct allowance *allowance, const char *tensor, char *why,
                size_t size);

#endif
