/* Row softmax for the CPU: the variants naive, online and fused, and a plain copy for comparison. Each thread works on
 * one row at a time. This file does not use the plugin interface. */
#include <assert.h>
#include <string.h>

#include "cpu.h"

INLINE void write_row(const row_args *row, float shift, float scale) {
  float in[BLOCK], out[BLOCK];
  for (int64_t i = 0; i < row->n; i += BLOCK) {
    const int count = block_count(row->n, i);
    const float *x = load_block(row, i, count, in);
    float *y = result_block(row, i, out);
#pragma omp simd
    for (int j = 0; j < count; j++)
      y[j] = exp_fast(x[j] - shift) * scale;
    store_block(row, i, count, y);
  }
}

/* ---- Variants -------------------------------------------------------------------------------------------------- */

HOT static void naive_softmax_row(const row_args *row) {
  const row_stat s = naive_stat(row);
  write_row(row, shift_of(s.max), 1.0f / s.sum);
}

HOT static void online_row(const row_args *row) {
  const row_stat s = online_stat(row);
  write_row(row, shift_of(s.max), 1.0f / s.sum);
}

/* Reads x once. The first loop computes, for each block, the maximum so far and the exponentials relative to that
 * maximum, and keeps both. The second loop rescales the exponentials of all blocks to the final maximum. */
HOT static void fused_row(const row_args *row) {
  float buffer[BLOCK];
  assert(row->scratch != NULL);
  float *held = held_row(row), *maxima = row->scratch + row->n;
  float max = -INFINITY, sum = 0.0f;
  for (int64_t i = 0; i < row->n; i += BLOCK) {
    const int count = block_count(row->n, i);
    const float *x = load_block(row, i, count, buffer);
    const float grown = max_of(x, count, max);
    fetch_behind(row, i, count);
    const float shift = shift_of(grown);
    sum = sum * exp_fast(max - shift) + write_exp(held + i, x, count, shift);
    max = maxima[i / BLOCK] = grown;
  }
  for (int64_t i = 0; i < row->n; i += BLOCK) {
    const int count = block_count(row->n, i);
    float *y = result_block(row, i, buffer);
    scale_block(y, held + i, count, exp_fast(maxima[i / BLOCK] - shift_of(max)) / sum);
    store_block(row, i, count, y);
  }
}

typedef void (*row_fn)(const row_args *row);

typedef struct matrix {
  const char *x;
  char *y;
  int64_t m, n;
  int dtype;
  float *scratch;
} matrix;

static void run_softmax_rows(const matrix *a, int threads, row_fn fn) {
  const int64_t pitch = a->n * (a->dtype == SOFTMAX_FP32 ? 4 : 2);
  const int64_t chunk = softmax_cpu_scratch(a->n);
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int part = 0; part < threads; part++) {
    float *scratch = a->scratch == NULL ? NULL : a->scratch + part * chunk;
    for (int64_t i = a->m * part / threads; i < a->m * (part + 1) / threads; i++) {
      const row_args row = {a->x + i * pitch, a->y + i * pitch, a->n, a->dtype, scratch};
      fn(&row);
    }
  }
}

int64_t softmax_cpu_scratch(int64_t n) {
  const int64_t used = n + (n + BLOCK - 1) / BLOCK;
  return (used + 63) / 64 * 64; /* a multiple of a cache line, so that no two threads share one */
}

void softmax_cpu_naive(const void *x, void *y, int64_t m, int64_t n, int dtype, int threads, float *scratch) {
  const matrix a = {x, y, m, n, dtype, scratch};
  run_softmax_rows(&a, threads, naive_softmax_row);
}

void softmax_cpu_online(const void *x, void *y, int64_t m, int64_t n, int dtype, int threads, float *scratch) {
  const matrix a = {x, y, m, n, dtype, scratch};
  run_softmax_rows(&a, threads, online_row);
}

void softmax_cpu_fused(const void *x, void *y, int64_t m, int64_t n, int dtype, int threads, float *scratch) {
  const matrix a = {x, y, m, n, dtype, scratch};
  run_softmax_rows(&a, threads, fused_row);
}

static void copy_softmax_row(const row_args *row) {
  memcpy(row->y, row->x, (size_t)row->n * (row->dtype == SOFTMAX_FP32 ? 4 : 2));
}

void softmax_cpu_copy(const void *x, void *y, int64_t m, int64_t n, int dtype, int threads, float *scratch) {
  const matrix a = {x, y, m, n, dtype, scratch};
  run_softmax_rows(&a, threads, copy_softmax_row);
}
