/* Inline functions that the CPU variants share: conversion of storage types, and loops over rows of floats. A file that
 * includes this is compiled so that a * b + c may become one instruction (see the pragmas below). */
#ifndef ATTENTION_CPU_H
#define ATTENTION_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HOT_AVX "fma"
#include "../shared/convert.h"
#include "../shared/hot.h"
#include "../shared/quads.h"
#include "stored.h"

#define LANES 16 /* number of partial sums that a loop keeps, so that the compiler turns them into vectors */

/* Files that include this header need a * b + c as one instruction, which strict ISO mode and -ffp-contract=off forbid.
 * They also need `no-trapping-math`, so that a choice between two floats compiles without a branch: otherwise gcc
 * without AVX-512 keeps the branch and a scalar loop, because computing the value that is not chosen might raise a
 * floating-point flag. These files do not read such flags. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT ON
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=fast", "no-trapping-math")
#endif

/* Returns e^x for x up to 88, to about one unit in the last place. For x below -87.3 it returns the smallest normal
 * number. It replaces expf() of libm, which does not vectorise. The polynomial is minimax in relative error on |r| <=
 * ln(2) / 2 with its first two terms fixed. */
INLINE float exponential(float x) {
  x = x < -87.3f ? -87.3f : x;
  float shifted = x * 1.44269504f + 12582912.0f; /* the low bits of the sum are the integer nearest to x * log2(e) */
  float n = shifted - 12582912.0f;
  float r = x - n * 0.693145752f;
  r = r - n * 1.42860677e-6f;
  float y = 0.00138145813f;
  y = y * r + 0.00836872496f;
  y = y * r + 0.0416683890f;
  y = y * r + 0.166665211f;
  y = y * r + 0.499999940f;
  y = y * (r * r) + r + 1.0f;
  uint32_t bits;
  float power;
  memcpy(&bits, &shifted, sizeof bits);
  bits = (bits + 127u) << 23;
  memcpy(&power, &bits, sizeof power);
  return y * power;
}

INLINE float sum_of(const float *row, int count) {
  float sum = 0.0f;
#pragma omp simd reduction(+ : sum)
  for (int j = 0; j < count; ++j)
    sum += row[j];
  return sum;
}

INLINE void scale_row(float *row, int count, float factor) {
  for (int j = 0; j < count; ++j)
    row[j] *= factor;
}

/* Transposes `rows` rows of `count` numbers, both multiples of 4, to a panel [count][rows]. */
INLINE void transpose_rows(float *panel, const float *from, int rows, int count) {
  for (int i = 0; i < rows; i += 4) {
    const char *four[4];
    for (int j = 0; j < 4; ++j)
      four[j] = (const char *)(from + (ptrdiff_t)(i + j) * count);
    transpose_quads(panel + i, four, count, rows);
  }
}

INLINE int smaller(int a, int b) {
  return a < b ? a : b;
}

INLINE int larger(int a, int b) {
  return a > b ? a : b;
}

INLINE int round_up(int n, int multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

/* Prefetches `count` stored elements from index `first` on. */
INLINE void fetch_floats(const void *from, ptrdiff_t first, int count, int stored) {
  const ptrdiff_t size = stored_bytes(stored);
  for (ptrdiff_t i = first * size; i < (first + count) * size; i += 64)
    __builtin_prefetch((const char *)from + i);
}

/* Converts `count` stored elements from index `first` on to float. */
INLINE void load_floats(float *to, const void *from, ptrdiff_t first, int count, int stored) {
  const uint16_t *halves = (const uint16_t *)from + first;
  const uint8_t *bytes = (const uint8_t *)from + first;
  if (stored == STORED_FP32) {
    memcpy(to, (const float *)from + first, (size_t)count * sizeof *to);
  } else if (stored == STORED_E4M3) {
    for (int i = 0; i < count; ++i)
      to[i] = from_e4m3(bytes[i]);
  } else if (stored == STORED_BF16) {
    for (int i = 0; i < count; ++i)
      to[i] = from_bf16(halves[i]);
  } else {
    for (int i = 0; i < count; ++i)
      to[i] = from_fp16(halves[i]);
  }
}

/* Converts `count` floats to the storage type and writes them from index `first` on. Rounds to nearest even; e4m3 is
 * not supported. */
INLINE void store_floats(void *to, ptrdiff_t first, const float *from, int count, int stored) {
  uint16_t *halves = (uint16_t *)to + first;
  if (stored == STORED_FP32) {
    memcpy((float *)to + first, from, (size_t)count * sizeof *from);
  } else if (stored == STORED_BF16) {
    for (int i = 0; i < count; ++i)
      halves[i] = to_bf16(from[i]);
  } else {
    for (int i = 0; i < count; ++i)
      halves[i] = to_fp16(from[i]);
  }
}

#endif
