// The functions of ok_device.c on a GPU.
#include <cuda_runtime.h>

#include "ok_device.h"

static const int kThreads = 256;

static unsigned blocks(int64_t n) {
  return static_cast<unsigned>((n + kThreads - 1) / kThreads);
}

static __device__ int64_t element() {
  return static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
}

static __global__ void step(float2 *state, int64_t n, const int32_t *turns) {
  const int64_t i = element();
  if (i >= n || (turns != nullptr && *turns % 2 != 0)) return;
  float2 s = state[i];
  s.y -= DEVICE_DT / 2 * s.x;
  s.x += DEVICE_DT * s.y;
  s.y -= DEVICE_DT / 2 * s.x;
  state[i] = s;
}

static int launch_step(float *state, int64_t n, const int32_t *turns, CUstream_st *stream) {
  step<<<blocks(n), kThreads, 0, stream>>>(reinterpret_cast<float2 *>(state), n, turns);
  return cudaGetLastError();
}

static __global__ void count(int32_t *turns, bool begins) {
  *turns = begins ? 0 : *turns + 1;
}

static int launch_count(int32_t *turns, int begins, CUstream_st *stream) {
  count<<<1, 1, 0, stream>>>(turns, begins != 0);
  return cudaGetLastError();
}

// Reverses the order of n pairs. Each block reverses its pairs in shared memory, so that both arrays are accessed in
// increasing order.
static __global__ void reverse(const float2 *from, float2 *to, int64_t n) {
  __shared__ float2 tile[kThreads];
  const int64_t first = static_cast<int64_t>(blockIdx.x) * kThreads, left = n - first;
  const int pairs = left < kThreads ? static_cast<int>(left) : kThreads, t = static_cast<int>(threadIdx.x);
  if (t < pairs) tile[t] = from[first + t];
  __syncthreads();
  if (t < pairs) to[left - pairs + t] = tile[pairs - 1 - t];
}

static int launch_reverse(const float *from, float *to, int64_t n, CUstream_st *stream) {
  reverse<<<blocks(n), kThreads, 0, stream>>>(reinterpret_cast<const float2 *>(from), reinterpret_cast<float2 *>(to),
                                              n);
  return cudaGetLastError();
}

static __global__ void sgd_step(sgd s, bool keeps) {
  const int64_t i = element();
  if (i >= s.rows * s.cols) return;
  const float m = DEVICE_MOMENTUM * s.m[i] + s.g[i], w = s.w[i] - DEVICE_RATE * m;
  if (keeps) s.m[i] = m;
  s.w[i] = w;
  s.copy[i / s.cols * s.pitch + i % s.cols] = w;
}

static int launch_sgd(const struct sgd *s, int keeps, CUstream_st *stream) {
  sgd_step<<<blocks(s->rows * s->cols), kThreads, 0, stream>>>(*s, keeps != 0);
  return cudaGetLastError();
}

static __global__ void gather(const float *x, const int32_t *list, float *y, int64_t n, int64_t flip) {
  const int64_t i = element();
  if (i >= n) return;
  const float value = x[list[i]];
  y[i] = i == flip ? __int_as_float(__float_as_int(value) ^ 1) : value;
}

static int launch_gather(const float *x, const int32_t *list, float *y, int64_t n, int64_t flip, CUstream_st *stream) {
  gather<<<blocks(n), kThreads, 0, stream>>>(x, list, y, n, flip);
  return cudaGetLastError();
}

static __global__ void add(const float *x, float *y, float *sum, int64_t n) {
  const int64_t i = element();
  if (i >= n) return;
  y[i] = 2 * x[i] + 1;
  sum[i] += x[i];
}

static int launch_add(const float *x, float *y, float *sum, int64_t n, CUstream_st *stream) {
  add<<<blocks(n), kThreads, 0, stream>>>(x, y, sum, n);
  return cudaGetLastError();
}

static int copy(void *to, const void *from, size_t bytes, CUstream_st *stream) {
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream);
}

static int wait(CUstream_st *stream) {
  return cudaStreamSynchronize(stream);
}

static int take(void **memory, size_t bytes) {
  return cudaMalloc(memory, bytes);
}

static int give(void *memory) {
  return cudaFree(memory);
}

const struct device_ops device_cuda = {"cuda",     launch_step, launch_count, launch_reverse, launch_sgd, launch_gather,
                                       launch_add, copy,        wait,         take,           give};
