// Only the kernels of this plugin; plugin.c has the rest.
#include "kernel.h"

static const unsigned threads = 256;

static unsigned blocks(int64_t items) {
  return static_cast<unsigned>((items + threads - 1) / threads);
}

static __global__ void axpy(const float *x, const float *y, float *z, int64_t n) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) z[i] = 2 * x[i] + y[i];
}

static __global__ void axpy4(const float4 *x, const float4 *y, float4 *z, int64_t n) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 a = x[i], b = y[i];
  z[i] = make_float4(2 * a.x + b.x, 2 * a.y + b.y, 2 * a.z + b.z, 2 * a.w + b.w);
}

int kernel_plain(const float *x, const float *y, float *z, int64_t n, cudaStream_t stream) {
  axpy<<<blocks(n), threads, 0, stream>>>(x, y, z, n);
  return cudaGetLastError();
}

int kernel_vector(const float *x, const float *y, float *z, int64_t n, cudaStream_t stream) {
  axpy4<<<blocks(n / 4), threads, 0, stream>>>(reinterpret_cast<const float4 *>(x), reinterpret_cast<const float4 *>(y),
                                               reinterpret_cast<float4 *>(z), n / 4);
  return cudaGetLastError();
}

const char *kernel_error(int code) {
  return cudaGetErrorString(static_cast<cudaError_t>(code));
}
