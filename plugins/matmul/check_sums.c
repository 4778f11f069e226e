/* Freivalds' check of a plain product, on the CPU.
 *
 * It compares c x with a (transposed b x) for random vectors x. That costs (m + n) k operations per vector; computing c
 * costs m n k. The columns are taken in blocks with separate sums, so that rounding does not hide a single wrong
 * element.
 *
 * Errors e of a row's elements in a block add up to sum(x e). The elements of x have random signs and magnitudes of at
 * most 1.25. By Hoeffding's inequality the sum exceeds t norm(e) with a probability of at most
 * 2 exp(-(t / 1.25)^2 / 2).
 *
 * The bound on norm(e) comes from the sample, which gpubench has just accepted by the tolerance of the variant's math.
 * If the error of a block is at most twice the sample's, the bound on the sum (BOUND) is at least 10 norm(e). A right
 * result, whose errors come from rounding and which has fewer than 2^22 sums, is then judged wrong once in 10^7 cases.
 *
 * Independent errors are found if they exceed the bound. Errors that cancel each other systematically are missed by one
 * vector for at most half of all choices of signs, and therefore by all four vectors at most once in 16
 * verifications. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../shared/processors.h"
#include "check_parts.h"

#define SUM_INPUTS ((int64_t)1 << 24)  /* at most about this many elements of a and b are read for the sums */
#define SUM_OUTPUTS ((int64_t)1 << 25) /* at most this many elements of c are read for the sums */
#define SUM_ROWS ((int64_t)1 << 14)    /* at most this many rows of c are summed if not all are */
/* A sum may be wrong by BOUND * the relative error of the sample * about twice the norm of the elements in the sum. */
#define BOUND 10.0

enum { VECTORS = MATMUL_VECTORS };

/* ---- Expected sums --------------------------------------------------------------------------------------------- */

static int64_t host_stride(const struct matmul_check *check) {
  const int64_t inputs = (check->m + check->n) * check->k; /* below 2^49 */
  const int64_t stride = max_i64(parts(inputs, SUM_INPUTS), parts(check->m * check->n, SUM_OUTPUTS));
  return stride > 1 ? max_i64(stride, parts(check->m, SUM_ROWS)) : stride;
}

void matmul_check_lay_out_sums(struct matmul_check *check) {
  check->stride = check->work->stride(check);
  check->sum_rows = parts(check->m, check->stride);
  check->sum_columns = parts(check->n, check->stride);
  check->width = max_i64(MATMUL_SUM_BLOCK, parts(check->sum_columns, MATMUL_SUM_BLOCKS));
  check->blocks = parts(check->sum_columns, check->width);
}

/* Divides the rows (or columns) of c into groups of `stride` adjacent ones, chooses one of each group at random, and
 * writes the numbers of the chosen ones to `line`. Thus one element of each area of c, in which a group of rows and a
 * group of columns intersect, takes part in the check. */
static void choose_lines(const gb_sdk *sdk, gb_case *c, uint64_t stream, int64_t *line, int64_t stride,
                         int64_t extent) {
  for (int64_t i = 0; i * stride < extent; i++)
    line[i] = i * stride + below(sdk, c, stream, i, min_i64(stride, extent - i * stride));
}

static gb_status choose_sums(const gb_sdk *sdk, gb_case *c, struct matmul_check *check) {
  gb_status status = GB_OK;
  matmul_check_lay_out_sums(check);
  check->sum_row = matmul_check_claim(sdk, c, check->sum_rows, sizeof *check->sum_row, &status);
  check->sum_column = matmul_check_claim(sdk, c, check->sum_columns, sizeof *check->sum_column, &status);
  check->weight = matmul_check_claim(sdk, c, check->sum_columns * VECTORS, sizeof *check->weight, &status);
  if (status != GB_OK) return status;
  choose_lines(sdk, c, STREAM_SUM_ROWS, check->sum_row, check->stride, check->m);
  choose_lines(sdk, c, STREAM_SUM_COLUMNS, check->sum_column, check->stride, check->n);
  for (int64_t j = 0; j < check->sum_columns * VECTORS; j++) {
    const uint64_t bits = sdk->rng->bits(sdk->point->places(c), STREAM_WEIGHTS, (uint64_t)j);
    const double magnitude = 1.0 + 0.25 * (double)(bits >> 32) * 0x1p-32;
    check->weight[j] = (bits & 1) != 0 ? magnitude : -magnitude;
  }
  return GB_OK;
}

/* The rows of an input (a or b, named by `tensor`) that take part in the sums; their numbers are line[0] to line[count
 * - 1]. Of each row only the values for k = first to first + depth - 1 are read. `values` has room for
 * MATMUL_READ_AHEAD values, so the rows are read in several steps. */
struct lines {
  const struct matmul_check *check;
  const char *tensor;
  const int64_t *line;
  int64_t count, first, depth;
  int64_t from, held; /* `values` holds the rows line[from] to line[from + held - 1] at present */
  int wide;           /* true: `values` also holds the rows between these */
  double *values;
  /* for each block of columns of c, weighted sums of the rows of b that belong to it: [blocks][VECTORS][depth] */
  double *vectors;
};

static const double *line_at(const struct lines *l, int64_t i) {
  return l->values + (l->wide ? l->line[i] - l->line[l->from] : i - l->from) * l->depth;
}

/* Reads the rows line[from] and following, as many as fit. Also reads the rows between them if that is faster: gpubench
 * computes the values of a long piece of an input on all processors, but those of a single row on one. */
static gb_status read_lines(const gb_sdk *sdk, gb_case *c, struct lines *l) {
  const int64_t k = l->check->k, fit = max_i64(MATMUL_READ_AHEAD / l->depth, 1), rest = l->count - l->from;
  gb_status status = GB_OK;
  l->wide = l->depth == k && (l->check->stride == 1 || 2 * l->check->stride <= processors_count());
  if (!l->wide) {
    l->held = min_i64(fit, rest);
    for (int64_t i = l->from; i < l->from + l->held && status == GB_OK; i++)
      status = sdk->tensor->input(c, l->tensor, (uint64_t)(l->line[i] * k + l->first), (uint64_t)l->depth,
                                  l->values + (i - l->from) * l->depth);
    return status;
  }
  for (l->held = 1; l->held < rest && l->line[l->from + l->held] - l->line[l->from] < fit;)
    l->held++;
  const int64_t span = l->line[l->from + l->held - 1] - l->line[l->from] + 1;
  return sdk->tensor->input(c, l->tensor, (uint64_t)(l->line[l->from] * k), (uint64_t)(span * k), l->values);
}

/* Multiplies the rows of b that `values` holds by their weights and adds them to `vectors`, for one piece of
 * MATMUL_SEGMENT values of k. Rows are added in their order, so that results do not depend on the number of threads. */
static void add_lines(void *context, int64_t piece) {
  const struct lines *b = context;
  const int64_t first = piece * MATMUL_SEGMENT, end = min_i64(first + MATMUL_SEGMENT, b->depth);
  for (int64_t j = b->from; j < b->from + b->held; j++) {
    const double *line = line_at(b, j), *weight = b->check->weight + j * VECTORS;
    double *to = b->vectors + j / b->check->width * VECTORS * b->depth;
    for (int v = 0; v < VECTORS; v++)
      for (int64_t i = first; i < end; i++)
        to[v * b->depth + i] += weight[v] * line[i];
  }
}

static gb_status sum_b(const gb_sdk *sdk, gb_case *c, struct lines *b) {
  gb_status status = GB_OK;
  memset(b->vectors, 0, (size_t)(b->check->blocks * VECTORS * b->depth) * sizeof *b->vectors);
  for (; b->from < b->count && status == GB_OK; b->from += b->held) {
    status = read_lines(sdk, c, b);
    if (status == GB_OK) processors_each(parts(b->depth, MATMUL_SEGMENT), add_lines, b);
  }
  return status;
}

static int64_t turn_of_a(const struct lines *a) {
  return turn_of(a->check->blocks * VECTORS * a->depth);
}

static void add_line_sums(void *context, int64_t piece) {
  const struct lines *a = context;
  const int64_t count = a->check->blocks * VECTORS, first = a->from + piece * turn_of_a(a);
  const int64_t end = min_i64(first + turn_of_a(a), a->from + a->held);
  for (int64_t i = first; i < end; i++)
    for (int64_t v = 0; v < count; v++)
      a->check->sums[i * count + v] += matmul_check_dot(line_at(a, i), a->vectors + v * a->depth, a->depth);
}

static gb_status sum_a(const gb_sdk *sdk, gb_case *c, struct lines *a) {
  gb_status status = GB_OK;
  for (; a->from < a->count && status == GB_OK; a->from += a->held) {
    status = read_lines(sdk, c, a);
    if (status == GB_OK) processors_each(parts(a->held, turn_of_a(a)), add_line_sums, a);
  }
  return status;
}

static gb_status host_state(const gb_sdk *sdk, gb_case *c, struct matmul_check *check) {
  gb_status status = GB_OK;
  check->sums = matmul_check_claim(sdk, c, check->sum_rows * check->blocks * VECTORS, sizeof *check->sums, &status);
  double *vectors =
      matmul_check_claim(sdk, c, check->blocks * VECTORS * min_i64(check->k, MATMUL_DEPTH), sizeof *vectors, &status);
  double *values = matmul_check_claim(sdk, c, MATMUL_READ_AHEAD, sizeof *values, &status);
  for (int64_t i = 0; i < check->k && status == GB_OK && vectors != NULL && values != NULL; i += MATMUL_DEPTH) {
    const struct lines at = {
        .check = check, .first = i, .depth = min_i64(MATMUL_DEPTH, check->k - i), .values = values, .vectors = vectors};
    struct lines a = at, b = at;
    a.tensor = "a", a.line = check->sum_row, a.count = check->sum_rows;
    b.tensor = "b", b.line = check->sum_column, b.count = check->sum_columns;
    status = sum_b(sdk, c, &b);
    if (status == GB_OK) status = sum_a(sdk, c, &a);
  }
  free(vectors);
  free(values);
  return status;
}

gb_status matmul_check_state_sums(const gb_sdk *sdk, gb_case *c, struct matmul_check *check) {
  const gb_status status = choose_sums(sdk, c, check);
  return status == GB_OK ? check->work->state(sdk, c, check) : status;
}

/* ---- Comparison of the output with the sums --------------------------------------------------------------------- */

double matmul_check_factor(const struct matmul_measured *m) {
  return BOUND * (m->error + 0x1p-26);
}

static int64_t columns_of(const struct matmul_check *check, int64_t block) {
  return min_i64(check->width, check->sum_columns - block * check->width);
}

struct matmul_off matmul_check_judge(const struct matmul_check *check, const struct matmul_measured *m, int64_t block,
                                     const double found[VECTORS + 1], const double stated[VECTORS]) {
  const double norm = sqrt(found[VECTORS]) + m->rms * sqrt((double)columns_of(check, block));
  struct matmul_off off = {0, matmul_check_factor(m) * norm};
  for (int v = 0; v < VECTORS; v++) {
    off.off = found[v] - stated[v];
    if (!(fabs(off.off) <= off.bound)) break;
  }
  return off;
}

gb_status matmul_check_report(const gb_sdk *sdk, gb_case *c, const struct matmul_check *check, int64_t row,
                              int64_t block, const struct matmul_off *off) {
  const int64_t first = block * check->width, last = first + columns_of(check, block) - 1;
  return gb_failf(sdk, c, GB_EFAIL,
                  "row %lld of c, columns %lld to %lld: their sum with random weights is off by %.3g, rounding "
                  "explains %.3g",
                  (long long)check->sum_row[row], (long long)check->sum_column[first],
                  (long long)check->sum_column[last], off->off, off->bound);
}

/* A job that several threads share: it checks the rows sum_row[first] to sum_row[first + count - 1] of c, whose
 * elements are in `values`. For each row it finds the first block of columns whose sum is wrong. */
struct rows {
  const struct matmul_check *check;
  const struct matmul_measured *measured;
  const double *values;
  int64_t first, count, turn;
  struct off {
    int64_t block; /* the first block whose sum is wrong; -1: none */
    struct matmul_off by;
  } * off;
};

static struct off check_row_sums(const struct matmul_check *check, const struct matmul_measured *m, int64_t i,
                                 const double *row) {
  for (int64_t block = 0; block < check->blocks; block++) {
    const int64_t first = block * check->width, end = first + columns_of(check, block);
    double found[VECTORS + 1] = {0};
    for (int64_t j = first; j < end; j++) {
      const double value = row[check->sum_column[j]];
      found[VECTORS] += value * value;
      for (int v = 0; v < VECTORS; v++)
        found[v] += check->weight[j * VECTORS + v] * value;
    }
    const struct matmul_off by =
        matmul_check_judge(check, m, block, found, check->sums + (i * check->blocks + block) * VECTORS);
    if (!(fabs(by.off) <= by.bound)) return (struct off){block, by};
  }
  return (struct off){.block = -1};
}

static void check_some_rows(void *context, int64_t piece) {
  const struct rows *r = context;
  const int64_t end = min_i64((piece + 1) * r->turn, r->count);
  for (int64_t u = piece * r->turn; u < end; u++)
    r->off[u] = check_row_sums(r->check, r->measured, r->first + u, r->values + u * r->check->n);
}

static gb_status read_sum_rows(const gb_sdk *sdk, gb_case *c, const struct matmul_check *check, int64_t first,
                               int64_t count, double *values) {
  const int64_t n = check->n, *row = check->sum_row + first;
  gb_status status = GB_OK;
  if (check->stride == 1) return sdk->tensor->output(c, "c", (uint64_t)(*row * n), (uint64_t)(count * n), values);
  for (int64_t u = 0; u < count && status == GB_OK; u++)
    status = sdk->tensor->output(c, "c", (uint64_t)(row[u] * n), (uint64_t)n, values + u * n);
  return status;
}

static gb_status host_compare(const gb_sdk *sdk, gb_case *c, const struct matmul_check *check,
                              const struct matmul_measured *m) {
  gb_status status = GB_OK;
  /* with an epilogue there are no sums, and only the sample is checked */
  if (check->epilogue != MATMUL_PLAIN) return GB_OK;
  const int64_t batch = min_i64(max_i64(MATMUL_READ_AHEAD / check->n, 1), check->sum_rows);
  double *values = matmul_check_claim(sdk, c, batch * check->n, sizeof *values, &status);
  struct off *off = matmul_check_claim(sdk, c, batch, sizeof *off, &status);
  struct rows r = {check, m, values, 0, 0, turn_of(check->sum_columns * VECTORS), off};
  for (; r.first < check->sum_rows && status == GB_OK; r.first += r.count) {
    r.count = min_i64(batch, check->sum_rows - r.first);
    status = read_sum_rows(sdk, c, check, r.first, r.count, values);
    if (status == GB_OK) processors_each(parts(r.count, r.turn), check_some_rows, &r);
    for (int64_t u = 0; u < r.count && status == GB_OK; u++)
      if (off[u].block >= 0) status = matmul_check_report(sdk, c, check, r.first + u, off[u].block, &off[u].by);
  }
  free(values);
  free(off);
  return status;
}

static gb_status host_sample(const gb_sdk *sdk, gb_case *c, const struct matmul_check *check, double *values) {
  gb_status status = GB_OK;
  for (int64_t i = 0; i < check->rows; i++)
    for (int64_t j = 0; j < check->columns && status == GB_OK; j += MATMUL_SEGMENT)
      status =
          sdk->tensor->output(c, "c", (uint64_t)(check->row[i] * check->n + check->column[j]),
                              (uint64_t)min_i64(MATMUL_SEGMENT, check->columns - j), values + i * check->columns + j);
  return status;
}

const struct matmul_check_work matmul_check_host = {
    .stride = host_stride, .sample = host_sample, .state = host_state, .compare = host_compare};
