/* The check of c = a * transposed b, with or without an epilogue. Sampled rows are computed in float64 and compared by
 * the host. The rest of a plain product is covered by Freivalds' check. With an epilogue, a GPU compares every element;
 * on CPUs nothing but the sample is checked, which is larger there. The check knows nothing of variants. */
#ifndef MATMUL_CHECK_H
#define MATMUL_CHECK_H

#include <gpubench/sugar.h>

#include "kernels.h"

struct matmul_check_work;

/* The problem of one case, and what the last matmul_check_reference() computed for it; before that all but the first
 * fields are zero. */
struct matmul_check {
  int64_t m, n, k;
  int32_t epilogue;  /* MATMUL_PLAIN, ... */
  double error_most; /* greatest error of the sample, relative to its norm; 0: the host's own comparison is enough */
  const struct matmul_check_work *work; /* reads c and computes sums: on the CPU, or on a GPU */
  struct matmul_device *device;         /* state of the work on a GPU; NULL: not needed */
  int64_t most_rows, most_columns;      /* greatest size of the sample; columns come in whole segments */

  double *expected; /* [rows][columns]: the sample; NULL if all elements are stated and that is enough */
  int64_t *row, *column;
  int64_t rows, columns;

  int64_t stride; /* one of every `stride` rows of a, and of b, takes part in the sums */
  int64_t sum_rows, sum_columns, blocks, width;
  int64_t *sum_row, *sum_column;
  double *weight; /* [sum_columns][MATMUL_VECTORS]: random, magnitudes 1 to 1.25; NULL if all elements are stated */
  double *sums; /* [sum_rows][blocks][MATMUL_VECTORS]: expected sums of the weighted elements in each block of columns;
                   NULL if a GPU keeps them */
};

/* Has the CPU do the work. Called in setup, with m, n, k, epilogue and error_most set. */
void matmul_check_on_host(struct matmul_check *check);

/* Has the case's GPU do the work. Called in setup; allocates the device memory, of which a small problem needs none. */
gb_status matmul_check_on_device(const gb_sdk *sdk, gb_case *c, struct matmul_check *check, int32_t dtype);

/* States the sample, computed in float64 on the CPU from the values that the host fills inputs with. Then computes the
 * sums; a GPU computes them from the inputs in its memory. These are fresh, and their checksums show later that no
 * variant has changed them. If they differed from the host's values, the sample would show it. */
gb_status matmul_check_reference(const gb_sdk *sdk, gb_case *c, struct matmul_check *check);

/* Compares the output that was just written with the expected sums. */
gb_status matmul_check_verify(const gb_sdk *sdk, gb_case *c, const struct matmul_check *check);

/* Called in teardown. */
void matmul_check_close(struct matmul_check *check);

#endif
