/* The bench "rows" without its variants: tensors, reference and verification. README.md states what variants must
 * compute. */
#include "rows.h"

#include <math.h>
#include <stdlib.h>

#include "../shared/processors.h"
#include "kernels.h"

#define gb softmax_gb

#define CHECKED ((int64_t)4 << 20)    /* up to this many elements, every row is compared with the reference */
#define SAMPLED ((int64_t)1 << 20)    /* about how many elements the rows of a sample have together */
#define SUM_SOME ((int64_t)1 << 20)   /* about how many elements the rows have that `verify` adds up */
#define READ_AHEAD ((int64_t)1 << 20) /* elements of x that are held in memory at a time */
#define ONE_TURN ((int64_t)8 * 1024)  /* about how many elements one CPU thread computes at a time */
#define MAX_ROWS 64                   /* largest number of rows in a sample */
#define MIN_ROWS 8

#define STREAM_REFERENCE UINT64_C(1) /* numbers of the random streams (see gb.rng) that choose rows */
#define STREAM_SUMS UINT64_C(2)

static int64_t fewer_rows(int64_t a, int64_t b) {
  return a < b ? a : b;
}

gb_status softmax_rows_supports(const gb_bench *self, gb_case *c) {
  (void)self;
  const gb_status status = gb_axis_within(&gb, c, "m", 1, SOFTMAX_MAX_ROWS);
  return status == GB_OK ? gb_axis_within(&gb, c, "n", 1, SOFTMAX_MAX_N) : status;
}

/* Declares the tensors, and the number of bytes that a call moves. The mean of x puts every element where exp overflows
 * fp32 (above 88.7), so that a variant that does not subtract the row's maximum gives NaN. The standard deviation of x
 * spreads the outputs of each row over about twelve decades. */
gb_status softmax_rows_setup(const gb_bench *self, gb_case *c, void **state) {
  (void)self;
  (void)state;
  const int64_t shape[] = {gb.point->i64(c, "m"), gb.point->i64(c, "n")};
  const uint64_t count = (uint64_t)shape[0] * (uint64_t)shape[1];
  const uint32_t dtype = gb_dtype_named(gb.point->str(c, "dtype"));
  const uint64_t bytes = count * softmax_size(c);
  const gb_tensor x = {GB_SIZE(gb_tensor), .role = GB_IN,          .dtype = dtype,  .rank = 2,    .name = "x",
                       .shape = shape,     .fill = GB_FILL_NORMAL, .fill_a = 104.0, .fill_b = 4.0};
  const gb_tensor y = {GB_SIZE(gb_tensor),
                       .role = GB_OUT,
                       .dtype = dtype,
                       .rank = 2,
                       .name = "y",
                       .shape = shape,
                       .reduction = (uint64_t)shape[1]};
  /* The count of floating-point operations stays unset: it would treat exp and a comparison alike, and the problem is
   * limited by the bytes that it moves. */
  const gb_work work = {GB_SIZE(gb_work), .bytes_read = bytes, .bytes_written = bytes, .items = (uint64_t)shape[0],
                        .item_unit = "rows"};
  gb_status status = gb.tensor->declare(c, &x);
  if (status == GB_OK) status = gb.tensor->declare(c, &y);
  if (status == GB_OK) status = gb.point->work(c, &work);
  return status;
}

/* ---- Reference and verification -------------------------------------------------------------------------------- */

/* Returns how many of m rows to sample, so that the sample has about `elements` elements. */
static int64_t sampled_rows(int64_t m, int64_t n, int64_t elements) {
  const int64_t rows = elements / n;
  return fewer_rows(m, rows < MIN_ROWS ? MIN_ROWS : rows > MAX_ROWS ? MAX_ROWS : rows);
}

static void softmax_of_row(double *row, int64_t n) {
  double max = row[0];
  double sum = 0.0;
  for (int64_t i = 1; i < n; i++)
    max = row[i] > max ? row[i] : max;
  for (int64_t i = 0; i < n; i++)
    sum += row[i] = exp(row[i] - max);
  for (int64_t i = 0; i < n; i++)
    row[i] /= sum;
}

/* Rows whose expected results are computed together. */
struct batch {
  int64_t rows, n;
  double *values;
};

static int64_t softmax_rows_at_once(int64_t n) {
  return n < ONE_TURN ? ONE_TURN / n : 1;
}

static void compute_softmax_rows(void *context, int64_t piece) {
  const struct batch *batch = context;
  const int64_t some = softmax_rows_at_once(batch->n), end = fewer_rows((piece + 1) * some, batch->rows);
  for (int64_t row = piece * some; row < end; row++)
    softmax_of_row(batch->values + row * batch->n, batch->n);
}

typedef gb_status (*row_function)(gb_case *c, const char *tensor, uint64_t first, uint64_t count, double *values);

static gb_status state_rows(gb_case *c, const char *tensor, uint64_t first, uint64_t count, double *values) {
  return gb.tensor->expect(c, tensor, first, count, values);
}

/* Calls `function`, which reads inputs or passes expected values to gpubench, for the rows of `batch`. Of the m rows,
 * `count` are verified; the batch begins with number `first` of these. */
static gb_status each_row(gb_case *c, const struct batch *batch, int64_t first, int64_t count, int64_t m,
                          row_function function, const char *tensor) {
  const uint64_t n = (uint64_t)batch->n;
  gb_status status = GB_OK;
  if (count == m) return function(c, tensor, (uint64_t)first * n, (uint64_t)batch->rows * n, batch->values);
  for (int64_t i = 0; i < batch->rows && status == GB_OK; i++) {
    const int64_t row = gb_sampled(&gb, c, STREAM_REFERENCE, first + i, count, m);
    status = function(c, tensor, (uint64_t)row * n, n, batch->values + i * batch->n);
  }
  return status;
}

gb_status softmax_rows_reference(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  (void)state;
  const int64_t m = gb.point->i64(c, "m");
  const int64_t n = gb.point->i64(c, "n");
  const int64_t count = m <= CHECKED / n ? m : sampled_rows(m, n, SAMPLED);
  const int64_t most = fewer_rows(n < READ_AHEAD ? READ_AHEAD / n : 1, count);
  struct batch batch = {0, n, malloc((size_t)(most * n) * sizeof(double))};
  if (batch.values == NULL)
    return gb_failf(&gb, c, GB_ENOMEM, "no host memory for %lld elements", (long long)(most * n));
  gb_status status = GB_OK;
  for (int64_t i = 0; i < count && status == GB_OK; i += batch.rows) {
    batch.rows = fewer_rows(most, count - i);
    status = each_row(c, &batch, i, count, m, gb.tensor->input, "x");
    if (status != GB_OK) break;
    processors_each((batch.rows + softmax_rows_at_once(n) - 1) / softmax_rows_at_once(n), compute_softmax_rows, &batch);
    status = each_row(c, &batch, i, count, m, state_rows, "y");
  }
  free(batch.values);
  return status;
}

static gb_status check_sum(gb_case *c, int64_t row, int64_t n, double tolerance, double *values) {
  const gb_status status = gb.tensor->output(c, "y", (uint64_t)row * (uint64_t)n, (uint64_t)n, values);
  if (status != GB_OK) return status;
  double sum = 0.0;
  for (int64_t i = 0; i < n; i++)
    sum += values[i];
  if (!(fabs(sum - 1.0) <= tolerance))
    return gb_failf(&gb, c, GB_EFAIL, "row %lld of y sums to %.9g: must be 1 within %g", (long long)row, sum,
                    tolerance);
  return GB_OK;
}

/* Checks that rows of y add up to 1. This is done only if a sample of the rows, and not all of them, was compared with
 * the reference. A NaN anywhere in a row makes its sum NaN, which is an error. */
gb_status softmax_rows_verify(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  (void)state;
  const int64_t m = gb.point->i64(c, "m");
  const int64_t n = gb.point->i64(c, "n");
  if (m <= CHECKED / n) return GB_OK;
  const double tolerance = softmax_dtype(c) == SOFTMAX_FP32 ? 1e-4 : 0x1p-7;
  const int64_t count = sampled_rows(m, n, SUM_SOME);
  double *values = malloc((size_t)n * sizeof *values);
  if (values == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no host memory for %lld elements", (long long)n);
  gb_status status = GB_OK;
  for (int64_t i = 0; i < count && status == GB_OK; i++)
    status = check_sum(c, gb_sampled(&gb, c, STREAM_SUMS, i, count, m), n, tolerance, values);
  free(values);
  return status;
}
