/* Declares what the CPU kernels share. The kernels that are marked HOT are compiled once per instruction set. Elements
 * are converted to float and processed in blocks that stay in the first-level cache, so that only load_block() and
 * store_block() depend on the storage type. */
#ifndef ACTIVATIONS_CPU_H
#define ACTIVATIONS_CPU_H

#include "../shared/vector_math.h"
#include "kernels.h"

#define BLOCK 1024 /* floats in a block */

INLINE int element_size(enum activations_dtype dtype) {
  return dtype == ACTIVATIONS_FP32 ? 4 : 2;
}

/* Returns elements [first, first + count) as floats: in place for fp32, otherwise converted into `buffer`. */
INLINE const float *load_block(const void *from, enum activations_dtype dtype, int64_t first, int count,
                               float *buffer) {
  if (dtype == ACTIVATIONS_FP32) return (const float *)from + first;
  const uint16_t *in = (const uint16_t *)from + first;
  if (dtype == ACTIVATIONS_BF16) {
#pragma omp simd
    for (int i = 0; i < count; i++)
      buffer[i] = from_bf16(in[i]);
  } else {
#pragma omp simd
    for (int i = 0; i < count; i++)
      buffer[i] = from_fp16(in[i]);
  }
  return buffer;
}

/* Returns the memory in which to compute a block's results before store_block(): the output itself if it is fp32, else
 * `buffer`. */
INLINE float *result_block(void *to, enum activations_dtype dtype, int64_t first, float *buffer) {
  return dtype == ACTIVATIONS_FP32 ? (float *)to + first : buffer;
}

INLINE void store_block(void *to, enum activations_dtype dtype, int64_t first, int count, const float *values) {
  if (dtype == ACTIVATIONS_FP32) return;
  uint16_t *out = (uint16_t *)to + first;
  if (dtype == ACTIVATIONS_BF16) {
#pragma omp simd
    for (int i = 0; i < count; i++)
      out[i] = to_bf16(values[i]);
  } else {
#pragma omp simd
    for (int i = 0; i < count; i++)
      out[i] = to_fp16(values[i]);
  }
}

INLINE int block_count(int64_t n, int64_t first) {
  return n - first < BLOCK ? (int)(n - first) : BLOCK;
}

/* Load and store one element, for the variants that do not work in blocks. */
INLINE float load_element(const void *from, enum activations_dtype dtype, int64_t i) {
  if (dtype == ACTIVATIONS_FP32) return ((const float *)from)[i];
  const uint16_t code = ((const uint16_t *)from)[i];
  return dtype == ACTIVATIONS_BF16 ? from_bf16(code) : from_fp16(code);
}

INLINE void store_element(void *to, enum activations_dtype dtype, int64_t i, float value) {
  if (dtype == ACTIVATIONS_FP32)
    ((float *)to)[i] = value;
  else
    ((uint16_t *)to)[i] = dtype == ACTIVATIONS_BF16 ? to_bf16(value) : to_fp16(value);
}

#endif
