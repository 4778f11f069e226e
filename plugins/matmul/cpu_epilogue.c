/* Epilogues on the CPU: functions that are applied to the sums of a product while these are still in a cache.
 * Independent of the plugin ABI. */
#define HOT_AVX "fma"
#include "../shared/vector_math.h"
#include "kernels.h"

#define BLOCK 256 /* elements of the epilogue's input (bias or r) that are converted to float at a time */

/* Returns x (1 + tanh(u)) / 2 = x / (1 + exp(-2 u)) with u = sqrt(2 / pi) (x + 0.044715 x^3). z is -2 log2(e) u. */
INLINE float gelu(float x) {
  const float z = x * (x * x * -1.02943240e-01f - 2.30220820f);
  return x / (1.0f + exp2_fast(z > 128.0f ? 128.0f : z));
}

HOT static void add_and_gelu(float *values, const float *bias, int count) {
  for (int i = 0; i < count; i++)
    values[i] = gelu(values[i] + bias[i]);
}

HOT static void add_values(float *values, const float *r, int count) {
  for (int i = 0; i < count; i++)
    values[i] += r[i];
}

void matmul_cpu_epilogue(const struct matmul_problem *p, int64_t row, int64_t column, float *values, int64_t count) {
  const int64_t first = (p->epilogue == MATMUL_ADD ? row * p->n : 0) + column;
  if (p->epilogue == MATMUL_PLAIN) return;
  for (int64_t i = 0; i < count; i += BLOCK) {
    float extra[BLOCK];
    const int part = count - i < BLOCK ? (int)(count - i) : BLOCK;
    matmul_cpu_to_float(extra, p->extra, first + i, part, p->dtype);
    if (p->epilogue == MATMUL_ADD)
      add_values(values + i, extra, part);
    else
      add_and_gelu(values + i, extra, part);
  }
}
