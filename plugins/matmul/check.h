/* The check of c = a * transposed b, with or without an epilogue (a function that is applied to each element of the
 * product). A sample of the elements of c is computed in float64, and gpubench compares the output with it. The other
 * elements of a plain product are covered by Freivalds' check (check_sums.c). With an epilogue, a GPU compares every
 * element with a product that it computes itself; on a CPU only the sample is checked, which is larger then. The check
 * does not depend on which variant computed c. */
#ifndef MATMUL_CHECK_H
#define MATMUL_CHECK_H

#include <gpubench/sugar.h>

#include "kernels.h"

struct matmul_check_work;

/* The product to check, and the values that the last matmul_check_reference() computed for it; before the first call of
 * that function, all members from `expected` on are zero. */
struct matmul_check {
  int64_t m, n, k;
  int32_t epilogue; /* MATMUL_PLAIN or another epilogue of kernels.h */
  /* The largest error that the sample may have: the norm of its errors, divided by the norm of its expected values. 0:
   * only gpubench's own tolerance applies. */
  double error_most;
  const struct matmul_check_work *work; /* functions that read c and compute sums, on the CPU or on a GPU */
  struct matmul_device *device;         /* state of these functions on a GPU; NULL if they need none */
  int64_t most_rows, most_columns; /* the sample has at most this many rows and columns; its columns come in segments of
                                      MATMUL_SEGMENT adjacent ones */

  double *expected; /* [rows][columns]: expected values of the sample; NULL if gpubench compares every element */
  int64_t *row, *column;
  int64_t rows, columns;

  int64_t stride; /* in the sums of Freivalds' check, one of every `stride` rows and one of every `stride` columns of c
                     takes part */
  int64_t sum_rows, sum_columns, blocks, width;
  int64_t *sum_row, *sum_column;
  /* random weights of the columns, of magnitude 1 to 1.25: [sum_columns][MATMUL_VECTORS]; NULL: there are no sums */
  double *weight;
  double *sums; /* [sum_rows][blocks][MATMUL_VECTORS]: expected sums of the weighted elements in each block of columns;
                   NULL if a GPU keeps them */
};

/* Makes the CPU compute and compare the sums of Freivalds' check. Call it in setup, with m, n, k, epilogue and
 * error_most set. */
void matmul_check_on_host(struct matmul_check *check);

/* Makes the GPU compute and compare the sums of Freivalds' check. Call it in setup; it allocates device memory, except
 * for a problem so small that gpubench compares every element. */
gb_status matmul_check_on_device(const gb_sdk *sdk, gb_case *c, struct matmul_check *check, int32_t dtype);

/* Passes the expected values of the sample to gpubench. They are computed in float64 on the CPU, from the values with
 * which gpubench fills the inputs. Then computes the expected sums of Freivalds' check. A GPU computes these from the
 * inputs in its memory. Those can be trusted: they were just filled, checksums show later whether a variant has changed
 * them, and if they differed from the values on the CPU, the sample would be judged wrong. */
gb_status matmul_check_reference(const gb_sdk *sdk, gb_case *c, struct matmul_check *check);

/* Compares the sums of the output that was just written with the expected sums. */
gb_status matmul_check_verify(const gb_sdk *sdk, gb_case *c, const struct matmul_check *check);

/* Frees the memory that the check holds. Call it in teardown. */
void matmul_check_close(struct matmul_check *check);

#endif
