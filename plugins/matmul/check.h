/* Is c = a * transposed b? Sampled rows in float64 for the host to compare, and Freivalds' check of what was not
 * sampled. Knows nothing of variants. */
#ifndef MATMUL_CHECK_H
#define MATMUL_CHECK_H

#include <gpubench/sugar.h>

#define MATMUL_VECTORS 4

/* One case's problem, and what the last `reference` found about it; zeros but for the first fields before that. */
struct matmul_check {
  int64_t m, n, k;
  double error_most; /* of the sample, norm-relative; 0: the host's own comparison is enough */

  double *expected; /* the sample: `rows` x `columns` elements of c; NULL where every element was stated and that is
                       enough */
  int64_t *row, *column;
  int64_t rows, columns;

  int64_t stride; /* one row of a in so many takes part in the sums, and one of b */
  int64_t sum_rows, sum_columns, blocks, width;
  int64_t *sum_row, *sum_column;
  double *weight; /* [sum_columns][MATMUL_VECTORS]: random, of magnitudes 1 to 1.25 */
  double *sums;   /* [sum_rows][blocks][MATMUL_VECTORS]: what the weighted elements of a block of columns add up to;
                     NULL where every element was stated */
};

/* States the sample, and computes the sums from the inputs as stored. */
gb_status matmul_check_reference(const gb_sdk *sdk, gb_case *c, struct matmul_check *check);

/* The sums of the output that was just written against those. */
gb_status matmul_check_verify(const gb_sdk *sdk, gb_case *c, const struct matmul_check *check);

void matmul_check_clear(struct matmul_check *check);

#endif
