/* Fast approximations of GELU and Swish, for C and for CUDA. The two languages compute 2^z and 1/z in different ways.
 * CUDA has an instruction for each on the special function unit, with errors of 2 and 1 units in the last place.
 * C computes 2^z with a polynomial and 1/z by a division. C also evaluates long polynomials in two independent
 * chains, because a CPU does not hide the latency of one long chain. */
#ifndef ACTIVATIONS_APPROX_H
#define ACTIVATIONS_APPROX_H

#ifdef __CUDACC__
#define APPROX_FUNCTION static __device__ __forceinline__
#else
#include <math.h>

#include "../shared/vector_math.h"
#define APPROX_FUNCTION static inline __attribute__((always_inline))
#endif

#ifdef __CUDACC__
APPROX_FUNCTION float approx_exp2(float z) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(z));
  return y;
}

/* Returns 1 / (1 + 2^z). */
APPROX_FUNCTION float approx_logistic(float z) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(1.0f + approx_exp2(z)));
  return y;
}

/* Returns max(x, 0), and NaN for NaN. */
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
APPROX_FUNCTION float approx_exp2(float z) {
  return exp2_fast(z);
}

APPROX_FUNCTION float approx_logistic(float z) {
  return 1.0f / (1.0f + exp2_fast(z > 128.0f ? 128.0f : z));
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

/* Evaluates c10 t^10 + ... + c0. Horner's rule is a chain of ten dependent multiply-adds, whose latency a GPU hides by
 * other warps but a CPU does not; in C, even and odd powers are therefore evaluated in two independent chains. */
APPROX_FUNCTION float approx_degree_10(float t, float c10, float c9, float c8, float c7, float c6, float c5, float c4,
                                       float c3, float c2, float c1, float c0) {
#ifdef __CUDACC__
  const float c[] = {c9, c8, c7, c6, c5, c4, c3, c2, c1, c0};
  float p = c10;
#pragma unroll
  for (int i = 0; i < 10; i++)
    p = fmaf(p, t, c[i]);
  return p;
#else
  const float s = t * t;
  const float even = ((((c10 * s + c8) * s + c6) * s + c4) * s + c2) * s + c0;
  const float odd = (((c9 * s + c7) * s + c5) * s + c3) * s + c1;
  return odd * t + even;
#endif
}

/* Returns GELU in its erf form: x (1 + erf(x / sqrt(2))) / 2 = max(x, 0) - |x| Q(|x|), where Q is the upper tail of the
 * normal distribution. A polynomial of degree 10, fitted on [0, 8], approximates log2 Q. The absolute error of the
 * result is below 5e-8, apart from rounding. For negative x the relative error is below 1e-4, a 20th of a bf16
 * rounding, as long as the result is below -5e-15. |x| is limited to 16 because infinity times 0 would be NaN, while
 * GELU(-inf) should be -0; beyond 8 the polynomial falls faster than log2 Q. */
APPROX_FUNCTION float approx_gelu_erf(float x) {
  const float t = approx_magnitude(x, 16.0f);
  const float p = approx_degree_10(t, -1.16611965e-08f, 4.25947547e-07f, -6.47718161e-06f, 5.16270266e-05f,
                                   -2.00087728e-04f, -1.51083033e-04f, 7.11382367e-03f, -5.25423773e-02f,
                                   -4.59191203e-01f, -1.15110743f, -9.99999940e-01f);
  return approx_step(-t, approx_exp2(p), approx_ramp(x));
}

/* Returns GELU in its erf form for results that are stored in 16 bits. The polynomial has degree 7, was fitted on [0,
 * 8], and has a relative error of 3e-5. For all bf16 values the error is below 0.01 steps of bf16, for all fp16 values
 * below 0.07 steps of fp16. */
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

/* Returns GELU in its erf form for results that are stored in bf16. The polynomial has degree 5, was fitted on [0, 6],
 * and has a relative error of 4e-4, which is 0.1 steps of bf16. Results between -6e-9 and 0, in the negative tail, have
 * larger errors. */
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

/* Returns GELU in its tanh form: x (1 + tanh(u)) / 2 = x / (1 + exp(-2 u)) with u = sqrt(2 / pi) (x + 0.044715 x^3).
 * The variable slope is -2 log2(e) u / x, so that exp(-2 u) = 2^(x * slope). */
APPROX_FUNCTION float approx_gelu_tanh(float x) {
  const float slope = approx_step(x * x, -1.02943240e-01f, -2.30220820f);
  return x * approx_logistic(x * slope);
}

/* Returns x / (1 + exp(-x)). */
APPROX_FUNCTION float approx_swish(float x) {
  return x * approx_logistic(x * -1.44269504f);
}

#endif
