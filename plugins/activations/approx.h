/* GELU and Swish of one float in a few instructions without a branch, for C and CUDA. The unit test
 * test_activations_approx.c measures their errors over every bf16 and fp16 value. Knows nothing of storage or the ABI.
 *
 * Two primitives differ between the languages: 2^z and 1/z. CUDA has both as one instruction of the special function
 * unit (2 and 1 units in the last place), C makes the first of a polynomial, since libm's does not vectorise. */
#ifndef ACTIVATIONS_APPROX_H
#define ACTIVATIONS_APPROX_H

#ifdef __CUDACC__
#define APPROX_FUNCTION static __device__ __forceinline__
#else
#include <math.h>
#include <stdint.h>
#include <string.h>
#define APPROX_FUNCTION static inline __attribute__((always_inline))
#endif

#ifdef __CUDACC__
APPROX_FUNCTION float approx_exp2(float z) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(z));
  return y;
}

APPROX_FUNCTION float approx_reciprocal(float z) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(z));
  return y;
}

/* max(x, 0), and NaN for NaN. */
APPROX_FUNCTION float approx_ramp(float x) {
  float y;
  asm("max.NaN.f32 %0, %1, 0f00000000;" : "=f"(y) : "f"(x));
  return y;
}

APPROX_FUNCTION float approx_step(float sum, float t, float coefficient) {
  return fmaf(sum, t, coefficient);
}

APPROX_FUNCTION float approx_magnitude(float x, float most) {
  return fminf(fabsf(x), most);
}
#else
/* 2^z within 2e-9 of its size before rounding; 0 below -126, infinity above 127, NaN for NaN. The exponent comes from
 * the low bits of a sum that rounds z to an integer; 2^r for |r| <= 1/2 is a minimax polynomial in relative error. */
APPROX_FUNCTION float approx_exp2(float z) {
  const float round_shift = 12582912.0f; /* 1.5 * 2^23 */
  const float low = z < -126.0f ? -126.0f : z;
  const float t = low > 127.0f ? 127.0f : low;
  const float shifted = t + round_shift;
  const float r = t - (shifted - round_shift);
  float p = 1.53458119e-04f;
  p = p * r + 1.33999316e-03f;
  p = p * r + 9.61848896e-03f;
  p = p * r + 5.55032878e-02f;
  p = p * r + 2.40226469e-01f;
  p = p * r + 6.93147206e-01f;
  p = p * r + 1.0f;
  uint32_t bits;
  float power;
  memcpy(&bits, &shifted, sizeof bits);
  bits = (bits << 23) + 0x3f800000u;
  memcpy(&power, &bits, sizeof power);
  const float y = z < -126.0f ? 0.0f : p * power;
  return z > 127.0f ? INFINITY : y;
}

APPROX_FUNCTION float approx_reciprocal(float z) {
  return 1.0f / z;
}

APPROX_FUNCTION float approx_ramp(float x) {
  return x < 0.0f ? 0.0f : x;
}

APPROX_FUNCTION float approx_step(float sum, float t, float coefficient) {
  return sum * t + coefficient;
}

APPROX_FUNCTION float approx_magnitude(float x, float most) {
  const float t = fabsf(x);
  return t > most ? most : t;
}
#endif

/* x (1 + erf(x / sqrt(2))) / 2 = max(x, 0) - |x| Q(|x|), where Q is the upper tail of the normal distribution. log2 Q
 * is so smooth that a polynomial of degree 10 has it: fitted on [0, 8] so that the result errs by less than 5e-8
 * besides rounding, and its negative half, down to -5e-15, by less than 1e-4 of itself too: a 20th of a bf16 rounding.
 * Beyond 8 the polynomial falls faster than log2 Q does. The bound of 16 keeps infinity times 0 out: GELU(-inf) is -0.
 */
APPROX_FUNCTION float approx_gelu_erf(float x) {
  const float t = approx_magnitude(x, 16.0f);
  float p = -1.16611965e-08f;
  p = approx_step(p, t, 4.25947547e-07f);
  p = approx_step(p, t, -6.47718161e-06f);
  p = approx_step(p, t, 5.16270266e-05f);
  p = approx_step(p, t, -2.00087728e-04f);
  p = approx_step(p, t, -1.51083033e-04f);
  p = approx_step(p, t, 7.11382367e-03f);
  p = approx_step(p, t, -5.25423773e-02f);
  p = approx_step(p, t, -4.59191203e-01f);
  p = approx_step(p, t, -1.15110743f);
  p = approx_step(p, t, -9.99999940e-01f);
  return approx_step(-t, approx_exp2(p), approx_ramp(x));
}

/* The same for results stored in 16 bits: degree 7, fitted on [0, 8] in relative error, 3e-5. Over every bf16 and fp16
 * value that is below 0.01 and 0.07 steps of the type. */
APPROX_FUNCTION float approx_gelu_erf_16bit(float x) {
  const float t = approx_magnitude(x, 16.0f);
  float p = -1.26245886e-06f;
  p = approx_step(p, t, 4.82032978e-05f);
  p = approx_step(p, t, -8.07248235e-04f);
  p = approx_step(p, t, 7.94457801e-03f);
  p = approx_step(p, t, -5.26353770e-02f);
  p = approx_step(p, t, -4.59956849e-01f);
  p = approx_step(p, t, -1.15060992f);
  p = approx_step(p, t, -1.00004309f);
  return approx_step(-t, approx_exp2(p), approx_ramp(x));
}

/* The same for results stored in bf16: degree 5, fitted on [0, 6] in relative error, 4e-4: 0.1 steps of bf16 down to
 * where GELU is -6e-9. */
APPROX_FUNCTION float approx_gelu_erf_bf16(float x) {
  const float t = approx_magnitude(x, 16.0f);
  float p = -2.01683974e-04f;
  p = approx_step(p, t, 4.46759957e-03f);
  p = approx_step(p, t, -4.28326995e-02f);
  p = approx_step(p, t, -4.72785755e-01f);
  p = approx_step(p, t, -1.14439965f);
  p = approx_step(p, t, -1.00053182f);
  return approx_step(-t, approx_exp2(p), approx_ramp(x));
}

/* x (1 + tanh(u)) / 2 = x / (1 + exp(-2 u)), u = sqrt(2 / pi) (x + 0.044715 x^3). The factors are those of
 * -2 log2(e) u. */
APPROX_FUNCTION float approx_gelu_tanh(float x) {
  const float slope = approx_step(x * x, -1.02943240e-01f, -2.30220820f);
  return x * approx_reciprocal(1.0f + approx_exp2(x * slope));
}

/* x / (1 + exp(-x)) */
APPROX_FUNCTION float approx_swish(float x) {
  return x * approx_reciprocal(1.0f + approx_exp2(x * -1.44269504f));
}

#endif
