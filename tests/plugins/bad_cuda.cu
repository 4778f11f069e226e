// Kernels that fail in one way each. All of them also do the work, so that only the fault can be found.
#include <cuda_runtime.h>

#include "bad_cuda.h"

static __global__ void scale(fault kind, const float *x, float *y, int n) {
  __shared__ float staged[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  staged[threadIdx.x] = i < n ? x[i] : 0;
  if (kind != FAULT_RACE) __syncthreads();  // without it the neighbour's store below races with the load
  unsigned partner = threadIdx.x ^ 32;
  float mine = staged[partner];
  __syncthreads();
  staged[partner] = mine;
  __syncthreads();
  if (i < n) y[i] = 2 * (kind == FAULT_RACE ? x[i] + 0 * staged[threadIdx.x] : x[i]);
  if (i != 0) return;
  if (kind == FAULT_NULL) *reinterpret_cast<volatile float *>(static_cast<size_t>(4)) = 1;
  if (kind == FAULT_MISALIGNED) *reinterpret_cast<volatile double *>(reinterpret_cast<char *>(y) + 4) = 1;
  if (kind == FAULT_TRAP) __trap();
  if (kind == FAULT_BEYOND) y[n] = 1;
  volatile int forever = kind == FAULT_HANG;
  while (forever)
    __nanosleep(1000);
}

int bad_cuda_launch(enum fault fault, const float *x, float *y, int n, CUstream_st *stream) {
  scale<<<(n + 255) / 256, 256, 0, stream>>>(fault, x, y, n);
  if (fault == FAULT_SYNC) return cudaStreamSynchronize(stream);
  return cudaGetLastError();
}
