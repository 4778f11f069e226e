/* Inline helpers of the CPU kernels: conversion of storage types, and the arithmetic of a row. Rows are processed in
 * blocks of floats that stay in the L1 cache, so that only load_block() and store_block() depend on the storage
 * type. */
#ifndef SOFTMAX_CPU_H
#define SOFTMAX_CPU_H

#include <math.h>
#include <stdint.h>

#include "../shared/vector_math.h"
#include "kernels.h"

#define BLOCK 1024 /* floats in a block */

typedef struct row_args {
  const void *x; /* first element of the row */
  void *y;
  int64_t n;
  int dtype;
  float *scratch; /* this thread's scratch memory */
} row_args;

/* ---- Storage --------------------------------------------------------------------------------------------------- */

/* Returns elements [first, first + count) of the row as floats: in place if they are fp32, otherwise converted into
 * `buffer`. */
INLINE const float *load_block(const row_args *row, int64_t first, int count, float *buffer) {
  if (row->dtype == SOFTMAX_FP32) return (const float *)row->x + first;
  const uint16_t *in = (const uint16_t *)row->x + first;
  if (row->dtype == SOFTMAX_FP16) {
#pragma omp simd
    for (int i = 0; i < count; i++)
      buffer[i] = from_fp16(in[i]);
  } else {
#pragma omp simd
    for (int i = 0; i < count; i++)
      buffer[i] = from_bf16(in[i]);
  }
  return buffer;
}

/* Returns the memory in which to compute a block's results before store_block(): the output row itself if it is fp32,
 * else `buffer`. */
INLINE float *result_block(const row_args *row, int64_t first, float *buffer) {
  return row->dtype == SOFTMAX_FP32 ? (float *)row->y + first : buffer;
}

/* Returns the memory that keeps a row's exponentials until its sum is known: the output row itself if it is fp32, else
 * the scratch memory. */
INLINE float *held_row(const row_args *row) {
  return row->dtype == SOFTMAX_FP32 ? (float *)row->y : row->scratch;
}

INLINE void store_block(const row_args *row, int64_t first, int count, const float *values) {
  if (row->dtype == SOFTMAX_FP32) return;
  uint16_t *out = (uint16_t *)row->y + first;
  if (row->dtype == SOFTMAX_FP16) {
#pragma omp simd
    for (int i = 0; i < count; i++)
      out[i] = to_fp16(values[i]);
  } else {
#pragma omp simd
    for (int i = 0; i < count; i++)
      out[i] = to_bf16(values[i]);
  }
}

INLINE int block_count(int64_t n, int64_t first) {
  return n - first < BLOCK ? (int)(n - first) : BLOCK;
}

/* Prefetches the block of x that follows elements [first, first + count), so that memory is busy while these elements
 * are computed. The block may belong to the next row. */
INLINE void fetch_behind(const row_args *row, int64_t first, int count) {
  const int size = row->dtype == SOFTMAX_FP32 ? 4 : 2;
  fetch_ahead((const char *)row->x + (first + count) * size, count * size);
}

/* ---- Arithmetic ------------------------------------------------------------------------------------------------ */

/* Returns exp(x) for x <= 0. The result is 0 below -87.7, and NaN for NaN. Rounding x / ln 2 adds a relative error of
 * half a unit in the last place for each unit of |x|. Because exp(x) shrinks as |x| grows, this error is negligible
 * compared with the row's largest result. */
INLINE float exp_fast(float x) {
  return exp2_fast(x * 1.44269504f);
}

/* Returns the value to subtract from elements before exp is computed: the maximum, or 0 if the maximum is -inf, because
 * -inf - -inf would be NaN. A row in which all elements are -inf still becomes 0 * (1 / 0) = NaN. */
INLINE float shift_of(float max) {
  return max == -INFINITY ? 0.0f : max;
}

/* Returns the maximum of `max` and all elements. A NaN among the elements is skipped here, but makes the sum of the row
 * NaN later. */
INLINE float max_of(const float *x, int count, float max) {
#pragma omp simd reduction(max : max)
  for (int i = 0; i < count; i++)
    max = x[i] > max ? x[i] : max;
  return max;
}

INLINE float sum_exp(const float *x, int count, float shift) {
  float sum = 0.0f;
#pragma omp simd reduction(+ : sum)
  for (int i = 0; i < count; i++)
    sum += exp_fast(x[i] - shift);
  return sum;
}

/* Computes y = exp(x - shift) for a block and returns the sum of y. */
INLINE float write_exp(float *y, const float *x, int count, float shift) {
  float sum = 0.0f;
#pragma omp simd reduction(+ : sum)
  for (int i = 0; i < count; i++) {
    y[i] = exp_fast(x[i] - shift);
    sum += y[i];
  }
  return sum;
}

INLINE void scale_block(float *y, const float *x, int count, float scale) {
#pragma omp simd
  for (int i = 0; i < count; i++)
    y[i] = x[i] * scale;
}

/* The maximum of the elements so far, and the sum of exp(element - maximum). */
typedef struct row_stat {
  float max, sum;
} row_stat;

/* Returns the maximum and the sum of a row. Reads the row once, and rescales the sum when the maximum grows. */
INLINE row_stat online_stat(const row_args *row) {
  float in[BLOCK];
  row_stat s = {-INFINITY, 0.0f};
  for (int64_t i = 0; i < row->n; i += BLOCK) {
    const int count = block_count(row->n, i);
    const float *x = load_block(row, i, count, in);
    const float grown = max_of(x, count, s.max);
    fetch_behind(row, i, count);
    const float shift = shift_of(grown);
    s.sum = s.sum * exp_fast(s.max - shift) + sum_exp(x, count, shift);
    s.max = grown;
  }
  return s;
}

/* Returns the maximum and the sum of a row. Reads the row twice: first for the maximum, then for the sum. */
INLINE row_stat naive_stat(const row_args *row) {
  float in[BLOCK];
  row_stat s = {-INFINITY, 0.0f};
  for (int64_t i = 0; i < row->n; i += BLOCK) {
    const int count = block_count(row->n, i);
    s.max = max_of(load_block(row, i, count, in), count, s.max);
  }
  for (int64_t i = 0; i < row->n; i += BLOCK) {
    const int count = block_count(row->n, i);
    s.sum += sum_exp(load_block(row, i, count, in), count, shift_of(s.max));
  }
  return s;
}

#endif
