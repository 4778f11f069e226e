/* The expected output of "varlen", attention over packed sequences, computed in float64: every row of small problems, a
 * sample of the rows of large ones. */
#include "varlen_reference.h"

#include <stdlib.h>

#include "reference.h"

#define FULL_MULTIPLY_ADDS 2e8 /* with at most this many multiply-adds, every row is checked */
#define SAMPLE_UNITS 8
#define SAMPLE_ROWS 16

/* One head of one sequence, whose rows are `first` to `first` + `length` - 1. */
struct unit {
  int64_t first, length, head;
};

struct sample {
  const gb_sdk *sdk;
  gb_case *c;
  const struct varlen_shape *shape;
  const int32_t *offsets;
  bool every_row;
  int64_t most_rows; /* the most rows that are checked in a unit */
  double *memory;    /* holds keys, values, queries, outputs and weights of a unit */
  int64_t *query;
};

static gb_status open_unit_sample(struct sample *a) {
  const struct varlen_shape *shape = a->shape;
  const int64_t longest = shape->longest, d = shape->d;
  a->every_row = 2.0 * (double)shape->pairs * (double)(shape->h * d) <= FULL_MULTIPLY_ADDS;
  a->most_rows = a->every_row || longest < SAMPLE_ROWS ? longest : SAMPLE_ROWS;
  const size_t count = (size_t)(2 * longest * d + 2 * a->most_rows * d + a->most_rows * longest);
  a->memory = malloc(count * sizeof *a->memory);
  a->query = malloc((size_t)a->most_rows * sizeof *a->query);
  if (a->memory != NULL && a->query != NULL) return GB_OK;
  return gb_failf(a->sdk, a->c, GB_ENOMEM, "the reference needs %zu bytes of host memory", count * sizeof *a->memory);
}

/* Reads rows `first` to `first` + `rows` - 1 of a head of the tensor `name`, which has `heads` heads. */
static gb_status read_head_rows(const struct sample *a, const char *name, int64_t heads, int64_t head, int64_t first,
                                int64_t rows, double *to) {
  const int64_t d = a->shape->d;
  gb_status status = GB_OK;
  for (int64_t i = 0; i < rows && status == GB_OK; ++i)
    status = a->sdk->tensor->input(a->c, name, (uint64_t)(((first + i) * heads + head) * d), (uint64_t)d, to + i * d);
  return status;
}

static gb_status expect_unit(struct sample *a, struct unit unit, uint64_t stream) {
  const struct varlen_shape *shape = a->shape;
  const int64_t d = shape->d, shared = unit.head / (shape->h / shape->h_kv);
  const int64_t rows = unit.length < a->most_rows ? unit.length : a->most_rows;
  double *k = a->memory, *v = k + unit.length * d, *q = v + unit.length * d, *o = q + rows * d;
  struct reference_rows chosen = {
      .k = k,
      .v = v,
      .q = q,
      .query = a->query,
      .o = o,
      .weights = o + rows * d,
      .s = unit.length,
      .window = shape->window,
      .d = (int32_t)d,
      .causal = shape->causal,
      .rows = (int32_t)rows,
  };
  gb_status status = read_head_rows(a, "k", shape->h_kv, shared, unit.first, unit.length, k);
  if (status == GB_OK) status = read_head_rows(a, "v", shape->h_kv, shared, unit.first, unit.length, v);
  for (int64_t i = 0; i < rows && status == GB_OK; ++i) {
    a->query[i] = gb_sampled(a->sdk, a->c, stream, i, rows, unit.length);
    status = read_head_rows(a, "q", shape->h, unit.head, unit.first + a->query[i], 1, q + i * d);
  }
  if (status != GB_OK) return status;
  attention_reference_rows(&chosen);
  for (int64_t i = 0; i < rows && status == GB_OK; ++i) {
    const int64_t row = (unit.first + a->query[i]) * shape->h + unit.head;
    status = a->sdk->tensor->expect(a->c, "o", (uint64_t)(row * d), (uint64_t)d, o + i * d);
  }
  return status;
}

static struct unit unit_at(const struct sample *a, int64_t sequence, int64_t head) {
  const int64_t first = a->offsets[sequence];
  return (struct unit){.first = first, .length = a->offsets[sequence + 1] - first, .head = head};
}

static int64_t sequence_with(const struct sample *a, int64_t row) {
  int64_t sequence = 0;
  while (a->offsets[sequence + 1] <= row)
    sequence++;
  return sequence;
}

/* Returns unit number `index` of a sample. Unit 0 is the first head of the first sequence, and the last unit is the
 * last head of the last sequence. Any other unit is a random head of the sequence that has a random row, so that long
 * sequences are likelier than short ones. */
static struct unit sampled_unit(const struct sample *a, int64_t index) {
  const uint64_t number = a->sdk->point->places(a->c), at = (uint64_t)index;
  if (index == 0) return unit_at(a, 0, 0);
  if (index == SAMPLE_UNITS - 1) return unit_at(a, a->shape->sequences - 1, a->shape->h - 1);
  const int64_t row = (int64_t)a->sdk->rng->below(number, 0, at, (uint64_t)a->shape->total);
  return unit_at(a, sequence_with(a, row), (int64_t)a->sdk->rng->below(number, 1, at, (uint64_t)a->shape->h));
}

static gb_status expect_units(struct sample *a) {
  gb_status status = GB_OK;
  for (int64_t sequence = 0; sequence < a->shape->sequences; ++sequence) {
    for (int64_t head = 0; head < a->shape->h && status == GB_OK; ++head)
      status = expect_unit(a, unit_at(a, sequence, head), 0);
  }
  return status;
}

gb_status attention_varlen_reference(const gb_sdk *sdk, gb_case *c, const struct varlen_shape *shape,
                                     const int32_t *offsets) {
  struct sample a = {.sdk = sdk, .c = c, .shape = shape, .offsets = offsets};
  gb_status status = open_unit_sample(&a);
  if (status == GB_OK && a.every_row) status = expect_units(&a);
  for (int64_t i = 0; i < SAMPLE_UNITS && status == GB_OK && !a.every_row; ++i)
    status = expect_unit(&a, sampled_unit(&a, i), (uint64_t)(2 + i));
  free(a.memory);
  free(a.query);
  return status;
}
