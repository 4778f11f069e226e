/* The CPU functions that measure a call, time, bandwidth and the rate of fp32 multiply-adds. Independent of the plugin
 * ABI. */
#include <assert.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "kernels.h"

#if defined(__x86_64__) && defined(__gnu_linux__)
#include <immintrin.h>
#define X86 1
#else
#define X86 0
#endif

/* Compiles a hot function once per instruction set; the loader chooses a copy. Sanitizer builds have one copy, because
 * the loader chooses before the sanitizer's runtime is ready, and they need no speed. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(GPUBENCH_SANITIZE)
#define HOT
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(undefined_behavior_sanitizer)
#define HOT
#endif
#endif
#if !defined(HOT) && X86
#define HOT __attribute__((target_clones("avx512f", "avx2", "default")))
#elif !defined(HOT)
#define HOT
#endif

/* For the plain loops of write and copy: keeps the compiler from replacing them by calls of memset or memcpy, which are
 * variants of their own. */
#if defined(__clang__)
#define PLAIN __attribute__((no_builtin("memset", "memcpy", "memmove")))
#else
#define PLAIN __attribute__((optimize("no-tree-loop-distribute-patterns")))
#endif

/* ---- Launch and time ------------------------------------------------------------------------------------------- */

int calibrate_cpu_empty(const struct calibrate_call *call) {
  *(int32_t *)call->y = 1;
  return 0;
}

static int64_t raw_clock_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC_RAW, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int calibrate_cpu_spin(const struct calibrate_call *call) {
  const int64_t start = raw_clock_ns();
  int64_t spent = 0;
  while (spent < call->steps)
    spent = raw_clock_ns() - start;
  *(int32_t *)call->y = (int32_t)spent;
  return 0;
}

/* ---- Bandwidth ------------------------------------------------------------------------------------------------- */

/* A function that processes the contiguous share of one thread. */
typedef void (*segment_fn)(float *y, const float *x, int64_t floats);

static void for_each_share(const struct calibrate_call *call, segment_fn fn) {
  const int threads = call->threads;
  const float *x = call->x;
  float *y = call->y;
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int part = 0; part < threads; part++) {
    const int64_t first = call->size * part / threads * CALIBRATE_SEGMENT;
    const int64_t last = call->size * (part + 1) / threads * CALIBRATE_SEGMENT;
    fn(y + first, x == NULL ? NULL : x + first, last - first);
  }
}

HOT static float segment_sum(const float *x) {
  float sum = 0.0f;
#pragma omp simd reduction(+ : sum)
  for (int i = 0; i < CALIBRATE_SEGMENT; i++)
    sum += x[i];
  return sum;
}

int calibrate_cpu_read(const struct calibrate_call *call) {
  const float *x = call->x;
  float *y = call->y;
#pragma omp parallel for num_threads(call->threads) schedule(static)
  for (int64_t i = 0; i < call->size; i++)
    y[i] = segment_sum(x + i * CALIBRATE_SEGMENT);
  return 0;
}

PLAIN static void write_plain(float *y, const float *x, int64_t floats) {
  (void)x;
  for (int64_t i = 0; i < floats; i++)
    y[i] = CALIBRATE_VALUE;
}

static void write_memset(float *y, const float *x, int64_t floats) {
  (void)x;
  memset(y, CALIBRATE_BYTE, (size_t)floats * sizeof *y);
}

PLAIN static void copy_plain(float *restrict y, const float *restrict x, int64_t floats) {
  for (int64_t i = 0; i < floats; i++)
    y[i] = x[i];
}

static void copy_memcpy(float *y, const float *x, int64_t floats) {
  memcpy(y, x, (size_t)floats * sizeof *y);
}

/* Writes with non-temporal stores, which do not read the lines of y first and keep other lines in the caches. */
#if X86
__attribute__((target("avx"))) static void write_stream(float *y, const float *x, int64_t floats) {
  const __m256 value = _mm256_set1_ps(CALIBRATE_VALUE);
  (void)x;
  for (int64_t i = 0; i < floats; i += 8)
    _mm256_stream_ps(y + i, value);
  _mm_sfence();
}

__attribute__((target("avx"))) static void copy_stream(float *y, const float *x, int64_t floats) {
  assert(x != NULL);
  for (int64_t i = 0; i < floats; i += 8)
    _mm256_stream_ps(y + i, _mm256_load_ps(x + i));
  _mm_sfence();
}

int calibrate_cpu_streams(void) {
  return __builtin_cpu_supports("avx") != 0;
}
#else
#define write_stream write_plain
#define copy_stream copy_plain

int calibrate_cpu_streams(void) {
  return 0;
}
#endif

int calibrate_cpu_write(const struct calibrate_call *call) {
  for_each_share(call, write_plain);
  return 0;
}

int calibrate_cpu_write_memset(const struct calibrate_call *call) {
  for_each_share(call, write_memset);
  return 0;
}

int calibrate_cpu_write_stream(const struct calibrate_call *call) {
  for_each_share(call, write_stream);
  return 0;
}

int calibrate_cpu_copy(const struct calibrate_call *call) {
  for_each_share(call, copy_plain);
  return 0;
}

int calibrate_cpu_copy_memcpy(const struct calibrate_call *call) {
  for_each_share(call, copy_memcpy);
  return 0;
}

int calibrate_cpu_copy_stream(const struct calibrate_call *call) {
  for_each_share(call, copy_stream);
  return 0;
}

/* ---- Multiply-add ---------------------------------------------------------------------------------------------- */

#define BLOCK 16 /* lanes that are computed together */

/* Computes x = a * x + b `steps` times, for BLOCK lanes starting at `lane`, in all chains. */
typedef void (*fma_fn)(const struct calibrate_call *call, int64_t lane);

#if X86
__attribute__((target("avx512f"))) static void fma_avx512(const struct calibrate_call *call, int64_t lane) {
  const __m512 a = _mm512_loadu_ps((const float *)call->a + lane);
  const __m512 b = _mm512_loadu_ps((const float *)call->b + lane);
  __m512 chain[CALIBRATE_CHAINS];
#pragma GCC unroll 16
  for (int i = 0; i < CALIBRATE_CHAINS; i++)
    chain[i] = _mm512_loadu_ps((const float *)call->x + i * call->size + lane);
  for (int64_t s = 0; s < call->steps; s++) {
#pragma GCC unroll 16
    for (int i = 0; i < CALIBRATE_CHAINS; i++)
      chain[i] = _mm512_fmadd_ps(a, chain[i], b);
  }
#pragma GCC unroll 16
  for (int i = 0; i < CALIBRATE_CHAINS; i++)
    _mm512_storeu_ps((float *)call->y + i * call->size + lane, chain[i]);
}

#define PASS 8 /* vectors computed together: they fit 16 registers with a and b, and fill two pipes of latency 4 */

__attribute__((target("avx2,fma"))) static void fma_avx2(const struct calibrate_call *call, int64_t lane) {
  for (int half = 0; half < 2; half++) {
    const __m256 a = _mm256_loadu_ps((const float *)call->a + lane + half * 8);
    const __m256 b = _mm256_loadu_ps((const float *)call->b + lane + half * 8);
    for (int first = 0; first < CALIBRATE_CHAINS; first += PASS) {
      __m256 chain[PASS];
#pragma GCC unroll 8
      for (int i = 0; i < PASS; i++)
        chain[i] = _mm256_loadu_ps((const float *)call->x + (first + i) * call->size + lane + half * 8);
      for (int64_t s = 0; s < call->steps; s++) {
#pragma GCC unroll 8
        for (int i = 0; i < PASS; i++)
          chain[i] = _mm256_fmadd_ps(a, chain[i], b);
      }
#pragma GCC unroll 8
      for (int i = 0; i < PASS; i++)
        _mm256_storeu_ps((float *)call->y + (first + i) * call->size + lane + half * 8, chain[i]);
    }
  }
}
#endif

/* Compiled only if fmaf() is an instruction: with a separate multiplication and addition, the second rounding in each
 * step would exceed the tolerance. */
#ifdef __FP_FAST_FMAF
static void fma_plain(const struct calibrate_call *call, int64_t lane) {
  const float *a = (const float *)call->a + lane;
  const float *b = (const float *)call->b + lane;
  for (int i = 0; i < CALIBRATE_CHAINS; i++) {
    float chain[BLOCK];
    memcpy(chain, (const float *)call->x + i * call->size + lane, sizeof chain);
    for (int64_t s = 0; s < call->steps; s++) {
#pragma omp simd
      for (int j = 0; j < BLOCK; j++)
        chain[j] = fmaf(a[j], chain[j], b[j]);
    }
    memcpy((float *)call->y + i * call->size + lane, chain, sizeof chain);
  }
}
#endif

/* Returns the widest version that this processor runs, or NULL. */
static fma_fn best_fma(void) {
#if X86
  if (__builtin_cpu_supports("avx512f")) return fma_avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return fma_avx2;
#endif
#ifdef __FP_FAST_FMAF
  return fma_plain;
#else
  return NULL;
#endif
}

int calibrate_cpu_fuses(void) {
  return best_fma() != NULL;
}

int calibrate_cpu_fma(const struct calibrate_call *call) {
  const fma_fn fn = best_fma();
#pragma omp parallel for num_threads(call->threads) schedule(static)
  for (int64_t lane = 0; lane < call->size; lane += BLOCK)
    fn(call, lane);
  return 0;
}
