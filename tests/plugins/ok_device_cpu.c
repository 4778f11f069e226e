/* The functions of ok_device.c on the CPU. */
#include "ok_device.h"

#include <stdlib.h>
#include <string.h>

static int cpu_step(float *state, int64_t n, const int32_t *turns, struct CUstream_st *stream) {
  (void)stream;
  for (int64_t i = 0; i < n && (turns == NULL || *turns % 2 == 0); i++) {
    float *q = &state[2 * i], *p = q + 1;
    *p -= DEVICE_DT / 2 * *q;
    *q += DEVICE_DT * *p;
    *p -= DEVICE_DT / 2 * *q;
  }
  return 0;
}

static int cpu_count(int32_t *turns, int begins, struct CUstream_st *stream) {
  (void)stream;
  *turns = begins ? 0 : *turns + 1;
  return 0;
}

static int cpu_reverse(const float *from, float *to, int64_t n, struct CUstream_st *stream) {
  (void)stream;
  for (int64_t i = 0; i < n; i++)
    memcpy(&to[2 * (n - 1 - i)], &from[2 * i], 2 * sizeof *to);
  return 0;
}

static int cpu_sgd(const struct sgd *s, int keeps, struct CUstream_st *stream) {
  (void)stream;
  for (int64_t i = 0; i < s->rows * s->cols; i++) {
    const float m = DEVICE_MOMENTUM * s->m[i] + s->g[i];
    if (keeps) s->m[i] = m;
    s->w[i] -= DEVICE_RATE * m;
    s->copy[i / s->cols * s->pitch + i % s->cols] = s->w[i];
  }
  return 0;
}

static int cpu_gather(const float *x, const int32_t *list, float *y, int64_t n, int64_t flip,
                      struct CUstream_st *stream) {
  uint32_t bits;
  (void)stream;
  for (int64_t i = 0; i < n; i++) {
    memcpy(&bits, &x[list[i]], sizeof bits);
    bits ^= i == flip;
    memcpy(&y[i], &bits, sizeof bits);
  }
  return 0;
}

static int cpu_add(const float *x, float *y, float *sum, int64_t n, struct CUstream_st *stream) {
  (void)stream;
  for (int64_t i = 0; i < n; i++) {
    y[i] = 2 * x[i] + 1;
    sum[i] += x[i];
  }
  return 0;
}

static int cpu_copy(void *to, const void *from, size_t bytes, struct CUstream_st *stream) {
  (void)stream;
  memcpy(to, from, bytes);
  return 0;
}

static int cpu_wait(struct CUstream_st *stream) {
  (void)stream;
  return 0;
}

static int cpu_take(void **memory, size_t bytes) {
  return (*memory = malloc(bytes)) == NULL;
}

static int cpu_give(void *memory) {
  free(memory);
  return 0;
}

const struct device_ops device_cpu = {"cpu",   cpu_step, cpu_count, cpu_reverse, cpu_sgd, cpu_gather,
                                      cpu_add, cpu_copy, cpu_wait,  cpu_take,    cpu_give};
