/* The functions of cpu_kernels.h, built once for each instruction set: products with sums in registers, and loops that
 * the compiler vectorises. Each version is defined explicitly, with a target attribute. The macro HOT (../shared/hot.h)
 * lets the compiler make the versions, but each for a single feature; these functions need "avx2" and "fma" together,
 * because "fma" alone has only 128-bit integer vectors. */
#include "cpu_kernels.h"

#include <math.h>

#include "cpu.h"

struct kernels {
  int columns; /* columns that one call of `multiply` computes */
  void (*multiply)(const struct product *p, float *c, const float *a, const float *b, int depth);
  float (*soften)(float *row, int first, int end, int width, float *largest);
  void (*weigh)(float *scores, float *dp, int count, const float *lse, const float *delta, bool each);
};

INLINE void fill_row(float *row, int first, int end, float value) {
  for (int j = first; j < end; ++j)
    row[j] = value;
}

/* Turns `count` scores into exp(score - top) and returns the sum of the results. */
INLINE float raise_row(float *row, int count, float top) {
  float sum = 0.0f;
#pragma omp simd reduction(+ : sum)
  for (int j = 0; j < count; ++j) {
    row[j] = exponential(row[j] - top);
    sum += row[j];
  }
  return sum;
}

INLINE void weigh_row(float *restrict scores, float *restrict dp, int count, const float *restrict lse,
                      const float *restrict delta, int step) {
  for (int j = 0; j < count; ++j) {
    scores[j] = exponential(scores[j] - lse[j * step]);
    dp[j] = scores[j] * (dp[j] - delta[j * step]);
  }
}

#ifdef __x86_64__
#include <immintrin.h>

#define NAME(function) function##_avx512
#define TARGET __attribute__((target("avx512f")))
#define FLOATS 16
#define VECTORS 2
#define ADD_PRODUCT(sum, left, right) \
  __asm__("vfmadd231ps %1, %2, %0" : "+v"(sum) : "v"(_mm512_set1_ps(left)), "v"(right))
#include "cpu_kernel.h"

#define NAME(function) function##_avx2
#define TARGET __attribute__((target("avx2,fma")))
#define FLOATS 8
#define VECTORS 2
#define ADD_PRODUCT(sum, left, right) \
  __asm__("vfmadd231ps %1, %2, %0" : "+x"(sum) : "x"(_mm256_set1_ps(left)), "x"(right))
#include "cpu_kernel.h"
#endif

/* The kernels for every 64-bit machine: vectors of four floats. */
#define NAME(function) function##_base
#define TARGET
#define FLOATS 4
#define VECTORS 2
#define ADD_PRODUCT(sum, left, right) sum += (left) * (right)
#include "cpu_kernel.h"

/* Returns the kernels with the widest vectors that this machine supports. `columns`, a multiple of WIDTH, is how many
 * columns are left to compute. If the AVX-512 kernel computes more than that in a call, the AVX2 kernel is used. */
static const struct kernels *kernels_for(int columns) {
#ifdef __x86_64__
  if (columns >= kernels_avx512.columns && __builtin_cpu_supports("avx512f")) return &kernels_avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &kernels_avx2;
#endif
  (void)columns;
  return &kernels_base;
}

void attention_cpu_multiply(const struct product *p, int rows, int columns, int depth) {
  for (int column = 0; column < columns;) {
    const struct kernels *kernels = kernels_for(columns - column);
    const float *b = p->b + column / WIDTH * p->b_panel + column % WIDTH;
    for (int row = 0; row < rows; row += GROUP)
      kernels->multiply(p, p->c + row * p->c_pitch + column, p->a + row * p->a_pitch, b, depth);
    column += kernels->columns;
  }
}

float attention_cpu_soften(float *row, int first, int end, int width, float *largest) {
  return kernels_for(width)->soften(row, first, end, width, largest);
}

void attention_cpu_weigh(float *scores, float *dp, int count, const float *lse, const float *delta, bool each) {
  kernels_for(count)->weigh(scores, dp, count, lse, delta, each);
}
