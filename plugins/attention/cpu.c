/* Standard attention on the CPU with OpenMP: all scores, then the softmax of all rows, then all outputs. Independent of
 * the plugin ABI.
 *
 * Keys are first packed as panels of 16, transposed to [d][16], so that one function serves both products, q * k^T and
 * p * v. A task is a block of 48 query rows of one head. It is computed in groups of a few rows, whose sums stay in
 * registers. */
#include <math.h>
#include <omp.h>

#include "cpu.h"
#include "cpu_kernels.h"
#include "cpu_spans.h"
#include "kernels.h"

#define ROWS (8 * GROUP) /* rows of queries that one task computes */

/* ---- Blocks and the layout of the workspace ---- */

static int count_key_panels(const struct attention_problem *p) {
  return round_up(p->s, WIDTH) / WIDTH;
}

static ptrdiff_t head_elements(const struct attention_problem *p) {
  return (ptrdiff_t)p->s * p->d;
}

static ptrdiff_t panel_elements(const struct attention_problem *p) {
  return (ptrdiff_t)WIDTH * p->d;
}

static ptrdiff_t packed_keys(const struct attention_problem *p) {
  return key_heads(p) * count_key_panels(p) * panel_elements(p);
}

/* Returns how many floats of workspace are needed for the values (v) converted to float: none if v is fp32, because the
 * product then reads the tensor itself. (The product reads only a few columns of each row at a time. Therefore
 * pack_key_panel() prefetches whole rows of fp32 values.) */
static ptrdiff_t packed_values(const struct attention_problem *p) {
  return p->stored != STORED_FP32 ? key_heads(p) * head_elements(p) : 0;
}

/* Returns the packed keys that this head of queries reads, from key `first` on. `first` must be the first key of a
 * panel. */
static const float *panel_keys_at(const struct attention_problem *p, int64_t head, int first) {
  return (const float *)p->workspace + (head / p->group * count_key_panels(p) + first / WIDTH) * panel_elements(p);
}

static const float *head_values_at(const struct attention_problem *p, int64_t head, int first) {
  if (p->stored == STORED_FP32) return (const float *)p->v + element_of(p, key_heads(p), head / p->group, first);
  return (const float *)p->workspace + packed_keys(p) + head / p->group * head_elements(p) + (ptrdiff_t)first * p->d;
}

static int value_pitch(const struct attention_problem *p) {
  return p->stored != STORED_FP32 ? p->d : (int)row_pitch(p, key_heads(p));
}

static int64_t count_query_blocks(const struct attention_problem *p) {
  return round_up(p->s, ROWS) / ROWS;
}

/* A task: rows first_row .. first_row + ROWS - 1 of a head. The last rows of a head are the first task, because under a
 * causal mask they see the most keys. */
struct block {
  int64_t head;
  int first_row;
};

static struct block query_block_of(const struct attention_problem *p, int64_t task) {
  int64_t blocks = count_query_blocks(p);
  return (struct block){.head = task / blocks, .first_row = (int)(blocks - 1 - task % blocks) * ROWS};
}

/* Returns the span of keys that any row of the block sees, extended to the start of a panel. The first and the last row
 * suffice, because no row's span starts or ends before that of the row above. */
static struct span keys_seen(const struct attention_problem *p, struct block b) {
  return (struct span){seen_by(p, b.first_row).first / WIDTH * WIDTH, seen_by(p, b.first_row + ROWS - 1).end};
}

/* Returns how many rows of a block are computed: those that exist, rounded up to a multiple of GROUP. */
static int rows_of(const struct attention_problem *p, struct block b) {
  return smaller(ROWS, round_up(p->s - b.first_row, GROUP));
}

HOT static void pack_key_panel(const struct attention_problem *p, int64_t index) {
  int64_t head = index / count_key_panels(p);
  int first = (int)(index % count_key_panels(p)) * WIDTH, count = smaller(WIDTH, p->s - first);
  float rows[WIDTH * MAX_D];
  memset(rows + count * p->d, 0, (size_t)((WIDTH - count) * p->d) * sizeof *rows);
  for (int j = 0; j < count; ++j)
    load_floats(rows + j * p->d, p->k, element_of(p, key_heads(p), head, first + j), p->d, p->stored);
  transpose_rows((float *)p->workspace + index * panel_elements(p), rows, WIDTH, p->d);
  float *values = (float *)p->workspace + packed_keys(p) + head * head_elements(p) + (ptrdiff_t)first * p->d;
  for (int j = 0; j < count; ++j) {
    const ptrdiff_t row = element_of(p, key_heads(p), head, first + j);
    if (p->stored != STORED_FP32)
      load_floats(values + (ptrdiff_t)j * p->d, p->v, row, p->d, p->stored);
    else
      fetch_floats(p->v, row, p->d, p->stored);
  }
}

static void pack_keys(const struct attention_problem *p) {
  int64_t count = key_heads(p) * count_key_panels(p);
#pragma omp parallel for num_threads(p->threads) schedule(static)
  for (int64_t i = 0; i < count; ++i)
    pack_key_panel(p, i);
}

/* Loads the block's queries, scaled by 1 / sqrt(d); rows past the end are zero. Also prefetches the memory that the
 * outputs will be written to. */
HOT static void load_queries(const struct attention_problem *p, struct block b, float *q) {
  float scale = (float)(1.0 / sqrt((double)p->d));
  int rows = smaller(ROWS, p->s - b.first_row);
  for (int i = 0; i < rows; ++i) {
    const ptrdiff_t row = element_of(p, p->heads, b.head, b.first_row + i);
    load_floats(q + i * p->d, p->q, row, p->d, p->stored);
    scale_row(q + i * p->d, p->d, scale);
    fetch_floats(p->o, row, p->d, stored_result(p->stored));
  }
  memset(q + rows * p->d, 0, (size_t)((ROWS - rows) * p->d) * sizeof *q);
}

HOT static void store_outputs(const struct attention_problem *p, struct block b, const float *o) {
  int rows = smaller(ROWS, p->s - b.first_row);
  for (int i = 0; i < rows; ++i)
    store_floats(p->o, element_of(p, p->heads, b.head, b.first_row + i), o + i * p->d, p->d, stored_result(p->stored));
}

/* ---- Products of GROUP rows with a span of keys ---- */

struct tile {
  const struct attention_problem *p;
  int64_t head;
  struct span seen[GROUP]; /* the columns of scores that each row sees */
  struct span all;         /* the columns that at least one row sees, extended to the start of a panel */
  int first; /* number of the key whose score is in column 0 of the scores; it is the first key of a panel */
  float *scores;
  int pitch;
};

static int columns_within(int column, int width) {
  return column < 0 ? 0 : smaller(column, width);
}

/* Returns the tile of GROUP rows from row `row` of the block on, restricted to the keys of the span `keys`. */
static struct tile tile_of(const struct attention_problem *p, struct block b, int row, struct span keys, float *scores,
                           int pitch) {
  struct tile tile = {.p = p, .head = b.head, .first = keys.first, .scores = scores, .pitch = pitch};
  for (int i = 0; i < GROUP; ++i) {
    struct span seen = seen_by(p, b.first_row + row + i);
    tile.seen[i].first = columns_within(seen.first - keys.first, keys.end - keys.first);
    tile.seen[i].end = columns_within(seen.end - keys.first, keys.end - keys.first);
  }
  tile.all = (struct span){tile.seen[0].first / WIDTH * WIDTH, tile.seen[GROUP - 1].end};
  return tile;
}

static int padded_width(const struct tile *t) {
  return round_up(t->all.end - t->all.first, WIDTH);
}

static void multiply_keys(const struct tile *t, const float *q) {
  const struct product product = {.c = t->scores + t->all.first,
                                  .a = q,
                                  .b = panel_keys_at(t->p, t->head, t->first + t->all.first),
                                  .c_pitch = t->pitch,
                                  .a_pitch = t->p->d,
                                  .b_pitch = WIDTH,
                                  .b_panel = panel_elements(t->p)};
  attention_cpu_multiply(&product, GROUP, padded_width(t), t->p->d);
}

/* Turns the scores of a row of the tile into exp(score - *largest), and returns the sum of these weights. Raises
 * *largest to the row's maximum first if it is below that. */
static float soften(const struct tile *t, int row, float *largest) {
  const struct span seen = t->seen[row];
  return attention_cpu_soften(t->scores + (ptrdiff_t)row * t->pitch + t->all.first, seen.first - t->all.first,
                              seen.end - t->all.first, padded_width(t), largest);
}

static void multiply_values(const struct tile *t, float *o, bool keep) {
  const struct product product = {.c = o,
                                  .a = t->scores + t->all.first,
                                  .b = head_values_at(t->p, t->head, t->first + t->all.first),
                                  .c_pitch = t->p->d,
                                  .a_pitch = t->pitch,
                                  .b_pitch = value_pitch(t->p),
                                  .b_panel = WIDTH,
                                  .keep = keep};
  attention_cpu_multiply(&product, GROUP, t->p->d, t->all.end - t->all.first);
}

/* ---- The three steps: scores, softmax, outputs ---- */

/* Returns how many columns a row of the score matrix has: as many keys as any block of rows sees. With packed sequences
 * this is up to two sequences, because a block may end one sequence and begin another. */
static int score_pitch(const struct attention_problem *p) {
  int most = p->s;
  if (p->offsets != NULL) most = smaller(most, 2 * p->longest + ROWS);
  if (p->window > 0) most = smaller(most, p->window + ROWS);
  return round_up(most < p->s ? most + WIDTH - 1 : most, WIDTH);
}

static struct tile stored_tile(const struct attention_problem *p, struct block b, int row) {
  float *scores = (float *)p->workspace + packed_keys(p) + packed_values(p);
  scores += (b.head * count_query_blocks(p) * ROWS + b.first_row + row) * score_pitch(p);
  return tile_of(p, b, row, keys_seen(p, b), scores, score_pitch(p));
}

static void score_block(const struct attention_problem *p, struct block b) {
  float q[ROWS * MAX_D];
  load_queries(p, b, q);
  for (int row = 0; row < rows_of(p, b); row += GROUP) {
    const struct tile tile = stored_tile(p, b, row);
    multiply_keys(&tile, q + row * p->d);
  }
}

HOT static void soften_block(const struct attention_problem *p, struct block b) {
  for (int row = 0; row < rows_of(p, b); row += GROUP) {
    const struct tile tile = stored_tile(p, b, row);
    for (int i = 0; i < GROUP; ++i) {
      float largest = -INFINITY, sum = soften(&tile, i, &largest);
      scale_row(tile.scores + (ptrdiff_t)i * tile.pitch + tile.all.first, padded_width(&tile), 1.0f / sum);
    }
  }
}

static void value_block(const struct attention_problem *p, struct block b) {
  float o[ROWS * MAX_D];
  int row = 0;
  do { /* every block has at least one row */
    const struct tile tile = stored_tile(p, b, row);
    multiply_values(&tile, o + row * p->d, false);
    row += GROUP;
  } while (row < rows_of(p, b));
  store_outputs(p, b, o);
}

static void for_blocks(const struct attention_problem *p,
                       void (*step)(const struct attention_problem *, struct block)) {
  int64_t tasks = p->heads * count_query_blocks(p);
#pragma omp parallel for num_threads(p->threads) schedule(dynamic, 1)
  for (int64_t i = 0; i < tasks; ++i)
    step(p, query_block_of(p, i));
}

uint64_t attention_cpu_standard_workspace(const struct attention_problem *p) {
  uint64_t scores = (uint64_t)(p->heads * count_query_blocks(p) * ROWS) * (uint64_t)score_pitch(p);
  return ((uint64_t)(packed_keys(p) + packed_values(p)) + scores) * sizeof(float);
}

void attention_cpu_standard(const struct attention_problem *p) {
  pack_keys(p);
  for_blocks(p, score_block);
  for_blocks(p, soften_block);
  for_blocks(p, value_block);
}

void attention_cpu_stop_threads(void) {
  omp_pause_resource_all(omp_pause_hard);
}
