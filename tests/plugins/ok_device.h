/* The functions that ok_device.c needs, on a GPU (ok_device.cu) and on the CPU (ok_device_cpu.c), so that its benches
 * can be tested without a GPU. Each enqueues its work on the stream and returns a cudaError_t. */
#ifndef OK_DEVICE_H
#define OK_DEVICE_H

#include <stddef.h>
#include <stdint.h>

struct CUstream_st;

#ifdef __cplusplus
extern "C" {
#endif

/* These constants can be represented exactly in binary. */
#define DEVICE_DT 0.125F       /* length of a leapfrog step */
#define DEVICE_MOMENTUM 0.875F /* momentum of SGD */
#define DEVICE_RATE 0.0625F

/* Dense weights, momenta and gradients, and a copy of the weights, whose rows are `pitch` elements apart. */
struct sgd {
  float *w, *m, *copy;
  const float *g;
  int64_t rows, cols, pitch;
};

struct device_ops {
  const char *backend;
  /* Takes a step of n oscillators (q, p). If `turns` is not NULL, does so only if its value is even. */
  int (*step)(float *state, int64_t n, const int32_t *turns, struct CUstream_st *stream);
  /* Adds one to *turns, or sets it to 0 if `begins` is true. */
  int (*count)(int32_t *turns, int begins, struct CUstream_st *stream);
  int (*reverse)(const float *from, float *to, int64_t n, struct CUstream_st *stream);
  /* Updates the weights by SGD. Stores the new momentum only if `keeps` is true. */
  int (*sgd)(const struct sgd *s, int keeps, struct CUstream_st *stream);
  /* Computes y[i] = x[list[i]]. `flip` is an element of y in which the last bit is inverted, or -1. */
  int (*gather)(const float *x, const int32_t *list, float *y, int64_t n, int64_t flip, struct CUstream_st *stream);
  int (*add)(const float *x, float *y, float *sum, int64_t n, struct CUstream_st *stream); /* y = 2 x + 1, sum += x */
  int (*copy)(void *to, const void *from, size_t bytes, struct CUstream_st *stream);
  int (*wait)(struct CUstream_st *stream);
  int (*take)(void **memory, size_t bytes);
  int (*give)(void *memory);
};

extern const struct device_ops device_cpu, device_cuda;

#ifdef __cplusplus
}
#endif
#endif
