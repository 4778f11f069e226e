/* Sampled rows, and Freivalds' check.
 *
 * c x is compared with a (transposed b x) for random vectors x, which costs (m + n) k operations for each where
 * computing c costs m n k. The columns are taken in blocks, each with sums of its own, so that rounding does not hide a
 * single element. Errors e of a row's block add up to sum(x e). The x have random signs and magnitudes of at most 1.25,
 * so by Hoeffding's inequality that exceeds t norm(e) with a probability of at most 2 exp(-(t / 1.25)^2 / 2). How large
 * norm(e) may be is taken from the sample, which the host has just found to be within the tolerance of the variant's
 * math: where the error of a block is at most twice the sample's, the bound below lies 10 norms away, and a case's sums
 * (less than 2^22) call rounding wrong once in 10^7 cases. Wrong elements whose errors have nothing to do with each
 * other are found where they are larger than the bound; errors that cancel by some rule escape a vector for a part of
 * all signs, at most half of them, and so four vectors once in 16 passes. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FULL ((int64_t)1 << 27) /* products: up to here every element is stated and nothing is left for sums */
#define DEPTH ((int64_t)1 << 16)
#define ROWS_AT_ONCE 64
#define COLUMNS_AT_ONCE 4096

#define SAMPLE_ROWS 24
#define SEGMENTS 8
#define SEGMENT 64 /* columns */

#define SUM_INPUTS ((int64_t)1 << 24)  /* elements of a and b that the sums may read, roughly */
#define SUM_OUTPUTS ((int64_t)1 << 25) /* elements of c that they may read */
#define SUM_ROWS ((int64_t)1 << 14)    /* rows of c, where they are read one by one */
#define SUM_BLOCK 512                  /* columns of one sum */
#define SUM_BLOCKS 32
#define BOUND 10.0 /* times the error of the sample and twice the block's norm */

enum { STREAM_ROWS = 1, STREAM_SEGMENTS, STREAM_SUM_ROWS, STREAM_SUM_COLUMNS, STREAM_WEIGHTS };
enum { VECTORS = MATMUL_VECTORS };

static int64_t min_i64(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static int64_t max_i64(int64_t a, int64_t b) {
  return a > b ? a : b;
}

static int64_t parts(int64_t whole, int64_t part) {
  return (whole + part - 1) / part;
}

static int64_t below(const gb_sdk *sdk, gb_case *c, uint64_t stream, int64_t index, int64_t bound) {
  return (int64_t)sdk->rng->below(sdk->point->seed(c), stream, (uint64_t)index, (uint64_t)bound);
}

static void *claim(const gb_sdk *sdk, gb_case *c, int64_t count, size_t size, gb_status *status) {
  void *memory = *status == GB_OK ? calloc((size_t)max_i64(count, 1), size) : NULL;
  if (memory == NULL && *status == GB_OK)
    *status =
        gb_failf(sdk, c, GB_ENOMEM, "the check needs %lld bytes of host memory", (long long)count * (long long)size);
  return memory;
}

static double dot(const double *a, const double *b, int64_t count) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < count; i++)
    sum += a[i] * b[i];
  return sum;
}

void matmul_check_clear(struct matmul_check *check) {
  free(check->expected);
  free(check->row);
  free(check->column);
  free(check->sum_row);
  free(check->sum_column);
  free(check->weight);
  free(check->sums);
  *check = (struct matmul_check){.m = check->m, .n = check->n, .k = check->k, .error_most = check->error_most};
}

/* ---- Elements in float64 ---------------------------------------------------------------------------------------- */

/* A part of c: some rows, and columns that lie side by side. */
struct part {
  const int64_t *rows;
  int64_t row_count, column, columns;
  double *values; /* [row_count][columns] */
  double *a, *b;  /* inputs, as they are read */
  int silent;     /* compute, but state nothing */
};

static gb_status read_rows(const gb_sdk *sdk, gb_case *c, const struct matmul_check *check, const struct part *part,
                           int64_t first, int64_t depth) {
  gb_status status = GB_OK;
  for (int64_t i = 0; i < part->row_count && status == GB_OK; i++)
    status =
        sdk->tensor->read(c, "a", (uint64_t)(part->rows[i] * check->k + first), (uint64_t)depth, part->a + i * depth);
  return status;
}

/* Adds the products of depths [first, first + depth). Whole rows of b are read many at a time. */
static gb_status add_products(const gb_sdk *sdk, gb_case *c, const struct matmul_check *check, const struct part *part,
                              int64_t first, int64_t depth) {
  const int64_t batch = depth == check->k ? max_i64(DEPTH / depth, 1) : 1;
  gb_status status = read_rows(sdk, c, check, part, first, depth);
  for (int64_t j = 0; j < part->columns && status == GB_OK; j += batch) {
    const int64_t count = min_i64(batch, part->columns - j);
    const uint64_t at = (uint64_t)((part->column + j) * check->k + first);
    status = sdk->tensor->read(c, "b", at, (uint64_t)(count * depth), part->b);
    for (int64_t u = 0; u < count && status == GB_OK; u++)
      for (int64_t i = 0; i < part->row_count; i++)
        part->values[i * part->columns + j + u] += dot(part->a + i * depth, part->b + u * depth, depth);
  }
  return status;
}

static gb_status expect_part(const gb_sdk *sdk, gb_case *c, const struct matmul_check *check, const struct part *part) {
  gb_status status = GB_OK;
  memset(part->values, 0, (size_t)(part->row_count * part->columns) * sizeof *part->values);
  for (int64_t i = 0; i < check->k && status == GB_OK; i += DEPTH)
    status = add_products(sdk, c, check, part, i, min_i64(DEPTH, check->k - i));
  for (int64_t i = 0; i < part->row_count && status == GB_OK && !part->silent; i++)
    status = sdk->tensor->expect(c, "c", (uint64_t)(part->rows[i] * check->n + part->column), (uint64_t)part->columns,
                                 part->values + i * part->columns);
  return status;
}

static gb_status open_part(const gb_sdk *sdk, gb_case *c, const struct matmul_check *check, struct part *part) {
  const int64_t depth = min_i64(check->k, DEPTH);
  gb_status status = GB_OK;
  part->values = claim(sdk, c, ROWS_AT_ONCE * min_i64(check->n, COLUMNS_AT_ONCE), sizeof *part->values, &status);
  part->a = claim(sdk, c, ROWS_AT_ONCE * depth, sizeof *part->a, &status);
  part->b = claim(sdk, c, DEPTH, sizeof *part->b, &status);
  return status;
}

static void close_part(struct part *part) {
  free(part->values);
  free(part->a);
  free(part->b);
}

static gb_status expect_all(const gb_sdk *sdk, gb_case *c, const struct matmul_check *check, struct part *part) {
  int64_t rows[ROWS_AT_ONCE];
  gb_status status = GB_OK;
  part->rows = rows;
  for (int64_t i = 0; i < check->m; i += ROWS_AT_ONCE) {
    part->row_count = min_i64(ROWS_AT_ONCE, check->m - i);
    for (int64_t u = 0; u < part->row_count; u++)
      rows[u] = i + u;
    for (int64_t j = 0; j < check->n && status == GB_OK; j += COLUMNS_AT_ONCE) {
      part->column = j;
      part->columns = min_i64(COLUMNS_AT_ONCE, check->n - j);
      status = expect_part(sdk, c, check, part);
    }
  }
  return status;
}

/* ---- The sample ------------------------------------------------------------------------------------------------- */

/* Place `index` of `count` in a range, rising: its first and last `size` elements, and as many at random from each of
 * equal shares of what lies between. */
static int64_t sampled(const gb_sdk *sdk, gb_case *c, uint64_t stream, int64_t index, int64_t count, int64_t range,
                       int64_t size) {
  if (index == 0) return 0;
  if (index == count - 1) return range - size;
  const int64_t between = range - 2 * size, first = size + between * (index - 1) / (count - 2);
  const int64_t next = size + between * index / (count - 2);
  return first + below(sdk, c, stream, index, next - first - size + 1);
}

static gb_status choose_sample(const gb_sdk *sdk, gb_case *c, struct matmul_check *check) {
  gb_status status = GB_OK;
  const int whole = check->n <= SEGMENTS * SEGMENT;
  check->rows = min_i64(check->m, SAMPLE_ROWS);
  check->columns = whole ? check->n : SEGMENTS * SEGMENT;
  check->row = claim(sdk, c, check->rows, sizeof *check->row, &status);
  check->column = claim(sdk, c, check->columns, sizeof *check->column, &status);
  check->expected = claim(sdk, c, check->rows * check->columns, sizeof *check->expected, &status);
  if (status != GB_OK) return status;
  for (int64_t i = 0; i < check->rows; i++)
    check->row[i] = check->rows == check->m ? i : sampled(sdk, c, STREAM_ROWS, i, check->rows, check->m, 1);
  for (int64_t j = 0; j < check->columns; j += SEGMENT) {
    const int64_t first = whole ? j : sampled(sdk, c, STREAM_SEGMENTS, j / SEGMENT, SEGMENTS, check->n, SEGMENT);
    for (int64_t u = 0; u < SEGMENT && j + u < check->columns; u++)
      check->column[j + u] = first + u;
  }
  return GB_OK;
}

static gb_status expect_sample(const gb_sdk *sdk, gb_case *c, struct matmul_check *check, struct part *part) {
  gb_status status = choose_sample(sdk, c, check);
  part->rows = check->row;
  part->row_count = check->rows;
  for (int64_t j = 0; j < check->columns && status == GB_OK; j += SEGMENT) {
    part->column = check->column[j];
    part->columns = min_i64(SEGMENT, check->columns - j);
    status = expect_part(sdk, c, check, part);
    for (int64_t i = 0; i < check->rows; i++)
      memcpy(check->expected + i * check->columns + j, part->values + i * part->columns,
             (size_t)part->columns * sizeof *part->values);
  }
  return status;
}

/* ---- The sums --------------------------------------------------------------------------------------------------- */

static int64_t stride_of(const struct matmul_check *check) {
  const int64_t inputs = (check->m + check->n) * check->k; /* below 2^49 */
  const int64_t stride = max_i64(parts(inputs, SUM_INPUTS), parts(check->m * check->n, SUM_OUTPUTS));
  return stride > 1 ? max_i64(stride, parts(check->m, SUM_ROWS)) : stride;
}

/* One at random of every `stride` in a row: a wrong part of c that holds such a group both ways is always seen. */
static void choose_lines(const gb_sdk *sdk, gb_case *c, uint64_t stream, int64_t *line, int64_t stride,
                         int64_t extent) {
  for (int64_t i = 0; i * stride < extent; i++)
    line[i] = i * stride + below(sdk, c, stream, i, min_i64(stride, extent - i * stride));
}

static gb_status choose_sums(const gb_sdk *sdk, gb_case *c, struct matmul_check *check) {
  gb_status status = GB_OK;
  check->stride = stride_of(check);
  check->sum_rows = parts(check->m, check->stride);
  check->sum_columns = parts(check->n, check->stride);
  check->width = max_i64(SUM_BLOCK, parts(check->sum_columns, SUM_BLOCKS));
  check->blocks = parts(check->sum_columns, check->width);
  check->sum_row = claim(sdk, c, check->sum_rows, sizeof *check->sum_row, &status);
  check->sum_column = claim(sdk, c, check->sum_columns, sizeof *check->sum_column, &status);
  check->weight = claim(sdk, c, check->sum_columns * VECTORS, sizeof *check->weight, &status);
  check->sums = claim(sdk, c, check->sum_rows * check->blocks * VECTORS, sizeof *check->sums, &status);
  if (status != GB_OK) return status;
  choose_lines(sdk, c, STREAM_SUM_ROWS, check->sum_row, check->stride, check->m);
  choose_lines(sdk, c, STREAM_SUM_COLUMNS, check->sum_column, check->stride, check->n);
  for (int64_t j = 0; j < check->sum_columns * VECTORS; j++) {
    const uint64_t bits = sdk->rng->bits(sdk->point->seed(c), STREAM_WEIGHTS, (uint64_t)j);
    const double magnitude = 1.0 + 0.25 * (double)(bits >> 32) * 0x1p-32;
    check->weight[j] = (bits & 1) != 0 ? magnitude : -magnitude;
  }
  return GB_OK;
}

/* Lines of an input at depths [first, first + depth), one after the other; many at a time where they lie side by side
 * in memory. */
struct lines {
  const char *tensor;
  const int64_t *line;
  int64_t count, first, depth;
  int64_t from, held; /* what `values` holds at present */
  double *values;
};

static gb_status next_line(const gb_sdk *sdk, gb_case *c, const struct matmul_check *check, struct lines *l, int64_t i,
                           const double **line) {
  gb_status status = GB_OK;
  if (i >= l->from + l->held) {
    const int dense = check->stride == 1 && l->depth == check->k;
    l->from = i;
    l->held = dense ? min_i64(max_i64(DEPTH / l->depth, 1), l->count - i) : 1;
    const uint64_t at = (uint64_t)(l->line[i] * check->k + l->first);
    status = sdk->tensor->read(c, l->tensor, at, (uint64_t)(l->held * l->depth), l->values);
  }
  *line = l->values + (i - l->from) * l->depth;
  return status;
}

/* `vectors` [blocks][VECTORS][depth]: for each block the weighted sums of its rows of b. */
static gb_status sum_b(const gb_sdk *sdk, gb_case *c, const struct matmul_check *check, struct lines *b,
                       double *vectors) {
  gb_status status = GB_OK;
  memset(vectors, 0, (size_t)(check->blocks * VECTORS * b->depth) * sizeof *vectors);
  for (int64_t j = 0; j < check->sum_columns && status == GB_OK; j++) {
    const double *line;
    double *to = vectors + j / check->width * VECTORS * b->depth;
    status = next_line(sdk, c, check, b, j, &line);
    for (int v = 0; v < VECTORS && status == GB_OK; v++)
      for (int64_t i = 0; i < b->depth; i++)
        to[v * b->depth + i] += check->weight[j * VECTORS + v] * line[i];
  }
  return status;
}

static gb_status sum_a(const gb_sdk *sdk, gb_case *c, const struct matmul_check *check, struct lines *a,
                       const double *vectors) {
  const int64_t count = check->blocks * VECTORS;
  gb_status status = GB_OK;
  for (int64_t i = 0; i < check->sum_rows && status == GB_OK; i++) {
    const double *line;
    status = next_line(sdk, c, check, a, i, &line);
    for (int64_t v = 0; v < count && status == GB_OK; v++)
      check->sums[i * count + v] += dot(line, vectors + v * a->depth, a->depth);
  }
  return status;
}

static gb_status compute_sums(const gb_sdk *sdk, gb_case *c, struct matmul_check *check) {
  gb_status status = choose_sums(sdk, c, check);
  double *vectors = claim(sdk, c, check->blocks * VECTORS * min_i64(check->k, DEPTH), sizeof *vectors, &status);
  double *values = claim(sdk, c, DEPTH, sizeof *values, &status);
  for (int64_t i = 0; i < check->k && status == GB_OK; i += DEPTH) {
    const int64_t depth = min_i64(DEPTH, check->k - i);
    struct lines b = {"b", check->sum_column, check->sum_columns, i, depth, 0, 0, values};
    struct lines a = {"a", check->sum_row, check->sum_rows, i, depth, 0, 0, values};
    status = sum_b(sdk, c, check, &b, vectors);
    if (status == GB_OK) status = sum_a(sdk, c, check, &a, vectors);
  }
  free(vectors);
  free(values);
  return status;
}

/* ---- Entries ---------------------------------------------------------------------------------------------------- */

gb_status matmul_check_reference(const gb_sdk *sdk, gb_case *c, struct matmul_check *check) {
  struct part part = {.rows = NULL};
  const int all = check->m <= FULL / check->n && check->m * check->n <= FULL / check->k;
  matmul_check_clear(check);
  gb_status status = open_part(sdk, c, check, &part);
  if (status == GB_OK && all) status = expect_all(sdk, c, check, &part);
  part.silent = all;
  if (status == GB_OK && (!all || check->error_most > 0)) status = expect_sample(sdk, c, check, &part);
  close_part(&part);
  return status == GB_OK && !all ? compute_sums(sdk, c, check) : status;
}

/* Size and error of the sample, as the variant wrote it. */
struct measured {
  double error; /* norm-relative */
  double rms;
};

static gb_status measure_sample(const gb_sdk *sdk, gb_case *c, const struct matmul_check *check, struct measured *m) {
  double values[SEGMENT], difference2 = 0, expected2 = 0;
  gb_status status = GB_OK;
  for (int64_t i = 0; i < check->rows; i++)
    for (int64_t j = 0; j < check->columns && status == GB_OK; j += SEGMENT) {
      const int64_t count = min_i64(SEGMENT, check->columns - j);
      const double *expected = check->expected + i * check->columns + j;
      status =
          sdk->tensor->read(c, "c", (uint64_t)(check->row[i] * check->n + check->column[j]), (uint64_t)count, values);
      for (int64_t u = 0; u < count && status == GB_OK; u++) {
        difference2 += (values[u] - expected[u]) * (values[u] - expected[u]);
        expected2 += expected[u] * expected[u];
      }
    }
  m->error = expected2 > 0 ? sqrt(difference2 / expected2) : 0;
  m->rms = sqrt(expected2 / (double)(check->rows * check->columns));
  return status;
}

static gb_status check_row(const gb_sdk *sdk, gb_case *c, const struct matmul_check *check, const struct measured *m,
                           int64_t i, const double *row) {
  for (int64_t block = 0; block < check->blocks; block++) {
    const int64_t first = block * check->width, end = min_i64(first + check->width, check->sum_columns);
    double sums[VECTORS] = {0}, squares = 0;
    for (int64_t j = first; j < end; j++) {
      const double value = row[check->sum_column[j]];
      squares += value * value;
      for (int v = 0; v < VECTORS; v++)
        sums[v] += check->weight[j * VECTORS + v] * value;
    }
    const double norm = sqrt(squares) + m->rms * sqrt((double)(end - first));
    const double bound = BOUND * (m->error + 0x1p-26) * norm;
    for (int v = 0; v < VECTORS; v++) {
      const double off = sums[v] - check->sums[(i * check->blocks + block) * VECTORS + v];
      if (fabs(off) <= bound) continue;
      return gb_failf(sdk, c, GB_EFAIL,
                      "row %lld of c, columns %lld to %lld: their sum with random weights is off by %.3g, rounding "
                      "explains %.3g",
                      (long long)check->sum_row[i], (long long)check->sum_column[first],
                      (long long)check->sum_column[end - 1], off, bound);
    }
  }
  return GB_OK;
}

static gb_status check_rows(const gb_sdk *sdk, gb_case *c, const struct matmul_check *check, const struct measured *m) {
  gb_status status = GB_OK;
  const int64_t batch = check->stride == 1 ? max_i64(DEPTH / check->n, 1) : 1;
  double *rows = claim(sdk, c, min_i64(batch, check->m) * check->n, sizeof *rows, &status);
  for (int64_t i = 0; i < check->sum_rows && status == GB_OK; i += batch) {
    const int64_t count = min_i64(batch, check->sum_rows - i);
    status = sdk->tensor->read(c, "c", (uint64_t)(check->sum_row[i] * check->n), (uint64_t)(count * check->n), rows);
    for (int64_t u = 0; u < count && status == GB_OK; u++)
      status = check_row(sdk, c, check, m, i + u, rows + u * check->n);
  }
  free(rows);
  return status;
}

gb_status matmul_check_verify(const gb_sdk *sdk, gb_case *c, const struct matmul_check *check) {
  struct measured m;
  if (check->expected == NULL) return GB_OK;
  gb_status status = measure_sample(sdk, c, check, &m);
  const double few = 1.0 + 1.0 / sqrt((double)(check->rows * check->columns)); /* their norm scatters */
  if (status == GB_OK && check->error_most > 0 && !(m.error <= check->error_most * few))
    status = gb_failf(sdk, c, GB_EFAIL, "error %.2e of the sample: the contract allows %.2e", m.error,
                      check->error_most * few);
  return status == GB_OK && check->sums != NULL ? check_rows(sdk, c, check, &m) : status;
}
