/* GELU, Swish, SwiGLU and the plain copy on the CPU. This file does not use the plugin interface. */
#include <math.h>
#include <string.h>

#include "approx.h"
#include "cpu.h"

/* A function that computes elements [first, last) of the call's output on one thread. */
typedef void (*range_fn)(const struct activations_call *call, int64_t first, int64_t last);

/* Calls `fn` on all threads. Each thread gets an equal share of the elements, which starts at a multiple of BLOCK. */
static int run_element_ranges(const struct activations_call *call, range_fn fn) {
  const int64_t count = call->m * call->n, blocks = (count + BLOCK - 1) / BLOCK;
  const int threads = call->threads;
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int part = 0; part < threads; part++) {
    const int64_t first = blocks * part / threads * BLOCK, end = blocks * (part + 1) / threads * BLOCK;
    fn(call, first, end < count ? end : count);
  }
  return 0;
}

/* ---- Variant "naive": functions of libm, one element after the other -------------------------------------------- */

static float gelu_erf_f32(float x) {
  return 0.5f * x * (1.0f + erff(x * 0.707106781f));
}

static float gelu_tanh_f32(float x) {
  return 0.5f * x * (1.0f + tanhf(0.797884561f * (x + 0.044715f * x * x * x)));
}

static float swish_f32(float x) {
  return x / (1.0f + expf(-x));
}

static void naive_range(const struct activations_call *call, int64_t first, int64_t last, float (*function)(float)) {
  for (int64_t i = first; i < last; i++)
    store_element(call->y, call->dtype, i, function(load_element(call->x, call->dtype, i)));
}

static void naive_gelu(const struct activations_call *call, int64_t first, int64_t last) {
  naive_range(call, first, last, call->form == ACTIVATIONS_ERF ? gelu_erf_f32 : gelu_tanh_f32);
}

static void naive_swish(const struct activations_call *call, int64_t first, int64_t last) {
  naive_range(call, first, last, swish_f32);
}

int activations_cpu_gelu_naive(const struct activations_call *call) {
  return run_element_ranges(call, naive_gelu);
}

int activations_cpu_swish_naive(const struct activations_call *call) {
  return run_element_ranges(call, naive_swish);
}

/* ---- Variant "fast": the functions of approx.h, which the compiler vectorises ------------------------------------ */

#define FAST_RANGE(name, function)                                                         \
  HOT static void name(const struct activations_call *call, int64_t first, int64_t last) { \
    float in[BLOCK], out[BLOCK];                                                           \
    for (int64_t i = first; i < last; i += BLOCK) {                                        \
      const int count = block_count(last, i);                                              \
      const float *restrict x = load_block(call->x, call->dtype, i, count, in);            \
      float *restrict y = result_block(call->y, call->dtype, i, out);                      \
      _Pragma("omp simd") for (int j = 0; j < count; j++) y[j] = function(x[j]);           \
      store_block(call->y, call->dtype, i, count, y);                                      \
    }                                                                                      \
  }

FAST_RANGE(fast_gelu_erf, approx_gelu_erf)
FAST_RANGE(fast_gelu_tanh, approx_gelu_tanh)
FAST_RANGE(fast_swish, approx_swish)

int activations_cpu_gelu_fast(const struct activations_call *call) {
  return run_element_ranges(call, call->form == ACTIVATIONS_ERF ? fast_gelu_erf : fast_gelu_tanh);
}

int activations_cpu_swish_fast(const struct activations_call *call) {
  return run_element_ranges(call, fast_swish);
}

/* ---- With a bias ------------------------------------------------------------------------------------------------ */

static void naive_bias_gelu(const struct activations_call *call, int64_t first, int64_t last) {
  for (int64_t i = first; i < last; i++) {
    const float x = load_element(call->x, call->dtype, i) + load_element(call->bias, call->dtype, i % call->n);
    store_element(call->y, call->dtype, i, call->form == ACTIVATIONS_ERF ? gelu_erf_f32(x) : gelu_tanh_f32(x));
  }
}

/* Defines a function that computes a range of bias_gelu. No block crosses the end of a row, so that the bias entries of
 * a block are contiguous. */
#define BIAS_RANGE(name, function)                                                         \
  HOT static void name(const struct activations_call *call, int64_t first, int64_t last) { \
    float in[BLOCK], add[BLOCK], out[BLOCK];                                               \
    int count;                                                                             \
    for (int64_t i = first; i < last; i += count) {                                        \
      const int64_t column = i % call->n;                                                  \
      count = block_count(last - i < call->n - column ? last : i + call->n - column, i);   \
      const float *restrict x = load_block(call->x, call->dtype, i, count, in);            \
      const float *restrict b = load_block(call->bias, call->dtype, column, count, add);   \
      float *restrict y = result_block(call->y, call->dtype, i, out);                      \
      _Pragma("omp simd") for (int j = 0; j < count; j++) y[j] = function(x[j] + b[j]);    \
      store_block(call->y, call->dtype, i, count, y);                                      \
    }                                                                                      \
  }

BIAS_RANGE(fast_bias_gelu_erf, approx_gelu_erf)
BIAS_RANGE(fast_bias_gelu_tanh, approx_gelu_tanh)

int activations_cpu_bias_gelu_naive(const struct activations_call *call) {
  return run_element_ranges(call, naive_bias_gelu);
}

int activations_cpu_bias_gelu_fast(const struct activations_call *call) {
  return run_element_ranges(call, call->form == ACTIVATIONS_ERF ? fast_bias_gelu_erf : fast_bias_gelu_tanh);
}

/* ---- Two operands ---------------------------------------------------------------------------------------------- */

static void naive_swiglu(const struct activations_call *call, int64_t first, int64_t last) {
  for (int64_t i = first; i < last; i++)
    store_element(call->y, call->dtype, i,
                  swish_f32(load_element(call->x, call->dtype, i)) * load_element(call->z, call->dtype, i));
}

INLINE float fast_swiglu_element(float x, float z) {
  return approx_swish(x) * z;
}

INLINE float sum_element(float x, float z) {
  return x + z;
}

#define PAIR_RANGE(name, function)                                                         \
  HOT static void name(const struct activations_call *call, int64_t first, int64_t last) { \
    float gate[BLOCK], linear[BLOCK], out[BLOCK];                                          \
    for (int64_t i = first; i < last; i += BLOCK) {                                        \
      const int count = block_count(last, i);                                              \
      const float *restrict x = load_block(call->x, call->dtype, i, count, gate);          \
      const float *restrict z = load_block(call->z, call->dtype, i, count, linear);        \
      float *restrict y = result_block(call->y, call->dtype, i, out);                      \
      _Pragma("omp simd") for (int j = 0; j < count; j++) y[j] = function(x[j], z[j]);     \
      store_block(call->y, call->dtype, i, count, y);                                      \
    }                                                                                      \
  }

PAIR_RANGE(fast_swiglu, fast_swiglu_element)
PAIR_RANGE(sum_range, sum_element)

int activations_cpu_swiglu_naive(const struct activations_call *call) {
  return run_element_ranges(call, naive_swiglu);
}

int activations_cpu_swiglu_fast(const struct activations_call *call) {
  return run_element_ranges(call, fast_swiglu);
}

int activations_cpu_add(const struct activations_call *call) {
  return run_element_ranges(call, sum_range);
}

/* ---- Copy ------------------------------------------------------------------------------------------------------ */

static void copy_range(const struct activations_call *call, int64_t first, int64_t last) {
  const int64_t size = element_size(call->dtype);
  memcpy((char *)call->y + first * size, (const char *)call->x + first * size, (size_t)((last - first) * size));
}

int activations_cpu_copy(const struct activations_call *call) {
  return run_element_ranges(call, copy_range);
}

int activations_cpu_copy_saved(const struct activations_call *call) {
  if (call->mean != NULL) memset(call->mean, 0, (size_t)call->m * sizeof *call->mean);
  memset(call->rstd, 0, (size_t)call->m * sizeof *call->rstd);
  return run_element_ranges(call, copy_range);
}

static void copy_pair_range(const struct activations_call *call, int64_t first, int64_t last) {
  const int64_t size = element_size(call->dtype), from = first * size;
  memcpy((char *)call->s + from, (const char *)call->x + from, (size_t)((last - first) * size));
  memcpy((char *)call->y + from, (const char *)call->z + from, (size_t)((last - first) * size));
}

int activations_cpu_copy_pair(const struct activations_call *call) {
  return run_element_ranges(call, copy_pair_range);
}
