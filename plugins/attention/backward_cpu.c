/* The gradients of attention on the CPU with OpenMP. Independent of the plugin ABI.
 *
 * With the scores S = Q K^T / sqrt(d), P = exp(S - lse), dP = dO V^T, delta = the row sums of dO * O and
 * dS = P * (dP - delta), the gradients are dQ = dS K / sqrt(d), dK = dS^T Q / sqrt(d) and dV = P^T dO.
 *
 * The right operands of products are packed as panels of 16 rows, transposed to [d][16].
 *
 * A task computes up to 48 rows of one head: rows of queries for dQ, rows of keys for dK and dV. No two tasks write to
 * the same memory. */
#include <math.h>
#include <omp.h>

#include "backward_kernels.h"
#include "cpu.h"
#include "cpu_kernels.h"

#define ROWS (8 * GROUP) /* rows (queries or keys) that one task computes */
#define COLUMNS 64       /* columns of a block of P and dS, which stays in the cache */
#define MAX_D 128

/* ---- Layout of the workspace ---- */

/* The matrices of all heads of a tensor, in the two forms that products read: rows (for a left operand, or a right
 * operand b[depth][columns]), and transposed panels (for a right operand). A pointer is NULL if no product reads that
 * form. */
struct operand {
  const float *rows;   /* [heads][s][d] */
  const float *panels; /* [heads][panels][d][16] */
};

struct work {
  const struct backward_problem *p;
  struct operand q, k, v, d_o;
  float *delta; /* [heads][s] */
  /* P and dS; only the variant `standard` has them: [heads][s, rounded up to a multiple of ROWS][row_pitch()]. */
  float *weights, *ds;
  size_t floats;
};

static int panels_across(const struct backward_problem *p) {
  return round_up(p->s, WIDTH) / WIDTH;
}

static int row_pitch(const struct backward_problem *p) {
  return panels_across(p) * WIDTH;
}

static int64_t key_heads(const struct backward_problem *p) {
  return p->heads / p->group;
}

static int64_t blocks_down(const struct backward_problem *p) {
  return round_up(p->s, ROWS) / ROWS;
}

static float *reserve_floats(struct work *w, size_t floats) {
  float *start = w->p->workspace == NULL ? NULL : (float *)w->p->workspace + w->floats;
  w->floats += (floats + LANES - 1) / LANES * LANES;
  return start;
}

/* Reserves workspace for the forms of a tensor that `rows` and `panels` ask for. fp32 rows need none, because the
 * tensor itself is read. */
static struct operand reserve_operand(struct work *w, const void *stored, int64_t heads, bool rows, bool panels) {
  const struct backward_problem *p = w->p;
  struct operand operand = {.rows = p->bf16 ? NULL : stored};
  if (rows && p->bf16) operand.rows = reserve_floats(w, (size_t)(heads * p->s * p->d));
  if (panels) operand.panels = reserve_floats(w, (size_t)(heads * panels_across(p) * WIDTH * p->d));
  return operand;
}

static struct work lay_out_backward(const struct backward_problem *p, bool in_memory) {
  struct work w = {.p = p};
  w.delta = reserve_floats(&w, (size_t)(p->heads * p->s));
  w.k = reserve_operand(&w, p->k, key_heads(p), true, true);
  w.v = reserve_operand(&w, p->v, key_heads(p), false, true);
  w.q = reserve_operand(&w, p->q, p->heads, true, !in_memory);
  w.d_o = reserve_operand(&w, p->d_o, p->heads, true, !in_memory);
  if (!in_memory) return w;
  const size_t all = (size_t)(p->heads * blocks_down(p) * ROWS) * (size_t)row_pitch(p);
  w.weights = reserve_floats(&w, all);
  w.ds = reserve_floats(&w, all);
  return w;
}

/* ---- Packing ---- */

HOT static void pack_operand_panel(const struct backward_problem *p, const struct operand *to, const void *stored,
                                   int64_t index) {
  const int64_t head = index / panels_across(p);
  const int first = (int)(index % panels_across(p)) * WIDTH, count = smaller(WIDTH, p->s - first);
  const ptrdiff_t start = (ptrdiff_t)((head * p->s + first) * p->d);
  float rows[WIDTH * MAX_D] = {0}, *panel = to->panels == NULL ? NULL : (float *)to->panels + index * WIDTH * p->d;
  load_floats(rows, stored, start, count * p->d, p->bf16);
  if (p->bf16 && to->rows != NULL) memcpy((float *)to->rows + start, rows, (size_t)(count * p->d) * sizeof *rows);
  if (panel != NULL) transpose_rows(panel, rows, WIDTH, p->d);
}

static void pack_operand(const struct backward_problem *p, const struct operand *to, const void *stored,
                         int64_t heads) {
  const int64_t count = heads * panels_across(p);
  if (to->panels == NULL && !p->bf16) return;
#pragma omp parallel for num_threads(p->threads) schedule(static)
  for (int64_t i = 0; i < count; ++i)
    pack_operand_panel(p, to, stored, i);
}

HOT static void sum_row(const struct work *w, int64_t row) {
  const struct backward_problem *p = w->p;
  float o[MAX_D], d_o[MAX_D];
  load_floats(o, p->o, (ptrdiff_t)(row * p->d), p->d, p->bf16);
  load_floats(d_o, p->d_o, (ptrdiff_t)(row * p->d), p->d, p->bf16);
  for (int x = 0; x < p->d; ++x)
    o[x] *= d_o[x];
  w->delta[row] = sum_of(o, p->d);
}

static void pack_all(const struct work *w) {
  const struct backward_problem *p = w->p;
  const int64_t rows = p->heads * p->s;
  if (w->delta == NULL) return; /* p->workspace is NULL: there is no memory to fill */
  pack_operand(p, &w->k, p->k, key_heads(p));
  pack_operand(p, &w->v, p->v, key_heads(p));
  pack_operand(p, &w->q, p->q, p->heads);
  pack_operand(p, &w->d_o, p->d_o, p->heads);
#pragma omp parallel for num_threads(p->threads) schedule(static)
  for (int64_t i = 0; i < rows; ++i)
    sum_row(w, i);
}

/* ---- Blocks ---- */

/* A task: rows first .. first + count - 1 of a head. */
struct block {
  int64_t head;
  int first, count;
};

/* Returns the block of a task. Tasks start with the longest ones: under a causal mask these are the last blocks of
 * queries (`backwards`), which see the most keys, and the first blocks of keys, which the most queries see. */
static struct block task_block(const struct backward_problem *p, int64_t task, bool backwards) {
  const int64_t blocks = blocks_down(p), i = task % blocks;
  const int first = (int)(backwards && p->causal ? blocks - 1 - i : i) * ROWS;
  return (struct block){.head = task / blocks, .first = first, .count = smaller(ROWS, p->s - first)};
}

static float score_scale(const struct backward_problem *p) {
  return (float)(1.0 / sqrt((double)p->d));
}

/* Loads the rows of the block from the tensor `from` as floats, times `scale`. Rows past the end of the head are set to
 * zero. */
INLINE void load_block(const struct backward_problem *p, struct block b, const void *from, float scale, float *to) {
  load_floats(to, from, (ptrdiff_t)((b.head * p->s + b.first) * p->d), b.count * p->d, p->bf16);
  scale_row(to, b.count * p->d, scale);
  memset(to + b.count * p->d, 0, (size_t)((ROWS - b.count) * p->d) * sizeof *to);
}

INLINE void store_block(const struct backward_problem *p, struct block b, float *from, float scale, void *to) {
  scale_row(from, b.count * p->d, scale);
  store_floats(to, (ptrdiff_t)((b.head * p->s + b.first) * p->d), from, b.count * p->d, p->bf16);
}

static const float *panels_at(const struct backward_problem *p, const struct operand *of, int64_t head, int first) {
  return of->panels + ((head * panels_across(p)) + first / WIDTH) * WIDTH * p->d;
}

static const float *rows_at(const struct backward_problem *p, const struct operand *of, int64_t head, int first) {
  return of->rows + (head * p->s + first) * p->d;
}

/* Computes c = a * b over a depth of d, where b is packed as panels. */
static void multiply_panels(const struct backward_problem *p, float *c, int c_pitch, const float *a,
                            const float *panels, int rows, int columns) {
  const struct product product = {.c = c,
                                  .a = a,
                                  .b = panels,
                                  .c_pitch = c_pitch,
                                  .a_pitch = p->d,
                                  .b_pitch = WIDTH,
                                  .b_panel = (ptrdiff_t)WIDTH * p->d};
  attention_cpu_multiply(&product, rows, round_up(columns, WIDTH), p->d);
}

/* Computes c = a * b, or c += a * b if `keep`. The rows of b are rows of a head, and c has d columns. */
static void multiply_rows(const struct backward_problem *p, float *c, const float *a, int a_pitch, const float *b,
                          int rows, int depth, bool keep) {
  const struct product product = {
      .c = c, .a = a, .b = b, .c_pitch = p->d, .a_pitch = a_pitch, .b_pitch = p->d, .b_panel = WIDTH, .keep = keep};
  attention_cpu_multiply(&product, rows, p->d, depth);
}

/* Returns the number of keys that any query of the block sees. */
static int keys_of_block(const struct backward_problem *p, struct block b) {
  return p->causal ? b.first + b.count : p->s;
}

/* Turns the scores and dP of query `i` of the block, for keys `first` to `first` + `width` - 1, into P and dS in place.
 * P and dS are zero for keys that the query does not see. */
INLINE void weigh_query(const struct work *w, struct block b, int i, int first, int width, float *weights, float *ds) {
  const struct backward_problem *p = w->p;
  const int64_t row = b.head * p->s + b.first + i;
  const int seen = p->causal ? smaller(b.first + i + 1 - first, width) : width, count = i < b.count ? seen : 0;
  attention_cpu_weigh(weights, ds, count, p->lse + row, w->delta + row, false);
  for (int j = count > 0 ? count : 0; j < width; ++j)
    weights[j] = ds[j] = 0.0f;
}

/* ---- `flash`: P and dS exist only as blocks in the cache, and are computed twice ---- */

static int clip_column(int column, int width) {
  return column < 0 ? 0 : smaller(column, width);
}

/* Returns how many rows of a block to multiply at once. Usually all of them. But if the causal mask hides some columns
 * from some rows (`cut`), only GROUP rows: the columns that none of these few rows sees are skipped. */
static int group_rows(const struct backward_problem *p, bool cut) {
  return p->causal && cut ? GROUP : ROWS;
}

HOT static void flash_queries(const struct work *w, int64_t task) {
  const struct backward_problem *p = w->p;
  const struct block b = task_block(p, task, true);
  const int64_t keys = b.head / p->group;
  float q[ROWS * MAX_D], d_o[ROWS * MAX_D], dq[ROWS * MAX_D], weights[ROWS * COLUMNS], ds[ROWS * COLUMNS];
  load_block(p, b, p->q, score_scale(p), q);
  load_block(p, b, p->d_o, 1.0f, d_o);
  memset(dq, 0, (size_t)(ROWS * p->d) * sizeof *dq);
  for (int first = 0; first < keys_of_block(p, b); first += COLUMNS) {
    const int width = smaller(COLUMNS, keys_of_block(p, b) - first);
    const int rows = group_rows(p, b.first < first + width);
    for (int i = 0; i < ROWS; i += rows) {
      const int seen = p->causal ? clip_column(b.first + i + rows - first, width) : width;
      float *const some = weights + i * COLUMNS, *const ds_of = ds + i * COLUMNS;
      multiply_panels(p, some, COLUMNS, q + i * p->d, panels_at(p, &w->k, keys, first), rows, seen);
      multiply_panels(p, ds_of, COLUMNS, d_o + i * p->d, panels_at(p, &w->v, keys, first), rows, seen);
      for (int j = 0; j < rows; ++j)
        weigh_query(w, b, i + j, first, seen, some + j * COLUMNS, ds_of + j * COLUMNS);
      multiply_rows(p, dq + i * p->d, ds_of, COLUMNS, rows_at(p, &w->k, keys, first), rows, seen, true);
    }
  }
  store_block(p, b, dq, score_scale(p), p->dq);
}

/* Computes P and dS in place as weigh_query() does, but for one key and the queries `first` to `first` + `width` - 1 of
 * a head. */
INLINE void weigh_key(const struct work *w, int64_t head, int key, int first, int width, float *weights, float *ds) {
  const struct backward_problem *p = w->p;
  const float *lse = p->lse + head * p->s + first, *delta = w->delta + head * p->s + first;
  const int hidden = p->causal ? smaller(key - first, width) : 0, begin = hidden > 0 ? hidden : 0;
  for (int i = 0; i < begin; ++i)
    weights[i] = ds[i] = 0.0f;
  attention_cpu_weigh(weights + begin, ds + begin, width - begin, lse + begin, delta + begin, true);
}

/* Adds to dK and dV of a block of keys what the head `head` of queries contributes. The heads of queries that share
 * these keys are added one after the other. */
INLINE void add_head(const struct work *w, struct block b, int64_t head, const float *k, const float *v, float *dk,
                     float *dv) {
  const struct backward_problem *p = w->p;
  float weights[ROWS * COLUMNS], ds[ROWS * COLUMNS];
  for (int first = p->causal ? b.first / COLUMNS * COLUMNS : 0; first < p->s; first += COLUMNS) {
    const int width = smaller(COLUMNS, p->s - first);
    const int rows = group_rows(p, first < b.first + ROWS);
    for (int i = 0; i < ROWS; i += rows) {
      const int hidden = p->causal ? clip_column(b.first + i - first, width) / WIDTH * WIDTH : 0;
      const int from = first + hidden, count = width - hidden;
      float *const some = weights + i * COLUMNS, *const ds_of = ds + i * COLUMNS;
      multiply_panels(p, some, COLUMNS, k + i * p->d, panels_at(p, &w->q, head, from), rows, count);
      multiply_panels(p, ds_of, COLUMNS, v + i * p->d, panels_at(p, &w->d_o, head, from), rows, count);
      for (int j = 0; j < rows; ++j)
        weigh_key(w, head, b.first + i + j, from, count, some + j * COLUMNS, ds_of + j * COLUMNS);
      multiply_rows(p, dv + i * p->d, some, COLUMNS, rows_at(p, &w->d_o, head, from), rows, count, true);
      multiply_rows(p, dk + i * p->d, ds_of, COLUMNS, rows_at(p, &w->q, head, from), rows, count, true);
    }
  }
}

HOT static void flash_keys(const struct work *w, int64_t task) {
  const struct backward_problem *p = w->p;
  const struct block b = task_block(p, task, false);
  float k[ROWS * MAX_D], v[ROWS * MAX_D], dk[ROWS * MAX_D], dv[ROWS * MAX_D];
  load_block(p, b, p->k, score_scale(p), k);
  load_block(p, b, p->v, 1.0f, v);
  memset(dk, 0, (size_t)(ROWS * p->d) * sizeof *dk);
  memset(dv, 0, (size_t)(ROWS * p->d) * sizeof *dv);
  for (int g = 0; g < p->group; ++g)
    add_head(w, b, b.head * p->group + g, k, v, dk, dv);
  store_block(p, b, dk, score_scale(p), p->dk);
  store_block(p, b, dv, 1.0f, p->dv);
}

static void for_tasks(const struct work *w, int64_t heads, void (*step)(const struct work *, int64_t)) {
  const int64_t tasks = heads * blocks_down(w->p);
#pragma omp parallel for num_threads(w->p->threads) schedule(dynamic, 1)
  for (int64_t i = 0; i < tasks; ++i)
    step(w, i);
}

static uint64_t workspace_bytes(const struct backward_problem *p, bool in_memory) {
  struct backward_problem nowhere = *p;
  nowhere.workspace = NULL;
  return lay_out_backward(&nowhere, in_memory).floats * sizeof(float);
}

uint64_t backward_cpu_flash_workspace(const struct backward_problem *p) {
  return workspace_bytes(p, false);
}

void backward_cpu_flash(const struct backward_problem *p) {
  const struct work w = lay_out_backward(p, false);
  pack_all(&w);
  for_tasks(&w, p->heads, flash_queries);
  for_tasks(&w, key_heads(p), flash_keys);
}

/* ---- `standard`: P and dS of all heads are written to memory, then the three products read them ---- */

static float *scores_at(const struct work *w, float *in, int64_t head, int row) {
  return in + (head * blocks_down(w->p) * ROWS + row) * row_pitch(w->p);
}

HOT static void standard_weights(const struct work *w, int64_t task) {
  const struct backward_problem *p = w->p;
  const struct block b = task_block(p, task, true);
  const int64_t keys = b.head / p->group;
  const int pitch = row_pitch(p), width = keys_of_block(p, b);
  float q[ROWS * MAX_D], d_o[ROWS * MAX_D];
  float *weights = scores_at(w, w->weights, b.head, b.first), *ds = scores_at(w, w->ds, b.head, b.first);
  load_block(p, b, p->q, score_scale(p), q);
  load_block(p, b, p->d_o, 1.0f, d_o);
  multiply_panels(p, weights, pitch, q, panels_at(p, &w->k, keys, 0), ROWS, width);
  multiply_panels(p, ds, pitch, d_o, panels_at(p, &w->v, keys, 0), ROWS, width);
  for (int i = 0; i < ROWS; ++i)
    weigh_query(w, b, i, 0, keys_of_block(p, b), weights + (ptrdiff_t)i * pitch, ds + (ptrdiff_t)i * pitch);
}

HOT static void standard_queries(const struct work *w, int64_t task) {
  const struct backward_problem *p = w->p;
  const struct block b = task_block(p, task, true);
  float dq[ROWS * MAX_D];
  multiply_rows(p, dq, scores_at(w, w->ds, b.head, b.first), row_pitch(p), rows_at(p, &w->k, b.head / p->group, 0),
                ROWS, keys_of_block(p, b), false);
  store_block(p, b, dq, score_scale(p), p->dq);
}

INLINE void add_scaled(float *to, const float *from, int count, float factor) {
  for (int x = 0; x < count; ++x)
    to[x] += factor * from[x];
}

HOT static void standard_keys(const struct work *w, int64_t task) {
  const struct backward_problem *p = w->p;
  const struct block b = task_block(p, task, false);
  float dk[ROWS * MAX_D] = {0}, dv[ROWS * MAX_D] = {0};
  for (int64_t head = b.head * p->group; head < (b.head + 1) * p->group; ++head) {
    for (int i = p->causal ? b.first : 0; i < p->s; ++i) {
      const float *weights = scores_at(w, w->weights, head, i) + b.first, *ds = scores_at(w, w->ds, head, i) + b.first;
      const int seen = p->causal ? smaller(b.count, i + 1 - b.first) : b.count;
      for (int j = 0; j < seen; ++j) {
        add_scaled(dv + j * p->d, rows_at(p, &w->d_o, head, i), p->d, weights[j]);
        add_scaled(dk + j * p->d, rows_at(p, &w->q, head, i), p->d, ds[j]);
      }
    }
  }
  store_block(p, b, dk, score_scale(p), p->dk);
  store_block(p, b, dv, 1.0f, p->dv);
}

uint64_t backward_cpu_standard_workspace(const struct backward_problem *p) {
  return workspace_bytes(p, true);
}

void backward_cpu_standard(const struct backward_problem *p) {
  const struct work w = lay_out_backward(p, true);
  pack_all(&w);
  for_tasks(&w, p->heads, standard_weights);
  for_tasks(&w, p->heads, standard_queries);
  for_tasks(&w, key_heads(p), standard_keys);
}
