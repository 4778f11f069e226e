// Two kernels for benches with an epilogue. One compares every element of c with a plain fp32 product and its epilogue,
// because Freivalds' check works for plain products only. The other applies an epilogue to the plain product of a
// library.
#include <cuda_runtime.h>
#include <math.h>

#include "../shared/packs.cuh"
#include "epilogue.cuh"
#include "kernels.h"

namespace matmul {
namespace {

using packs::Pack;
using packs::to_float;

// ---- The check: 128 x 128 elements per block, 8 x 8 per thread, no tensor cores ------------------------------------

constexpr int kTile = 128, kDepth = 16, kThreads = 256, kEach = 8;

template <typename T>
__device__ __forceinline__ void fetch(float (&to)[kDepth][kTile + 4], const T *from, int64_t first, int64_t rows,
                                      int64_t k, int64_t at) {
  const int line = static_cast<int>(threadIdx.x) / 2, l0 = static_cast<int>(threadIdx.x) % 2 * (kDepth / 2);
  const T *row = from + (first + line) * k + at + l0;
#pragma unroll
  for (int l = 0; l < kDepth / 2; ++l)
    to[l0 + l][line] = first + line < rows && at + l0 + l < k ? to_float(row[l]) : 0.0f;
}

__device__ __forceinline__ float finished(int epilogue, float sum, float extra) {
  const float x = sum + extra;
  return epilogue == MATMUL_ADD ? x : x / (1 + expf(-1.59576912f * (x + 0.044715f * x * x * x)));
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    compare_elements(const matmul_problem p, int64_t tiles_across, float factor, float rms, unsigned long long *wrong) {
  __shared__ float a[kDepth][kTile + 4], b[kDepth][kTile + 4];
  const int down = static_cast<int>(threadIdx.x) / 16, across = static_cast<int>(threadIdx.x) % 16;
  const int64_t row0 = blockIdx.x / tiles_across * kTile, column0 = blockIdx.x % tiles_across * kTile;
  float sum[kEach][kEach] = {};
  for (int64_t at = 0; at < p.k; at += kDepth) {
    __syncthreads();
    fetch(a, static_cast<const T *>(p.a), row0, p.m, p.k, at);
    fetch(b, static_cast<const T *>(p.b), column0, p.n, p.k, at);
    __syncthreads();
#pragma unroll
    for (int l = 0; l < kDepth; ++l) {
      float x[kEach], y[kEach];
#pragma unroll
      for (int i = 0; i < kEach; ++i) {
        x[i] = a[l][down * kEach + i];
        y[i] = b[l][across + i * 16];
      }
#pragma unroll
      for (int i = 0; i < kEach; ++i)
#pragma unroll
        for (int j = 0; j < kEach; ++j)
          sum[i][j] = fmaf(x[i], y[j], sum[i][j]);
    }
  }
#pragma unroll
  for (int i = 0; i < kEach; ++i)
#pragma unroll
    for (int j = 0; j < kEach; ++j) {
      const int64_t row = row0 + down * kEach + i, column = column0 + across + j * 16, index = row * p.n + column;
      if (row >= p.m || column >= p.n) continue;
      const float extra = to_float(static_cast<const T *>(p.extra)[p.epilogue == MATMUL_ADD ? index : column]);
      const float must = finished(p.epilogue, sum[i][j], extra);
      const float is = to_float(static_cast<const T *>(p.c)[index]);
      if (!(fabsf(is - must) <= factor * (fabsf(must) + rms))) atomicMin(wrong, static_cast<unsigned long long>(index));
    }
}

template <typename T>
int compare_as(const matmul_problem &p, double factor, double rms, unsigned long long *wrong, cudaStream_t stream) {
  const int64_t down = (p.m + kTile - 1) / kTile, across = (p.n + kTile - 1) / kTile;
  compare_elements<T><<<static_cast<unsigned>(down * across), kThreads, 0, stream>>>(
      p, across, static_cast<float>(factor), static_cast<float>(rms), wrong);
  return cudaGetLastError();
}

// ---- The epilogue alone: 16 bytes per thread if rows are multiples of 16 bytes -------------------------------------

constexpr int kPassThreads = 128;

template <typename T>
__global__ void __launch_bounds__(kPassThreads) finish_packs(const matmul_problem p) {
  constexpr int kWidth = Pack<T>::kWidth;
  const int64_t packs = p.n / kWidth, column = static_cast<int64_t>(blockIdx.x) * kPassThreads + threadIdx.x;
  if (column >= packs) return;
  const uint4 *extra = static_cast<const uint4 *>(p.extra) + column;
  uint4 *c = static_cast<uint4 *>(p.c) + column;
  for (int64_t row = blockIdx.y; row < p.m; row += gridDim.y) {
    const uint4 sums = c[row * packs], more = extra[p.epilogue == MATMUL_ADD ? row * packs : 0];
    float x[kWidth], y[kWidth];
    Pack<T>::unpack(sums, x);
    Pack<T>::unpack(more, y);
#pragma unroll
    for (int i = 0; i < kWidth; ++i)
      x[i] = p.epilogue == MATMUL_ADD ? x[i] + y[i] : gelu<T>(x[i] + y[i]);
    c[row * packs] = Pack<T>::pack(x);
  }
}

template <typename T>
__global__ void __launch_bounds__(kPassThreads) finish_elements(const matmul_problem p) {
  const int64_t column = static_cast<int64_t>(blockIdx.x) * kPassThreads + threadIdx.x;
  if (column >= p.n) return;
  for (int64_t row = blockIdx.y; row < p.m; row += gridDim.y) {
    T *c = static_cast<T *>(p.c) + row * p.n + column;
    const float x = to_float(*c);
    const float y = to_float(static_cast<const T *>(p.extra)[p.epilogue == MATMUL_ADD ? row * p.n + column : column]);
    packs::store(c, p.epilogue == MATMUL_ADD ? x + y : gelu<T>(x + y));
  }
}

template <typename T>
int finish_as(const matmul_problem &p, cudaStream_t stream) {
  constexpr int kWidth = Pack<T>::kWidth;
  const bool whole = p.n % kWidth == 0;
  const int64_t columns = whole ? p.n / kWidth : p.n;
  const dim3 grid(static_cast<unsigned>((columns + kPassThreads - 1) / kPassThreads),
                  static_cast<unsigned>(p.m < 65535 ? p.m : 65535));
  if (whole)
    finish_packs<T><<<grid, kPassThreads, 0, stream>>>(p);
  else
    finish_elements<T><<<grid, kPassThreads, 0, stream>>>(p);
  return cudaGetLastError();
}

}  // namespace
}  // namespace matmul

int matmul_cuda_compare_elements(const matmul_problem *p, double factor, double rms, unsigned long long *wrong,
                                 struct CUstream_st *stream) {
  const cudaError_t error = cudaMemsetAsync(wrong, 0xFF, sizeof *wrong, stream);
  if (error != cudaSuccess) return error;
  switch (p->dtype) {
    case MATMUL_FP32:
      return matmul::compare_as<float>(*p, factor, rms, wrong, stream);
    case MATMUL_FP16:
      return matmul::compare_as<__half>(*p, factor, rms, wrong, stream);
    default:
      return matmul::compare_as<__nv_bfloat16>(*p, factor, rms, wrong, stream);
  }
}

int matmul_cuda_finish(const matmul_problem *p, struct CUstream_st *stream) {
  switch (p->dtype) {
    case MATMUL_FP32:
      return matmul::finish_as<float>(*p, stream);
    case MATMUL_FP16:
      return matmul::finish_as<__half>(*p, stream);
    default:
      return matmul::finish_as<__nv_bfloat16>(*p, stream);
  }
}
