/* Conversion of storage types on the CPU, and the variant `naive` with OpenMP. Independent of the plugin ABI. All
 * products and sums are fp32; narrower storage types are converted when they are read and written. */
#include <omp.h>
#include <string.h>

#define HOT_AVX "fma"
#include "../shared/convert.h"
#include "kernels.h"

/* Strict ISO mode forbids contracting a * b + c into one instruction, which this file's speed depends on. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT ON
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=fast")
#endif

#define BLOCK 256 /* how many elements are converted at a time */

/* ---- Storage ---------------------------------------------------------------------------------------------------- */

/* Converts stored elements to float. It has a loop for each type, so that each loop is vectorised. */
INLINE void to_floats(float *to, const void *from, int64_t first, int count, int dtype) {
  const uint16_t *half = (const uint16_t *)from + first;
  const uint8_t *byte = (const uint8_t *)from + first;
  if (dtype == MATMUL_FP32) {
    memcpy(to, (const float *)from + first, (size_t)count * sizeof *to);
  } else if (dtype == MATMUL_BF16) {
    for (int i = 0; i < count; i++)
      to[i] = bits_to_float((uint32_t)half[i] << 16);
  } else if (dtype == MATMUL_FP16) {
    for (int i = 0; i < count; i++)
      to[i] = from_fp16(half[i]);
  } else {
    for (int i = 0; i < count; i++)
      to[i] = from_e4m3(byte[i]);
  }
}

INLINE void from_floats(void *to, int64_t first, const float *from, int count, int dtype) {
  uint16_t *half = (uint16_t *)to + first;
  if (dtype == MATMUL_FP32) {
    memcpy((float *)to + first, from, (size_t)count * sizeof *from);
  } else if (dtype == MATMUL_FP16) {
    for (int i = 0; i < count; i++)
      half[i] = to_fp16(from[i]);
  } else {
    for (int i = 0; i < count; i++)
      half[i] = to_bf16(from[i]);
  }
}

HOT static void widen_all(float *to, const void *from, int64_t first, int64_t count, int32_t dtype) {
  for (int64_t i = 0; i < count; i += BLOCK)
    to_floats(to + i, from, first + i, count - i < BLOCK ? (int)(count - i) : BLOCK, dtype);
}

HOT static void narrow_all(void *to, int64_t first, const float *from, int64_t count, int32_t dtype) {
  for (int64_t i = 0; i < count; i += BLOCK)
    from_floats(to, first + i, from + i, count - i < BLOCK ? (int)(count - i) : BLOCK, dtype);
}

/* Converts by widen_all(), which is compiled for several instruction sets (HOT). Functions with HOT are static, because
 * some compilers rename external functions that they compile several times. */
void matmul_cpu_to_float(float *to, const void *from, int64_t first, int64_t count, int32_t dtype) {
  widen_all(to, from, first, count, dtype);
}

void matmul_cpu_from_float(void *to, int64_t first, const float *from, int64_t count, int32_t dtype) {
  narrow_all(to, first, from, count, dtype);
}

/* ---- naive: each element of c is the product of a row of a and a row of b --------------------------------------- */

INLINE float dot(const float *a, const float *b, int count, float sum) {
#pragma omp simd reduction(+ : sum)
  for (int i = 0; i < count; i++)
    sum += a[i] * b[i];
  return sum;
}

/* Returns the dot product of `a`, the k elements of a row of a as floats, with row `row` of b. */
INLINE float dot_row(const float *a, const struct matmul_problem *p, int64_t row) {
  float buffer[BLOCK], sum = 0;
  for (int64_t i = 0; i < p->k; i += BLOCK) {
    const int count = p->k - i < BLOCK ? (int)(p->k - i) : BLOCK;
    const float *b = (const float *)p->b + row * p->k + i;
    if (p->dtype != MATMUL_FP32) {
      to_floats(buffer, p->b, row * p->k + i, count, p->dtype);
      b = buffer;
    }
    sum = dot(a + i, b, count, sum);
  }
  return sum;
}

HOT static void naive_product_row(const struct matmul_problem *p, int64_t row, float *a) {
  float out[BLOCK];
  for (int64_t i = 0; i < p->k; i += BLOCK)
    to_floats(a + i, p->a, row * p->k + i, p->k - i < BLOCK ? (int)(p->k - i) : BLOCK, p->dtype);
  for (int64_t j = 0; j < p->n; j += BLOCK) {
    const int count = p->n - j < BLOCK ? (int)(p->n - j) : BLOCK;
    for (int u = 0; u < count; u++)
      out[u] = dot_row(a, p, j + u);
    matmul_cpu_epilogue(p, row, j, out, count);
    from_floats(p->c, row * p->n + j, out, count, p->dtype);
  }
}

static int64_t padded_to_unit(int64_t count, int64_t unit) {
  return (count + unit - 1) / unit * unit;
}

int64_t matmul_cpu_naive_workspace(const struct matmul_problem *p) {
  /* a row of a for each thread; padded, so that threads do not share cache lines */
  return p->threads * padded_to_unit(p->k, 16);
}

void matmul_cpu_naive(const struct matmul_problem *p) {
#pragma omp parallel for num_threads(p->threads) schedule(static)
  for (int64_t i = 0; i < p->m; i++)
    naive_product_row(p, i, p->workspace + omp_get_thread_num() * padded_to_unit(p->k, 16));
}

void matmul_cpu_stop_threads(void) {
  omp_pause_resource_all(omp_pause_hard);
}
