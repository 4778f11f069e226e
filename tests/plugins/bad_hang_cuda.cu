// A kernel that ends, and one that never ends.
#include <cuda_runtime.h>

#include "bad_hang_cuda.h"

static __global__ void scale(const float *x, float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}

static __global__ void endless(volatile int *forever) {
  while (*forever)
    __nanosleep(1000);
}

int bad_hang_cuda_scale(const float *x, float *y, int n, CUstream_st *stream) {
  scale<<<(n + 255) / 256, 256, 0, stream>>>(x, y, n);
  return static_cast<int>(cudaGetLastError());
}

int bad_hang_cuda_endless(void) {
  static const int one = 1;
  cudaStream_t stream;
  int *forever;
  cudaError_t rc = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  if (rc == cudaSuccess) rc = cudaMalloc(&forever, sizeof *forever);
  if (rc == cudaSuccess) rc = cudaMemcpy(forever, &one, sizeof one, cudaMemcpyHostToDevice);
  if (rc != cudaSuccess) return static_cast<int>(rc);
  endless<<<1, 1, 0, stream>>>(forever);
  return static_cast<int>(cudaGetLastError());
}
