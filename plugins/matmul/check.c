/* The sampled part of the check of c = a * transposed b: computes a sample of the elements of c in float64, passes them
 * to gpubench as expected values, and measures the error of a variant's output at these elements. The checks of all
 * other elements (check_sums.c, check_device.c) derive their bounds from this error. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../shared/processors.h"
#include "check_parts.h"

#define FULL ((int64_t)1 << 27) /* with at most this many multiplications the reference covers every element of c */
#define ROWS_AT_ONCE 64
#define COLUMNS_AT_ONCE 4096

void *matmul_check_claim(const gb_sdk *sdk, gb_case *c, int64_t count, size_t size, gb_status *status) {
  void *memory = *status == GB_OK ? calloc((size_t)max_i64(count, 1), size) : NULL;
  if (memory == NULL && *status == GB_OK)
    *status =
        gb_failf(sdk, c, GB_ENOMEM, "the check needs %lld bytes of host memory", (long long)count * (long long)size);
  return memory;
}

double matmul_check_dot(const double *a, const double *b, int64_t count) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < count; i++)
    sum += a[i] * b[i];
  return sum;
}

static void forget_check(struct matmul_check *check) {
  free(check->expected);
  free(check->row);
  free(check->column);
  free(check->sum_row);
  free(check->sum_column);
  free(check->weight);
  free(check->sums);
  *check = (struct matmul_check){.m = check->m,
                                 .n = check->n,
                                 .k = check->k,
                                 .epilogue = check->epilogue,
                                 .error_most = check->error_most,
                                 .work = check->work,
                                 .device = check->device,
                                 .most_rows = check->most_rows,
                                 .most_columns = check->most_columns};
}

void matmul_check_on_host(struct matmul_check *check) {
  const int only = check->epilogue != MATMUL_PLAIN;
  check->work = &matmul_check_host;
  check->most_rows = only ? MATMUL_ONLY_ROWS : MATMUL_SAMPLE_ROWS;
  check->most_columns = only ? MATMUL_ONLY_COLUMNS : MATMUL_SAMPLE_COLUMNS;
}

void matmul_check_close(struct matmul_check *check) {
  forget_check(check);
  free(check->device);
}

/* ---- Computing elements in float64 ----------------------------------------------------------------------------- */

static double gelu_of_sum(double x) {
  return x / 2 * (1 + tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x)));
}

/* Applies the epilogue (a function such as GELU, which follows the product) to `count` sums of a row, at most
 * COLUMNS_AT_ONCE. */
static gb_status apply_epilogue(const gb_sdk *sdk, gb_case *c, const struct matmul_check *check, int64_t row,
                                int64_t column, int64_t count, double *values) {
  double extra[COLUMNS_AT_ONCE];
  if (check->epilogue == MATMUL_PLAIN) return GB_OK;
  const int adds = check->epilogue == MATMUL_ADD;
  const uint64_t first = (uint64_t)(adds ? row * check->n + column : column);
  const gb_status status = sdk->tensor->input(c, matmul_extra_name(check->epilogue), first, (uint64_t)count, extra);
  for (int64_t j = 0; j < count && status == GB_OK; j++)
    values[j] = adds ? values[j] + extra[j] : gelu_of_sum(values[j] + extra[j]);
  return status;
}

/* A part of c that is computed in float64: row_count rows, whose numbers are in `rows`, in the adjacent columns
 * `column` to `column` + `columns` - 1. */
struct part {
  const int64_t *rows;
  int64_t row_count, column, columns;
  double *values; /* the part's elements: [row_count][columns] */
  double *a, *b; /* the rows of a and of b from which the part is computed, or a piece of each row (at most MATMUL_DEPTH
                    values) */
};

static gb_status read_part_rows(const gb_sdk *sdk, gb_case *c, const struct matmul_check *check,
                                const struct part *part, int64_t first, int64_t depth) {
  gb_status status = GB_OK;
  for (int64_t i = 0; i < part->row_count && status == GB_OK; i++)
    status =
        sdk->tensor->input(c, "a", (uint64_t)(part->rows[i] * check->k + first), (uint64_t)depth, part->a + i * depth);
  return status;
}

/* A job that several threads share: it adds products to the columns `column` to `column` + `count` - 1 of the part,
 * where column 0 is the first one of the part. Their rows of b have been read into part->b, `depth` values of each. */
struct columns {
  const struct part *part;
  int64_t column, count, depth;
  int64_t turn; /* columns that a thread takes at a time */
};

static void add_product_columns(void *context, int64_t piece) {
  const struct columns *b = context;
  const struct part *part = b->part;
  const int64_t end = min_i64((piece + 1) * b->turn, b->count);
  for (int64_t u = piece * b->turn; u < end; u++)
    for (int64_t i = 0; i < part->row_count; i++)
      part->values[i * part->columns + b->column + u] +=
          matmul_check_dot(part->a + i * b->depth, part->b + u * b->depth, b->depth);
}

/* Adds the products for k = first to first + depth - 1 to the elements of the part. If these are all values of k,
 * adjacent rows of b are contiguous in memory, and many rows are read in one call. */
static gb_status add_products(const gb_sdk *sdk, gb_case *c, const struct matmul_check *check, const struct part *part,
                              int64_t first, int64_t depth) {
  const int64_t batch = depth == check->k ? max_i64(MATMUL_READ_AHEAD / depth, 1) : 1;
  gb_status status = read_part_rows(sdk, c, check, part, first, depth);
  for (int64_t j = 0; j < part->columns && status == GB_OK; j += batch) {
    struct columns b = {part, j, min_i64(batch, part->columns - j), depth, turn_of(part->row_count * depth)};
    const uint64_t at = (uint64_t)((part->column + j) * check->k + first);
    status = sdk->tensor->input(c, "b", at, (uint64_t)(b.count * depth), part->b);
    if (status == GB_OK) processors_each(parts(b.count, b.turn), add_product_columns, &b);
  }
  return status;
}

static gb_status expect_part(const gb_sdk *sdk, gb_case *c, const struct matmul_check *check, const struct part *part) {
  gb_status status = GB_OK;
  memset(part->values, 0, (size_t)(part->row_count * part->columns) * sizeof *part->values);
  for (int64_t i = 0; i < check->k && status == GB_OK; i += MATMUL_DEPTH)
    status = add_products(sdk, c, check, part, i, min_i64(MATMUL_DEPTH, check->k - i));
  for (int64_t i = 0; i < part->row_count && status == GB_OK; i++)
    status =
        apply_epilogue(sdk, c, check, part->rows[i], part->column, part->columns, part->values + i * part->columns);
  for (int64_t i = 0; i < part->row_count && status == GB_OK; i++)
    status = sdk->tensor->expect(c, "c", (uint64_t)(part->rows[i] * check->n + part->column), (uint64_t)part->columns,
                                 part->values + i * part->columns);
  return status;
}

static gb_status open_inputs(const gb_sdk *sdk, gb_case *c, const struct matmul_check *check, struct part *part) {
  const int64_t depth = min_i64(check->k, MATMUL_DEPTH);
  gb_status status = GB_OK;
  part->a = matmul_check_claim(sdk, c, ROWS_AT_ONCE * depth, sizeof *part->a, &status);
  part->b = matmul_check_claim(sdk, c, max_i64(min_i64(MATMUL_READ_AHEAD, check->n * depth), depth), sizeof *part->b,
                               &status);
  return status;
}

static gb_status open_part(const gb_sdk *sdk, gb_case *c, const struct matmul_check *check, struct part *part) {
  gb_status status = open_inputs(sdk, c, check, part);
  part->values =
      matmul_check_claim(sdk, c, ROWS_AT_ONCE * min_i64(check->n, COLUMNS_AT_ONCE), sizeof *part->values, &status);
  return status;
}

static void close_part(struct part *part) {
  free(part->values);
  free(part->a);
  free(part->b);
}

static gb_status expect_every_row(const gb_sdk *sdk, gb_case *c, const struct matmul_check *check, struct part *part) {
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
  part->rows = NULL;
  return status;
}

gb_status matmul_check_element(const gb_sdk *sdk, gb_case *c, const struct matmul_check *check, int64_t row,
                               int64_t column, double *value) {
  struct part part = {.rows = &row, .row_count = 1, .column = column, .columns = 1, .values = value};
  gb_status status = open_inputs(sdk, c, check, &part);
  *value = 0;
  for (int64_t i = 0; i < check->k && status == GB_OK; i += MATMUL_DEPTH)
    status = add_products(sdk, c, check, &part, i, min_i64(MATMUL_DEPTH, check->k - i));
  free(part.a);
  free(part.b);
  return status == GB_OK ? apply_epilogue(sdk, c, check, row, column, 1, value) : status;
}

/* ---- The sample ------------------------------------------------------------------------------------------------- */

/* Returns the first index of segment number `index` of the sample. The sample has `count` segments of `size` elements
 * each out of `range` elements. The first and the last segment are at the ends of the range. The elements between are
 * divided into equal shares, and each share has one segment at a random place. */
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
  const int whole = check->n <= check->most_columns;
  const int64_t segments = check->most_columns / MATMUL_SEGMENT;
  check->rows = min_i64(check->m, check->most_rows);
  check->columns = min_i64(check->n, check->most_columns);
  check->row = matmul_check_claim(sdk, c, check->rows, sizeof *check->row, &status);
  check->column = matmul_check_claim(sdk, c, check->columns, sizeof *check->column, &status);
  check->expected = matmul_check_claim(sdk, c, check->rows * check->columns, sizeof *check->expected, &status);
  if (status != GB_OK) return status;
  for (int64_t i = 0; i < check->rows; i++)
    check->row[i] = check->rows == check->m ? i : sampled(sdk, c, STREAM_ROWS, i, check->rows, check->m, 1);
  for (int64_t j = 0; j < check->columns; j += MATMUL_SEGMENT) {
    const int64_t first =
        whole ? j : sampled(sdk, c, STREAM_SEGMENTS, j / MATMUL_SEGMENT, segments, check->n, MATMUL_SEGMENT);
    for (int64_t u = 0; u < MATMUL_SEGMENT && j + u < check->columns; u++)
      check->column[j + u] = first + u;
  }
  return GB_OK;
}

/* A job that several threads share: it adds the products of a piece of k (`depth` consecutive values) to the expected
 * values of the sample, in the sample's columns `first` to `first` + `count` - 1. `a` holds this piece of every sampled
 * row of a. `b` holds this piece of the rows of b that belong to these columns. */
struct sampling {
  const struct matmul_check *check;
  const double *a, *b;
  int64_t first, count, depth, turn;
};

/* Multiplies four consecutive rows of a with one row of b, which is loaded only once, and adds the dot products to
 * to[0], to[stride], to[2 * stride] and to[3 * stride]. */
static void add_dots(double *to, int64_t stride, const double *a, const double *b, int64_t depth) {
  const double *a1 = a + depth, *a2 = a1 + depth, *a3 = a2 + depth;
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
#pragma omp simd reduction(+ : s0, s1, s2, s3)
  for (int64_t i = 0; i < depth; i++) {
    s0 += a[i] * b[i];
    s1 += a1[i] * b[i];
    s2 += a2[i] * b[i];
    s3 += a3[i] * b[i];
  }
  to[0] += s0, to[stride] += s1, to[2 * stride] += s2, to[3 * stride] += s3;
}

static void add_sampled(void *context, int64_t piece) {
  const struct sampling *s = context;
  const int64_t end = min_i64((piece + 1) * s->turn, s->count), stride = s->check->columns;
  for (int64_t u = piece * s->turn; u < end; u++) {
    const double *b = s->b + u * s->depth;
    double *to = s->check->expected + s->first + u;
    int64_t i = 0;
    for (; i + 4 <= s->check->rows; i += 4)
      add_dots(to + i * stride, stride, s->a + i * s->depth, b, s->depth);
    for (; i < s->check->rows; i++)
      to[i * stride] += matmul_check_dot(s->a + i * s->depth, b, s->depth);
  }
}

/* Returns how many columns of the sample, from its column number `j` on, are adjacent in c; at most `most`. */
static int64_t run_of(const struct matmul_check *check, int64_t j, int64_t most) {
  int64_t run = 1;
  while (run < most && j + run < check->columns && check->column[j + run] == check->column[j] + run)
    run++;
  return run;
}

static gb_status read_sampled(const gb_sdk *sdk, gb_case *c, const struct sampling *s, int64_t first, double *to) {
  const int64_t k = s->check->k;
  gb_status status = GB_OK;
  for (int64_t u = 0, run; u < s->count && status == GB_OK; u += run) {
    const int64_t column = s->check->column[s->first + u];
    run = s->depth == k ? run_of(s->check, s->first + u, s->count - u) : 1;
    status = sdk->tensor->input(c, "b", (uint64_t)(column * k + first), (uint64_t)(run * s->depth), to + u * s->depth);
  }
  return status;
}

/* Adds the products for k = first to first + depth - 1 to the expected values of the sample. Reads as many rows of b as
 * fit into MATMUL_READ_AHEAD values, then multiplies on all processors. */
static gb_status add_depths(const gb_sdk *sdk, gb_case *c, const struct matmul_check *check, const struct part *part,
                            int64_t first, int64_t depth) {
  gb_status status = read_part_rows(sdk, c, check, part, first, depth);
  struct sampling s = {check, part->a, part->b, 0, 0, depth, turn_of(check->rows * depth)};
  for (; s.first < check->columns && status == GB_OK; s.first += s.count) {
    s.count = min_i64(max_i64(MATMUL_READ_AHEAD / depth, 1), check->columns - s.first);
    status = read_sampled(sdk, c, &s, first, part->b);
    if (status == GB_OK) processors_each(parts(s.count, s.turn), add_sampled, &s);
  }
  return status;
}

static gb_status finish_sample(const gb_sdk *sdk, gb_case *c, const struct matmul_check *check, int state) {
  gb_status status = GB_OK;
  for (int64_t i = 0; i < check->rows; i++)
    for (int64_t j = 0, run; j < check->columns && status == GB_OK; j += run) {
      run = run_of(check, j, check->columns);
      status =
          apply_epilogue(sdk, c, check, check->row[i], check->column[j], run, check->expected + i * check->columns + j);
      if (status == GB_OK && state)
        status = sdk->tensor->expect(c, "c", (uint64_t)(check->row[i] * check->n + check->column[j]), (uint64_t)run,
                                     check->expected + i * check->columns + j);
    }
  return status;
}

static gb_status expect_sample(const gb_sdk *sdk, gb_case *c, struct matmul_check *check, struct part *part,
                               int state) {
  gb_status status = choose_sample(sdk, c, check);
  part->rows = check->row;
  part->row_count = check->rows;
  for (int64_t i = 0; i < check->k && status == GB_OK; i += MATMUL_DEPTH)
    status = add_depths(sdk, c, check, part, i, min_i64(MATMUL_DEPTH, check->k - i));
  return status == GB_OK ? finish_sample(sdk, c, check, state) : status;
}

/* ---- Public functions ------------------------------------------------------------------------------------------ */

int matmul_check_states_all(const struct matmul_check *check) {
  return check->m <= FULL / check->n && check->m * check->n <= FULL / check->k;
}

gb_status matmul_check_reference(const gb_sdk *sdk, gb_case *c, struct matmul_check *check) {
  struct part part = {.rows = NULL};
  const int all = matmul_check_states_all(check);
  forget_check(check);
  gb_status status = open_part(sdk, c, check, &part);
  if (status == GB_OK && all) status = expect_every_row(sdk, c, check, &part);
  if (status == GB_OK && (!all || check->error_most > 0)) status = expect_sample(sdk, c, check, &part, !all);
  close_part(&part);
  if (status == GB_OK && !all && check->epilogue == MATMUL_PLAIN) status = matmul_check_state_sums(sdk, c, check);
  return status;
}

static gb_status measure_sample(const gb_sdk *sdk, gb_case *c, const struct matmul_check *check,
                                struct matmul_measured *m) {
  const int64_t count = check->rows * check->columns;
  double difference2 = 0, expected2 = 0;
  gb_status status = GB_OK;
  double *values = matmul_check_claim(sdk, c, count, sizeof *values, &status);
  if (status == GB_OK) status = check->work->sample(sdk, c, check, values);
  for (int64_t i = 0; i < count && status == GB_OK; i++) {
    const double expected = check->expected[i];
    difference2 += (values[i] - expected) * (values[i] - expected);
    expected2 += expected * expected;
  }
  free(values);
  m->error = expected2 > 0 ? sqrt(difference2 / expected2) : 0;
  m->rms = sqrt(expected2 / (double)count);
  return status;
}

gb_status matmul_check_verify(const gb_sdk *sdk, gb_case *c, const struct matmul_check *check) {
  struct matmul_measured m;
  if (check->expected == NULL) return GB_OK;
  gb_status status = measure_sample(sdk, c, check, &m);
  /* the error of a small sample varies by chance, so that it may exceed the limit by this factor */
  const double few = 1.0 + 1.0 / sqrt((double)(check->rows * check->columns));
  if (status == GB_OK && check->error_most > 0 && !(m.error <= check->error_most * few))
    status = gb_failf(sdk, c, GB_EFAIL, "error %.2e of the sample: the contract allows %.2e", m.error,
                      check->error_most * few);
  const int more = check->weight != NULL || check->epilogue != MATMUL_PLAIN;
  return status == GB_OK && more ? check->work->compare(sdk, c, check, &m) : status;
}
