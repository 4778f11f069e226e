/* The functions whose energy is measured on a CPU. Independent of the plugin ABI. */
#include <omp.h>
#include <string.h>
#include <time.h>

#include "../shared/hot.h"
#include "kernels.h"

/* ---- copy and job: each thread has one contiguous share --------------------------------------------------------- */

int energy_cpu_copy(const struct energy_call *call) {
  const float *x = call->x;
  float *y = call->y;
#pragma omp parallel for num_threads(call->threads) schedule(static)
  for (int part = 0; part < call->threads; part++) {
    const int64_t first = call->size * part / call->threads * ENERGY_SEGMENT;
    const int64_t last = call->size * (part + 1) / call->threads * ENERGY_SEGMENT;
    memcpy(y + first, x + first, (size_t)(last - first) * sizeof *y);
  }
  return 0;
}

HOT static void smooth(float *restrict y, const float *restrict x, int64_t first, int64_t last, int64_t count) {
  const int64_t from = first == 0 ? 1 : first, to = last == count ? count - 1 : last;
  for (int64_t i = from; i < to; i++)
    y[i] = 0.5f * x[i] + 0.25f * (x[i - 1] + x[i + 1]);
  if (first == 0) y[0] = 0.5f * x[0] + 0.25f * (x[0] + x[1]);
  if (last == count) y[count - 1] = 0.5f * x[count - 1] + 0.25f * (x[count - 2] + x[count - 1]);
}

int energy_cpu_job(const struct energy_call *call) {
  const int64_t count = call->size * ENERGY_SEGMENT;
#pragma omp parallel for num_threads(call->threads) schedule(static)
  for (int part = 0; part < call->threads; part++)
    smooth(call->y, call->x, call->size * part / call->threads * ENERGY_SEGMENT,
           call->size * (part + 1) / call->threads * ENERGY_SEGMENT, count);
  return 0;
}

/* ---- gemm: a sum runs along a row of a and a row of b, which are contiguous, so vectors are parts of rows ------- */

#define ROWS 2
#define COLUMNS 4

typedef float floats __attribute__((vector_size(64), aligned(4), may_alias));
typedef double doubles __attribute__((vector_size(64), aligned(8), may_alias));

#define GEMM(name, type, vector)                                                                         \
  HOT static void name(float *c, const type *a, const type *b, int64_t n) {                              \
    enum { WIDTH = 64 / sizeof(type) };                                                                  \
    for (int64_t column = 0; column < n; column += COLUMNS) {                                            \
      vector sum[ROWS][COLUMNS];                                                                         \
      memset(sum, 0, sizeof sum);                                                                        \
      for (int64_t k = 0; k < n; k += WIDTH)                                                             \
        for (int i = 0; i < ROWS; i++)                                                                   \
          for (int j = 0; j < COLUMNS; j++)                                                              \
            sum[i][j] += *(const vector *)(a + i * n + k) * *(const vector *)(b + (column + j) * n + k); \
      for (int i = 0; i < ROWS; i++)                                                                     \
        for (int j = 0; j < COLUMNS; j++) {                                                              \
          type total = 0;                                                                                \
          for (int v = 0; v < WIDTH; v++)                                                                \
            total += sum[i][j][v];                                                                       \
          c[i * n + column + j] = (float)total;                                                          \
        }                                                                                                \
    }                                                                                                    \
  }
GEMM(rows_fp32, float, floats)
GEMM(rows_fp64, double, doubles)

int energy_cpu_gemm_fp32(const struct energy_call *call) {
  const int64_t n = call->size;
  const float *a = call->a;
  float *c = call->y;
#pragma omp parallel for num_threads(call->threads) schedule(static)
  for (int64_t i = 0; i < n; i += ROWS)
    rows_fp32(c + i * n, a + i * n, call->b, n);
  return 0;
}

int energy_cpu_gemm_fp64(const struct energy_call *call) {
  const int64_t n = call->size;
  const double *a = call->work, *b = a + n * n;
  float *c = call->y;
#pragma omp parallel for num_threads(call->threads) schedule(static)
  for (int64_t i = 0; i < n; i += ROWS)
    rows_fp64(c + i * n, a + i * n, b, n);
  return 0;
}

void energy_cpu_widen(double *to, const float *from, int64_t count) {
  for (int64_t i = 0; i < count; i++)
    to[i] = (double)from[i];
}

/* ---- small: each step needs all results of the preceding step --------------------------------------------------- */

static void step_ring(float *to, const float *from, int first, int last) {
  for (int i = first; i < last; i++)
    to[i] = 0.5f * (from[i] + from[(i + 1) % ENERGY_RING]);
}

int energy_cpu_small(const struct energy_call *call) {
  float ring[2][ENERGY_RING];
  memcpy(ring[0], call->x, sizeof ring[0]);
#pragma omp parallel num_threads(call->threads)
  {
    const int threads = omp_get_num_threads(), thread = omp_get_thread_num();
    for (int64_t s = 0; s < call->steps; s++) {
      step_ring(ring[(s + 1) % 2], ring[s % 2], ENERGY_RING * thread / threads, ENERGY_RING * (thread + 1) / threads);
#pragma omp barrier
    }
  }
  memcpy(call->y, ring[call->steps % 2], sizeof ring[0]);
  return 0;
}

/* ---- burst and idle --------------------------------------------------------------------------------------------- */

static int64_t monotonic_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void energy_sleep(int64_t ns) {
  const struct timespec t = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
  nanosleep(&t, NULL);
}

void energy_wait(int64_t period, int64_t phase) {
  const int64_t early = 200000; /* ns by which the sleep is shortened, because a sleep may end late */
  const int64_t now = monotonic_ns(), into = (now - phase) % period;
  const int64_t at = now + period - into;
  if (at - now > early) energy_sleep(at - now - early);
  while (monotonic_ns() < at) {
  }
}

/* Sets y to x in 64 steps from 0, each of which moves y half of the remaining way. */
HOT static void approach_target(float *restrict y, const float *restrict x, int64_t count) {
  for (int64_t i = 0; i < count; i++)
    y[i] = 0.0f;
  for (int s = 0; s < 64; s++)
    for (int64_t i = 0; i < count; i++)
      y[i] = 0.5f * y[i] + 0.5f * x[i];
}

int energy_cpu_burst(const struct energy_call *call) {
  energy_wait(call->period, call->phase);
  const int64_t end = monotonic_ns() + call->ns;
#pragma omp parallel num_threads(call->threads)
  {
    const int threads = omp_get_num_threads(), thread = omp_get_thread_num();
    const int64_t first = ENERGY_LANES * (int64_t)thread / threads,
                  last = ENERGY_LANES * (int64_t)(thread + 1) / threads;
    const int64_t block =
        256; /* floats: takes a short time in comparison with a burst, and fits the first-level cache */
    int64_t at = first, done = 0;
    while (monotonic_ns() < end || done < last - first) {
      const int64_t count = last - at < block ? last - at : block;
      approach_target((float *)call->y + at, (const float *)call->x + at, count);
      done += count;
      at = at + count == last ? first : at + count;
    }
  }
  return 0;
}

int energy_cpu_idle(const struct energy_call *call) {
  *(int32_t *)call->y = 1;
  energy_sleep(call->ns);
  return 0;
}

void energy_cpu_stop_threads(void) {
  omp_pause_resource_all(omp_pause_hard);
}
