/* Is c = a * transposed b, or what an epilogue makes of it? Sampled rows in float64 for the host to compare. What was
 * not sampled: of a plain product Freivalds' check; of an epilogue every element on a GPU, none on processors, which
 * sample more. Knows nothing of variants. */
#ifndef MATMUL_CHECK_H
#define MATMUL_CHECK_H

#include <gpubench/sugar.h>

#include "kernels.h"

struct matmul_check_work;

/* One case's problem, and what the last `reference` found about it; zeros but for the first fields before that. */
struct matmul_check {
  int64_t m, n, k;
  int32_t epilogue;                     /* MATMUL_PLAIN, ... */
  double error_most;                    /* of the sample, norm-relative; 0: the host's own comparison is enough */
  const struct matmul_check_work *work; /* where c is read and sums are computed: the host's processors, or a GPU */
  struct matmul_device *device;         /* the latter's; NULL: not needed */
  int64_t most_rows, most_columns;      /* of the sample; columns are whole segments */

  double *expected; /* the sample: `rows` x `columns` elements of c; NULL where every element was stated and that is
                       enough */
  int64_t *row, *column;
  int64_t rows, columns;

  int64_t stride; /* one row of a in so many takes part in the sums, and one of b */
  int64_t sum_rows, sum_columns, blocks, width;
  int64_t *sum_row, *sum_column;
  double *weight; /* [sum_columns][MATMUL_VECTORS]: random, of magnitudes 1 to 1.25;
                     NULL where every element was stated */
  double *sums;   /* [sum_rows][blocks][MATMUL_VECTORS]: what the weighted elements of a block of columns add up to;
                     NULL where a GPU keeps them */
};

/* In setup, with m, n, k, epilogue and error_most set: the processors compute. */
void matmul_check_on_host(struct matmul_check *check);

/* In setup: the case's GPU computes. Takes the memory for it, of which a small problem needs none. */
gb_status matmul_check_on_device(const gb_sdk *sdk, gb_case *c, struct matmul_check *check, int32_t dtype);

/* States the sample, in float64 by the processors from what the host fills inputs with, and computes the sums: a GPU
 * from the inputs that it holds, which are fresh, and whose checksums say later that no variant has changed them. Were
 * they not what the host means, the sample would tell. */
gb_status matmul_check_reference(const gb_sdk *sdk, gb_case *c, struct matmul_check *check);

/* The sums of the output that was just written against those. */
gb_status matmul_check_verify(const gb_sdk *sdk, gb_case *c, const struct matmul_check *check);

/* In teardown. */
void matmul_check_close(struct matmul_check *check);

#endif
