// The GPU variant of builds.c. To take longer, it does the same sequence of `steps` multiplications and additions
// first.
#include <cuda_runtime.h>

#include "builds.h"

static __global__ void chain(const float *x, float *y, int steps) {
  const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
  unsigned long long state = 1;
  for (int step = 0; step < steps; step++) {
    state = state * 6364136223846793005ULL + 1;
    asm volatile("" : "+l"(state));
  }
  y[i] = 2 * x[i] + (state == 0 ? 1.0f : 0.0f);
}

int builds_launch(const float *x, float *y, int64_t n, int steps, CUstream_st *stream) {
  chain<<<unsigned(n / 256), 256, 0, stream>>>(x, y, steps);
  return cudaGetLastError();
}
