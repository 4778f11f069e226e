/* The expected gradients of "backward", computed in float64: every row of small problems, a sample of the rows of large
 * ones. A row of dK or dV is a sum over all queries of all heads that share the key; these heads are processed one at a
 * time. */
#include "backward_reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../shared/processors.h"
#include "float64.h"

#define FULL_MULTIPLY_ADDS 2e8 /* with at most this many multiply-adds, every row is checked */
#define SAMPLE_ROWS 16
#define SAMPLE_HEADS 3 /* heads of keys that a sample covers */

/* One head of queries with its keys and values, and the rows whose gradients are computed: rows of queries for dQ, rows
 * of keys for dK and dV. */
struct head {
  double *q, *k, *v, *o, *d_o; /* [s][d] */
  double *lse, *delta;         /* [s] */
  int64_t *query, *key;        /* [rows] the numbers of the chosen rows */
  double *dq, *dk, *dv;        /* [rows][d] */
  int64_t s;
  int32_t d, rows;
  bool causal;
};

struct sample {
  const gb_sdk *sdk;
  gb_case *c;
  struct shape shape;
  bool every_row;
  double *memory; /* holds the arrays of `head` */
  int64_t *chosen;
  struct head head;
};

/* P (the softmax weight) and dS (the gradient of the score) for one query and one key. */
struct pair {
  double weight, ds;
};

INLINE struct pair pair_of(const struct head *h, int64_t i, int64_t j) {
  const double *q = h->q + i * h->d, *k = h->k + j * h->d, *d_o = h->d_o + i * h->d, *v = h->v + j * h->d;
  const double weight = exp(dot_product(q, k, h->d) / sqrt((double)h->d) - h->lse[i]);
  return (struct pair){weight, weight * (dot_product(d_o, v, h->d) - h->delta[i])};
}

HOT static void query_row(const struct head *h, int64_t row) {
  const int64_t i = h->query[row], keys = h->causal ? i + 1 : h->s;
  double *dq = h->dq + row * h->d;
  memset(dq, 0, (size_t)h->d * sizeof *dq);
  for (int64_t j = 0; j < keys; ++j)
    add_scaled(dq, h->k + j * h->d, h->d, pair_of(h, i, j).ds / sqrt((double)h->d));
}

/* Adds the contributions of this head's queries to dK and dV of a chosen key. */
HOT static void key_row(const struct head *h, int64_t row) {
  const int64_t j = h->key[row];
  double *dk = h->dk + row * h->d, *dv = h->dv + row * h->d;
  for (int64_t i = h->causal ? j : 0; i < h->s; ++i) {
    const struct pair pair = pair_of(h, i, j);
    add_scaled(dk, h->q + i * h->d, h->d, pair.ds / sqrt((double)h->d));
    add_scaled(dv, h->d_o + i * h->d, h->d, pair.weight);
  }
}

HOT static void delta_row(const struct head *h, int64_t i) {
  h->delta[i] = dot_product(h->d_o + i * h->d, h->o + i * h->d, h->d);
}

static void compute_query(void *context, int64_t row) {
  query_row(context, row);
}

static void compute_key(void *context, int64_t row) {
  key_row(context, row);
}

static void compute_delta(void *context, int64_t row) {
  delta_row(context, row);
}

/* ---- Choosing the rows that are checked ---- */

static gb_status open_gradient_sample(struct sample *a) {
  const struct shape *shape = &a->shape;
  a->every_row = (double)shape->heads * (double)shape->s * (double)shape->s * (double)shape->d <= FULL_MULTIPLY_ADDS;
  const int32_t rows = a->every_row || shape->s <= SAMPLE_ROWS ? (int32_t)shape->s : SAMPLE_ROWS;
  const size_t all = (size_t)(shape->s * shape->d), part = (size_t)rows * (size_t)shape->d, s = (size_t)shape->s;
  const size_t count = 5 * all + 2 * s + 3 * part;
  a->memory = malloc(count * sizeof *a->memory);
  a->chosen = malloc(2 * (size_t)rows * sizeof *a->chosen);
  if (a->memory == NULL || a->chosen == NULL) {
    gb_failf(a->sdk, a->c, GB_ENOMEM, "the reference needs %zu bytes of host memory", count * sizeof *a->memory);
    return GB_ENOMEM;
  }
  double *gradients = a->memory + 5 * all + 2 * s;
  a->head = (struct head){
      .q = a->memory,
      .k = a->memory + all,
      .v = a->memory + 2 * all,
      .o = a->memory + 3 * all,
      .d_o = a->memory + 4 * all,
      .lse = a->memory + 5 * all,
      .delta = a->memory + 5 * all + s,
      .query = a->chosen,
      .key = a->chosen + rows,
      .dq = gradients,
      .dk = gradients + part,
      .dv = gradients + 2 * part,
      .s = shape->s,
      .d = (int32_t)shape->d,
      .rows = rows,
      .causal = shape->causal,
  };
  return GB_OK;
}

/* Chooses row 0, the last row and random rows between them, or all rows. `stream` separates the random numbers for
 * queries from those for keys. */
static void choose_gradient_rows(const struct sample *a, int64_t *chosen, uint64_t stream, int64_t head) {
  const struct head *h = &a->head;
  for (int32_t i = 0; i < h->rows; ++i) {
    const uint64_t index = (uint64_t)head * SAMPLE_ROWS + (uint64_t)i;
    chosen[i] = h->rows == h->s || i == 0
                    ? i
                    : (int64_t)a->sdk->rng->below(a->sdk->point->places(a->c), stream, index, (uint64_t)h->s);
  }
  chosen[h->rows - 1] = h->s - 1;
}

/* Chooses the heads to check: the first, the last and a random one between them, or all if there are no more than
 * SAMPLE_HEADS. Returns their number. */
static int64_t choose_heads(const struct sample *a, int64_t count, uint64_t stream, int64_t *heads) {
  if (a->every_row || count <= SAMPLE_HEADS) {
    for (int64_t i = 0; i < count && i < SAMPLE_HEADS; ++i)
      heads[i] = i;
    return count;
  }
  heads[0] = 0;
  heads[1] = 1 + (int64_t)a->sdk->rng->below(a->sdk->point->places(a->c), stream, 0, (uint64_t)(count - 2));
  heads[2] = count - 1;
  return SAMPLE_HEADS;
}

/* ---- Expected values ---- */

static gb_status load_head(const struct sample *a, const char *name, int64_t head, int64_t width, double *to) {
  const uint64_t count = (uint64_t)(a->shape.s * width);
  return a->sdk->tensor->input(a->c, name, (uint64_t)head * count, count, to);
}

static gb_status load_query_head(struct sample *a, int64_t head) {
  struct head *h = &a->head;
  gb_status status = load_head(a, "q", head, h->d, h->q);
  if (status == GB_OK) status = load_head(a, "o", head, h->d, h->o);
  if (status == GB_OK) status = load_head(a, "do", head, h->d, h->d_o);
  if (status == GB_OK) status = load_head(a, "lse", head, 1, h->lse);
  if (status == GB_OK) processors_each(h->s, compute_delta, h);
  return status;
}

static gb_status expect_gradient(const struct sample *a, const char *name, int64_t head, const int64_t *rows,
                                 const double *values) {
  const uint64_t d = (uint64_t)a->head.d;
  gb_status status = GB_OK;
  for (int32_t i = 0; i < a->head.rows && status == GB_OK; ++i) {
    const uint64_t first = (uint64_t)(head * a->head.s + rows[i]) * d;
    status = a->sdk->tensor->expect(a->c, name, first, d, values + (uint64_t)i * d);
  }
  return status;
}

static gb_status expect_queries(struct sample *a, int64_t head) {
  choose_gradient_rows(a, a->head.query, 1, head);
  processors_each(a->head.rows, compute_query, &a->head);
  return expect_gradient(a, "dq", head, a->head.query, a->head.dq);
}

/* Passes the expected rows of dK and dV of a head of keys to gpubench. Does the same with dQ for one of the heads of
 * queries that share these keys, chosen at random, or for all of them if every row is checked. */
static gb_status expect_keys(struct sample *a, int64_t key_head) {
  struct head *h = &a->head;
  const int64_t group = a->shape.group;
  const int64_t drawn =
      (int64_t)a->sdk->rng->below(a->sdk->point->places(a->c), 3, (uint64_t)key_head, (uint64_t)group);
  gb_status status = load_head(a, "k", key_head, h->d, h->k);
  if (status == GB_OK) status = load_head(a, "v", key_head, h->d, h->v);
  choose_gradient_rows(a, h->key, 2, key_head);
  memset(h->dk, 0, (size_t)(h->rows * h->d) * sizeof *h->dk);
  memset(h->dv, 0, (size_t)(h->rows * h->d) * sizeof *h->dv);
  for (int64_t g = 0; g < group && status == GB_OK; ++g) {
    status = load_query_head(a, key_head * group + g);
    if (status != GB_OK) return status;
    processors_each(h->rows, compute_key, h);
    if (a->every_row || g == drawn) status = expect_queries(a, key_head * group + g);
  }
  if (status == GB_OK) status = expect_gradient(a, "dk", key_head, h->key, h->dk);
  return status == GB_OK ? expect_gradient(a, "dv", key_head, h->key, h->dv) : status;
}

gb_status attention_backward_reference(const gb_sdk *sdk, gb_case *c, const struct shape *shape) {
  struct sample sample = {.sdk = sdk, .c = c, .shape = *shape};
  int64_t heads[SAMPLE_HEADS] = {0};
  gb_status status = open_gradient_sample(&sample);
  if (status == GB_OK) {
    const int64_t count = choose_heads(&sample, shape->heads / shape->group, 0, heads);
    for (int64_t i = 0; i < count && status == GB_OK; ++i)
      status = expect_keys(&sample, sample.every_row ? i : heads[i]);
  }
  free(sample.memory);
  free(sample.chosen);
  return status;
}
