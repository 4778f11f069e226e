/* The computations of the benches that the variants in this folder join, done honestly. */
#include <math.h>
#include <string.h>

#include "guest.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("fp-contract=fast", "no-trapping-math")
#endif
#define INLINE __attribute__((always_inline)) static inline

/* Returns 2^z for -126 <= z <= 126 with fp32 accuracy. z is rounded to an integer by adding a large number, and the low
 * bits of that sum become the exponent. */
INLINE float power(float z) {
  const float shift = 12582912.0F, t = z < -126.0F ? -126.0F : z, shifted = t + shift, r = t - (shifted - shift);
  const float more = 5.55032878e-02F + r * (9.61848896e-03F + r * (1.33999316e-03F + r * 1.53458119e-04F));
  const float p = 1.0F + r * (6.93147206e-01F + r * (2.40226469e-01F + r * more));
  union {
    float value;
    uint32_t bits;
  } two = {.value = shifted};
  two.bits = (two.bits << 23) + 0x3F800000U;
  return p * two.value;
}

/* Computes GELU with erf(z) = 2 z exp(-z^2) / sqrt(pi) times the sum of (2 z^2)^k / (1 3 5 ... (2 k + 1)), whose terms
 * are positive. This is so expensive that a cheat gains time by skipping it, but faster than calling libm's erff() for
 * each element. From z = 4 on, erf(z) is 1 in fp32. */
HOT void gelu_here(const float *restrict x, float *restrict y, int64_t first, int64_t end) {
  enum { TERMS = 64, BLOCK = 64 };
  float part[BLOCK] = {0}, term[BLOCK], sum[BLOCK];
  for (int64_t i = first; i < end; i += BLOCK) {
    const int count = end - i < BLOCK ? (int)(end - i) : BLOCK;
    for (int j = 0; j < count; j++) {
      const float z = fabsf(x[i + j]) * 0.707106781F;
      part[j] = z > 4 ? 4 : z;
      term[j] = sum[j] = 1;
    }
    for (int k = 1; k < TERMS; k++) {
      const float factor = 2.0F / (float)(2 * k + 1);
#pragma omp simd
      for (int j = 0; j < BLOCK; j++) {
        /* Adding 1e-20 avoids denormal terms, which are slow on Intel processors. */
        term[j] = term[j] * (part[j] * part[j] * factor) + 1e-20F;
        sum[j] += term[j];
      }
    }
#pragma omp simd
    for (int j = 0; j < count; j++) {
      const float erf = 1.12837917F * part[j] * power(-1.442695041F * part[j] * part[j]) * sum[j];
      y[i + j] = 0.5F * x[i + j] * (1 + (x[i + j] < 0 ? -erf : erf));
    }
  }
}

void gelu(const float *x, float *y, int64_t first, int64_t end, int threads) {
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int part = 0; part < threads; part++)
    gelu_here(x, y, first + (end - first) * part / threads, first + (end - first) * (part + 1) / threads);
}

HOT void softmax_row(const float *restrict x, float *restrict y, int64_t n) {
  float top = x[0], sum = 0;
#pragma omp simd reduction(max : top)
  for (int64_t i = 0; i < n; i++)
    top = x[i] > top ? x[i] : top;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; i++) {
    y[i] = power(1.442695041F * (x[i] - top));
    sum += y[i];
  }
  const float factor = 1 / sum;
#pragma omp simd
  for (int64_t i = 0; i < n; i++)
    y[i] *= factor;
}

HOT uint64_t guest_sum(const float *x, int64_t first, int64_t end) {
  uint64_t sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = first; i < end; i++) {
    uint32_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    sum += (uint64_t)bits * ((uint32_t)i * 2654435761U | 1);
  }
  return sum;
}
