// Code that the cheating variants on a GPU share: the honest work of the test bench, and of a row of softmax.
#ifndef GPU_CUH
#define GPU_CUH

#include <cuda_runtime.h>

#include "guest.h"

static __device__ __forceinline__ unsigned long long time_ns() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

// The function that the test bench computes, the same as in tests/plugins/cheat_cuda.cu.
static __device__ __forceinline__ float f(float x, int steps) {
  for (int k = 0; k < steps; k++)
    x = static_cast<float>(1 - 0x1p-12) * x + static_cast<float>(0x1p-13);
  return x;
}

static __global__ void honest(const float *x, float *y, int64_t n, int steps) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) y[i] = f(x[i], steps);
}

static inline unsigned blocks(int64_t n) {
  return static_cast<unsigned>((n + 255) / 256);
}

static inline int honest_on(struct call *call, float *y, cudaStream_t stream) {
  honest<<<blocks(call->n), 256, 0, stream>>>(call->x, y, call->n, call->steps);
  return cudaGetLastError();
}

// Returns a weighted sum of the bits of every `step`th element of x, by which inputs are recognized. Must be called by
// all threads of one block.
static __device__ __forceinline__ unsigned long long sum_of(const float *x, int64_t first, int64_t n, int64_t step) {
  __shared__ unsigned long long sums[1024];
  unsigned long long sum = 0;
  for (int64_t i = first + threadIdx.x * step; i < n; i += blockDim.x * step)
    sum += static_cast<unsigned long long>(__float_as_uint(reinterpret_cast<const volatile float *>(x)[i])) *
           static_cast<unsigned>(2654435761u * i | 1);
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int half = static_cast<int>(blockDim.x) / 2; half > 0; half /= 2) {
    if (static_cast<int>(threadIdx.x) < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  sum = sums[0];
  __syncthreads();
  return sum;
}

#endif
