/* The expected output of "forward", "window" and "decode", computed in float64: every row of small problems, a sample
 * of the rows of large ones. */
#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../shared/processors.h"
#include "float64.h"

#define FULL_MULTIPLY_ADDS 2e8  /* with at most this many multiply-adds, every row is checked */
#define SAMPLE_ELEMENTS 8388608 /* about how many elements of keys and values a sampled reference may read */
#define SAMPLE_HEADS 4
#define SAMPLE_ROWS 16

HOT static void reference_row(const struct reference_rows *r, int row) {
  int64_t keys = r->causal ? r->before + r->query[row] + 1 : r->s;
  const double *q = r->q + (ptrdiff_t)row * r->d;
  double *weights = r->weights + (ptrdiff_t)row * r->s, *o = r->o + (ptrdiff_t)row * r->d;
  const int64_t first = r->window > 0 && r->window < keys ? keys - r->window : 0;
  double top = -INFINITY, sum = 0.0;
  for (int64_t j = first; j < keys; ++j) {
    const double *k = r->k + j * r->d;
    weights[j] = dot_product(q, k, r->d) / sqrt((double)r->d);
    if (weights[j] > top) top = weights[j];
  }
  memset(o, 0, (size_t)r->d * sizeof *o);
  for (int64_t j = first; j < keys; ++j) {
    double weight = exp(weights[j] - top);
    const double *v = r->v + j * r->d;
    sum += weight;
    for (int x = 0; x < r->d; ++x)
      o[x] += weight * v[x];
  }
  for (int x = 0; x < r->d; ++x)
    o[x] /= sum;
}

static void compute_row(void *context, int64_t row) {
  reference_row(context, (int)row);
}

void attention_reference_rows(struct reference_rows *r) {
  processors_each(r->rows, compute_row, r);
}

/* ---- Choosing the rows that are checked ---- */

struct sample {
  struct shape shape;
  int32_t rows; /* number of rows that are checked in each chosen head */
  bool every_row;
  double *memory;
  struct reference_rows reference; /* its arrays are in `memory` */
  double *q;
  int64_t *query;
};

static gb_status open_head_sample(const gb_sdk *sdk, struct sample *a, gb_case *c, struct shape shape) {
  double pairs = (double)shape.heads * (double)shape.s_q * (double)shape.s;
  a->shape = shape;
  a->every_row = 2.0 * pairs * (double)shape.d <= FULL_MULTIPLY_ADDS;
  a->rows = a->every_row || shape.s_q <= SAMPLE_ROWS ? (int32_t)shape.s_q : SAMPLE_ROWS;
  size_t head = (size_t)(shape.s * shape.d), part = (size_t)(a->rows * shape.d);
  size_t count = 2 * head + 2 * part + (size_t)(a->rows * shape.s);
  a->memory = malloc(count * sizeof *a->memory);
  a->query = malloc((size_t)a->rows * sizeof *a->query);
  if (a->memory == NULL || a->query == NULL)
    return gb_failf(sdk, c, GB_ENOMEM, "the reference needs %zu bytes of host memory", count * sizeof *a->memory);
  a->q = a->memory + 2 * head;
  a->reference = (struct reference_rows){
      .k = a->memory,
      .v = a->memory + head,
      .q = a->q,
      .query = a->query,
      .o = a->q + part,
      .weights = a->q + 2 * part,
      .s = shape.s,
      .before = shape.s - shape.s_q,
      .window = shape.window,
      .d = (int32_t)shape.d,
      .causal = shape.causal,
      .rows = a->rows,
  };
  return GB_OK;
}

static void close_sample(struct sample *a) {
  free(a->memory);
  free(a->query);
}

/* Chooses row 0, the last row and random rows between them, or all rows. */
static void choose_queries(const gb_sdk *sdk, struct sample *a, gb_case *c, int64_t head) {
  for (int32_t i = 0; i < a->rows; ++i) {
    bool fixed = a->rows == a->shape.s_q || i == 0;
    uint64_t index = (uint64_t)head * SAMPLE_ROWS + (uint64_t)i;
    a->query[i] = fixed ? i : (int64_t)sdk->rng->below(sdk->point->places(c), 1, index, (uint64_t)a->shape.s_q);
  }
  a->query[a->rows - 1] = a->shape.s_q - 1;
}

static gb_status expect_head(const gb_sdk *sdk, struct sample *a, gb_case *c, int64_t head) {
  uint64_t d = (uint64_t)a->shape.d, size = (uint64_t)a->shape.s * d;
  const uint64_t first = (uint64_t)(head * a->shape.s_q) * d, shared = (uint64_t)(head / a->shape.group) * size;
  gb_status status = sdk->tensor->input(c, "k", shared, size, a->memory);
  if (status == GB_OK) status = sdk->tensor->input(c, "v", shared, size, a->memory + size);
  choose_queries(sdk, a, c, head);
  for (int32_t i = 0; i < a->rows && status == GB_OK; ++i)
    status = sdk->tensor->input(c, "q", first + (uint64_t)a->query[i] * d, d, a->q + (uint64_t)i * d);
  if (status != GB_OK) return status;
  attention_reference_rows(&a->reference);
  for (int32_t i = 0; i < a->rows && status == GB_OK; ++i)
    status = sdk->tensor->expect(c, "o", first + (uint64_t)a->query[i] * d, d, a->reference.o + (uint64_t)i * d);
  return status;
}

/* Chooses the heads that are checked: the first, the last, and one or two random ones between them (one if heads have
 * many keys). Returns their number. */
static int64_t heads_of(const gb_sdk *sdk, const struct sample *a, gb_case *c, int64_t *heads) {
  int64_t affordable = SAMPLE_ELEMENTS / (2 * a->shape.s * a->shape.d);
  int64_t count = affordable < SAMPLE_HEADS - 1 ? SAMPLE_HEADS - 1 : SAMPLE_HEADS;
  if (count > a->shape.heads) count = a->shape.heads;
  heads[0] = 0;
  heads[count - 1] = a->shape.heads - 1;
  for (int64_t i = 1; i < count - 1; ++i)
    heads[i] = 1 + (int64_t)sdk->rng->below(sdk->point->places(c), 0, (uint64_t)i, (uint64_t)(a->shape.heads - 2));
  return count;
}

gb_status attention_reference(const gb_sdk *sdk, gb_case *c, const struct shape *shape) {
  struct sample sample = {.memory = NULL};
  int64_t heads[SAMPLE_HEADS] = {0};
  gb_status status = open_head_sample(sdk, &sample, c, *shape);
  if (status == GB_OK) {
    int64_t count = sample.every_row ? shape->heads : heads_of(sdk, &sample, c, heads);
    for (int64_t i = 0; i < count && status == GB_OK; ++i)
      status = expect_head(sdk, &sample, c, sample.every_row ? i : heads[i]);
  }
  close_sample(&sample);
  return status;
}
