/* The bench "decode" on the CPU with OpenMP. Independent of the plugin ABI.
 *
 * Keys are cut into shares, so that a few units (heads of keys) still give work to all threads. A task is one share of
 * one unit: it reads the keys and values of the share once for all rows of queries, and stores the partial outputs of
 * the rows, which are merged afterwards. */
#include <math.h>
#include <omp.h>

#include "cpu.h"
#include "cpu_kernels.h"
#include "decode_kernels.h"

#define MAX_D 128
#define TILE 64            /* keys that are processed at a time, few enough to stay in the core's own cache */
#define TASKS_PER_THREAD 4 /* each thread gets at least this many tasks, if there are enough keys */

/* The softmax state of a row over the keys of a share. In the workspace it is followed by d floats, the row's output
 * over these keys, not yet divided by `sum`. */
struct part {
  float largest; /* the largest score */
  float sum;     /* sum of exp(score - largest) */
};

static int shares_of(const struct decode_problem *p) {
  return (p->s + p->share_keys - 1) / p->share_keys;
}

static size_t part_floats(const struct decode_problem *p) {
  return sizeof(struct part) / sizeof(float) + (size_t)p->d;
}

static float *part_at(const struct decode_problem *p, int64_t task, int row) {
  return (float *)p->workspace + (size_t)(task * p->rows + row) * part_floats(p);
}

INLINE float dot_product(const float *a, const float *b, int count) {
  float lanes[LANES] = {0};
  for (int x = 0; x < count; x += LANES) {
    for (int i = 0; i < LANES; ++i)
      lanes[i] += a[x + i] * b[x + i];
  }
  return sum_of(lanes, LANES);
}

INLINE void add_scaled(float *to, const float *from, int count, float factor) {
  for (int x = 0; x < count; ++x)
    to[x] += factor * from[x];
}

/* Updates the partial result of a row, at `at`, with the keys `first` to `first` + `width` - 1. Keys that the causal
 * mask hides from the row (only the last keys of the sequence can be) are left out. */
INLINE void take_row(const struct decode_problem *p, int row, int first, int width, const float *q, const float *k,
                     const float *v, float *at) {
  const int count = smaller(p->s - p->s_q + row % p->s_q + 1 - first, width);
  float scores[TILE], *o = at + sizeof(struct part) / sizeof(float);
  struct part part;
  memcpy(&part, at, sizeof part);
  for (int j = 0; j < count; ++j)
    scores[j] = dot_product(q, k + (ptrdiff_t)j * p->d, p->d);
  const float before = part.largest;
  const float sum = attention_cpu_soften(scores, 0, count, round_up(count, WIDTH), &part.largest);
  if (part.largest > before) {
    const float rescale = exponential(before - part.largest);
    part.sum *= rescale;
    scale_row(o, p->d, rescale);
  }
  part.sum += sum;
  for (int j = 0; j < count; ++j)
    add_scaled(o, v + (ptrdiff_t)j * p->d, p->d, scores[j]);
  memcpy(at, &part, sizeof part);
}

INLINE void clear_parts(const struct decode_problem *p, int64_t task) {
  const struct part none = {.largest = -INFINITY};
  for (int row = 0; row < p->rows; ++row) {
    float *at = part_at(p, task, row);
    memset(at, 0, part_floats(p) * sizeof *at);
    memcpy(at, &none, sizeof none);
  }
}

/* Returns `width` rows of keys or values as floats, from element `start` of the tensor on. If the tensor is fp32, this
 * is a pointer into it, otherwise a converted copy in `room`. */
INLINE const float *floats_of(const struct decode_problem *p, const void *from, ptrdiff_t start, int width,
                              float *room) {
  if (!p->bf16) return (const float *)from + start;
  load_floats(room, from, start, width * p->d, true);
  return room;
}

HOT static void weigh_share(const struct decode_problem *p, int64_t task) {
  const int64_t unit = task / shares_of(p);
  const int begin = (int)(task % shares_of(p)) * p->share_keys, end = smaller(begin + p->share_keys, p->s);
  const float scale = (float)(1.0 / sqrt((double)p->d));
  float keys[TILE * MAX_D], values[TILE * MAX_D], q[MAX_D];
  clear_parts(p, task);
  for (int first = begin; first < end; first += TILE) {
    const int width = smaller(TILE, end - first);
    const ptrdiff_t start = (ptrdiff_t)(unit * p->s + first) * p->d;
    const float *k = floats_of(p, p->k, start, width, keys), *v = floats_of(p, p->v, start, width, values);
    for (int row = 0; row < p->rows; ++row) {
      load_floats(q, p->q, (ptrdiff_t)(unit * p->rows + row) * p->d, p->d, p->bf16);
      scale_row(q, p->d, scale);
      take_row(p, row, first, width, q, k, v, part_at(p, task, row));
    }
  }
}

/* Merges the partial results of a row into its output. Every row sees key 0, so that at least one part has a finite
 * largest score. */
HOT static void combine_row(const struct decode_problem *p, int64_t index) {
  const int shares = shares_of(p);
  const int64_t unit = index / p->rows;
  const int row = (int)(index % p->rows);
  struct part part, all = {.largest = -INFINITY};
  float o[MAX_D] = {0};
  for (int i = 0; i < shares; ++i) {
    memcpy(&part, part_at(p, unit * shares + i, row), sizeof part);
    all.largest = part.largest > all.largest ? part.largest : all.largest;
  }
  for (int i = 0; i < shares; ++i) {
    const float *at = part_at(p, unit * shares + i, row);
    memcpy(&part, at, sizeof part);
    const float weight = exponential(part.largest - all.largest);
    all.sum += weight * part.sum;
    add_scaled(o, at + sizeof part / sizeof(float), p->d, weight);
  }
  scale_row(o, p->d, 1.0f / all.sum);
  store_floats(p->o, (ptrdiff_t)index * p->d, o, p->d, p->bf16);
}

int32_t decode_cpu_standard_share_keys(const struct decode_problem *p) {
  const int64_t shares = (TASKS_PER_THREAD * p->workers + p->units - 1) / p->units;
  return round_up((int)((p->s + shares - 1) / shares), TILE);
}

uint64_t decode_cpu_standard_workspace(const struct decode_problem *p) {
  return (uint64_t)(p->units * shares_of(p) * p->rows) * part_floats(p) * sizeof(float);
}

void decode_cpu_standard(const struct decode_problem *p) {
  const int64_t tasks = p->units * shares_of(p), rows = p->units * p->rows;
#pragma omp parallel for num_threads(p->workers) schedule(dynamic, 1)
  for (int64_t i = 0; i < tasks; ++i)
    weigh_share(p, i);
#pragma omp parallel for num_threads(p->workers) schedule(static)
  for (int64_t i = 0; i < rows; ++i)
    combine_row(p, i);
}
