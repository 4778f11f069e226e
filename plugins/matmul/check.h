/* The check of c = a * transposed b, with or without an epilogue. Sampled rows are computed in float64 and compared by
 * the host. The rest of a plain product is covered by Freivalds' check. With an epilogue, a GPU compares every element;
 * on CPUs nothing but the sample is checked, which is larger there. The check does not depend on which variant computed
 * c. */
#ifndef MATMUL_CHECK_H
#define MATMUL_CHECK_H

#include <gpubench/sugar.h>

#include "kernels.h"

struct matmul_check_work;

/* The problem of one case, and what the last matmul_check_reference() computed for it; before its first call, all
 * fields from `expected` on are zero. */
struct matmul_check {
  int64_t m, n, k;
  int32_t epilogue; /* MATMUL_PLAIN or another epilogue of kernels.h */
  /* The most error that the sample may have, relative to its norm. 0: only the host's own tolerance applies. */
  double error_most;
  const struct matmul_check_work *work; /* functions that read c and compute sums, on the CPU or on a GPU */
  struct matmul_device *device;         /* what the functions need on a GPU; NULL if they need nothing */
  int64_t most_rows, most_columns;      /* greatest size of the sample; columns come in whole segments */

  double *expected; /* [rows][columns]: expected values of the sample; NULL if the host compares every element */
  int64_t *row, *column;
  int64_t rows, columns;

  int64_t stride; /* one of every `stride` rows of a, and of b, takes part in the sums */
  int64_t sum_rows, sum_columns, blocks, width;
  int64_t *sum_row, *sum_column;
  /* random weights [sum_columns][MATMUL_VECTORS] of magnitude 1 to 1.25; NULL: the check uses no sums */
  double *weight;
  double *sums; /* [sum_rows][blocks][MATMUL_VECTORS]: expected sums of the weighted elements in each block of columns;
                   NULL if a GPU keeps them */
};

/* Lets the CPU compute and compare the sums. Call it in setup, with m, n, k, epilogue and error_most set. */
void matmul_check_on_host(struct matmul_check *check);

/* Lets the case's GPU compute and compare the sums. Call it in setup; it allocates device memory, except for a problem
 * so small that the host compares every element. */
gb_status matmul_check_on_device(const gb_sdk *sdk, gb_case *c, struct matmul_check *check, int32_t dtype);

/* Tells the host the expected values of the sample, computed in float64 on the CPU from the values that the host fills
 * inputs with. Then computes the expected sums. A GPU computes these from the inputs in its memory, which can be
 * trusted: they were just filled, checksums show later whether a variant has changed them, and if they differed from
 * the host's values, the sample would be judged wrong. */
gb_status matmul_check_reference(const gb_sdk *sdk, gb_case *c, struct matmul_check *check);

/* Compares the output that was just written with the expected sums. */
gb_status matmul_check_verify(const gb_sdk *sdk, gb_case *c, const struct matmul_check *check);

/* Frees what the check holds. Call it in teardown. */
void matmul_check_close(struct matmul_check *check);

#endif
