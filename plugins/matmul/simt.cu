// The variants `naive`, `tiled` and `register`, matrix products without tensor cores: one thread per dot product, tiles
// in shared memory, and tiles in registers. Products and sums are fp32.
#include "kernels.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

namespace matmul {
namespace {

struct size {
  int m, n, k;
};

__device__ __forceinline__ float to_float(float x) {
  return x;
}
__device__ __forceinline__ float to_float(__half x) {
  return __half2float(x);
}
__device__ __forceinline__ float to_float(__nv_bfloat16 x) {
  return __bfloat162float(x);
}
__device__ __forceinline__ float to_float(__nv_fp8_e4m3 x) {
  return static_cast<float>(x);
}

__device__ __forceinline__ void store(float *to, float x) {
  *to = x;
}
__device__ __forceinline__ void store(__half *to, float x) {
  *to = __float2half_rn(x);
}
__device__ __forceinline__ void store(__nv_bfloat16 *to, float x) {
  *to = __float2bfloat16_rn(x);
}

// ---- naive: a thread for each element of c reads its row of a and its row of b from global memory ------------------

constexpr int kNaiveColumns = 32, kNaiveRows = 8;

template <typename T, typename O>
__global__ void __launch_bounds__(kNaiveColumns *kNaiveRows) naive(const T *a, const T *b, O *c, size s, int across) {
  const int row = static_cast<int>(blockIdx.x) / across * kNaiveRows + static_cast<int>(threadIdx.y);
  const int column = static_cast<int>(blockIdx.x) % across * kNaiveColumns + static_cast<int>(threadIdx.x);
  if (row >= s.m || column >= s.n) return;
  const T *left = a + static_cast<int64_t>(row) * s.k;
  const T *right = b + static_cast<int64_t>(column) * s.k;
  float sum = 0.0f;
  for (int i = 0; i < s.k; ++i)
    sum = fmaf(to_float(left[i]), to_float(right[i]), sum);
  store(c + static_cast<int64_t>(row) * s.n + column, sum);
}

// ---- tiled: a block's rows of a and b pass through shared memory, 32 elements along k at a time --------------------

constexpr int kTile = 32;

template <typename T>
__device__ __forceinline__ float element(const T *x, int row, int rows, int i, int k) {
  return row < rows && i < k ? to_float(x[static_cast<int64_t>(row) * k + i]) : 0.0f;
}

template <typename T, typename O>
__global__ void __launch_bounds__(kTile *kTile) tiled(const T *a, const T *b, O *c, size s, int across) {
  __shared__ float left[kTile][kTile + 1], right[kTile][kTile + 1];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int row0 = static_cast<int>(blockIdx.x) / across * kTile;
  const int column0 = static_cast<int>(blockIdx.x) % across * kTile;
  float sum = 0.0f;
  for (int i = 0; i < s.k; i += kTile) {
    left[y][x] = element(a, row0 + y, s.m, i + x, s.k);
    right[y][x] = element(b, column0 + y, s.n, i + x, s.k);
    __syncthreads();
#pragma unroll
    for (int j = 0; j < kTile; ++j)
      sum = fmaf(left[y][j], right[x][j], sum);
    __syncthreads();
  }
  if (row0 + y < s.m && column0 + x < s.n) store(c + static_cast<int64_t>(row0 + y) * s.n + column0 + x, sum);
}

// ---- register: 128 x 128 elements of c per block, 8 x 8 per thread, shared memory in two halves --------------------

constexpr int kBlock = 128, kDepth = 16, kPitch = kBlock + 4, kThreads = 256;

struct panel {
  float x[kDepth][kPitch];  // transposed: a thread's rows are adjacent
};

// Loads eight elements of one row; elements outside the matrix are zero. If ALIGNED, k is a multiple of 4.
template <bool ALIGNED>
__device__ __forceinline__ void fetch(float (&to)[8], const float *x, int row, int rows, int i, int k) {
  const float *from = x + static_cast<int64_t>(row) * k + i;
#pragma unroll
  for (int j = 0; j < 8; j += 4) {
    const int at = j * 2;  // a thread loads every second group of four; its neighbour loads the others
    float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (ALIGNED) {
      if (row < rows && i + at < k) v = *reinterpret_cast<const float4 *>(from + at);
    } else if (row < rows) {
      if (i + at < k) v.x = from[at];
      if (i + at + 1 < k) v.y = from[at + 1];
      if (i + at + 2 < k) v.z = from[at + 2];
      if (i + at + 3 < k) v.w = from[at + 3];
    }
    to[j] = v.x;
    to[j + 1] = v.y;
    to[j + 2] = v.z;
    to[j + 3] = v.w;
  }
}

__device__ __forceinline__ void put(panel &p, const float (&from)[8], int row, int i) {
#pragma unroll
  for (int j = 0; j < 8; ++j)
    p.x[i + j % 4 + j / 4 * 8][row] = from[j];
}

__device__ __forceinline__ void take(float (&to)[8], const float *row, int first) {
  const float4 low = *reinterpret_cast<const float4 *>(row + first);
  const float4 high = *reinterpret_cast<const float4 *>(row + kBlock / 2 + first);
  to[0] = low.x;
  to[1] = low.y;
  to[2] = low.z;
  to[3] = low.w;
  to[4] = high.x;
  to[5] = high.y;
  to[6] = high.z;
  to[7] = high.w;
}

__device__ __forceinline__ void multiply(float (&sum)[8][8], const panel &left, const panel &right, int x, int y) {
#pragma unroll
  for (int i = 0; i < kDepth; ++i) {
    float a[8], b[8];
    take(a, left.x[i], y * 4);
    take(b, right.x[i], x * 4);
#pragma unroll
    for (int u = 0; u < 8; ++u) {
#pragma unroll
      for (int v = 0; v < 8; ++v)
        sum[u][v] = fmaf(a[u], b[v], sum[u][v]);
    }
  }
}

__device__ __forceinline__ void store4(float *row, int column, int n, const float *from) {
  if (n % 4 == 0) {
    if (column < n) *reinterpret_cast<float4 *>(row + column) = make_float4(from[0], from[1], from[2], from[3]);
    return;
  }
#pragma unroll
  for (int v = 0; v < 4; ++v)
    if (column + v < n) row[column + v] = from[v];
}

template <bool ALIGNED>
__global__ void __launch_bounds__(kThreads, ALIGNED ? 2 : 1)
    blocked(const float *a, const float *b, float *c, size s, int across) {
  __shared__ __align__(16) panel left[2], right[2];
  const int thread = static_cast<int>(threadIdx.x), x = thread % 16, y = thread / 16;
  const int row0 = static_cast<int>(blockIdx.x) / across * kBlock;
  const int column0 = static_cast<int>(blockIdx.x) % across * kBlock;
  const int row = thread / 2, part = thread % 2 * 4;
  float sum[8][8] = {}, next_a[8], next_b[8];
  fetch<ALIGNED>(next_a, a, row0 + row, s.m, part, s.k);
  fetch<ALIGNED>(next_b, b, column0 + row, s.n, part, s.k);
  put(left[0], next_a, row, part);
  put(right[0], next_b, row, part);
  __syncthreads();
  int half = 0;
  for (int i = kDepth; i < s.k; i += kDepth) {
    fetch<ALIGNED>(next_a, a, row0 + row, s.m, i + part, s.k);
    fetch<ALIGNED>(next_b, b, column0 + row, s.n, i + part, s.k);
    multiply(sum, left[half], right[half], x, y);
    half ^= 1;  // at the last barrier, all threads had finished reading the half that is now overwritten
    put(left[half], next_a, row, part);
    put(right[half], next_b, row, part);
    __syncthreads();
  }
  multiply(sum, left[half], right[half], x, y);
#pragma unroll
  for (int u = 0; u < 8; ++u) {
    const int to = row0 + u / 4 * (kBlock / 2) + y * 4 + u % 4;
    if (to >= s.m) continue;
    float *out = c + static_cast<int64_t>(to) * s.n;
    store4(out, column0 + x * 4, s.n, sum[u]);
    store4(out, column0 + kBlock / 2 + x * 4, s.n, sum[u] + 4);
  }
}

// ---- Launch --------------------------------------------------------------------------------------------------------

size size_of(const matmul_problem *p) {
  return {static_cast<int>(p->m), static_cast<int>(p->n), static_cast<int>(p->k)};
}

int tiles(int64_t extent, int tile) {
  return static_cast<int>((extent + tile - 1) / tile);
}

template <typename T, typename O>
int launch_naive(const matmul_problem *p, cudaStream_t stream) {
  const int across = tiles(p->n, kNaiveColumns);
  const int64_t blocks = static_cast<int64_t>(across) * tiles(p->m, kNaiveRows);
  naive<T, O><<<static_cast<unsigned>(blocks), dim3(kNaiveColumns, kNaiveRows), 0, stream>>>(
      static_cast<const T *>(p->a), static_cast<const T *>(p->b), static_cast<O *>(p->c), size_of(p), across);
  return cudaPeekAtLastError();
}

template <typename T, typename O>
int launch_tiled(const matmul_problem *p, cudaStream_t stream) {
  const int across = tiles(p->n, kTile);
  const int64_t blocks = static_cast<int64_t>(across) * tiles(p->m, kTile);
  tiled<T, O><<<static_cast<unsigned>(blocks), dim3(kTile, kTile), 0, stream>>>(
      static_cast<const T *>(p->a), static_cast<const T *>(p->b), static_cast<O *>(p->c), size_of(p), across);
  return cudaPeekAtLastError();
}

}  // namespace
}  // namespace matmul

const char *matmul_cuda_error(int code) {
  return cudaGetErrorString(static_cast<cudaError_t>(code));
}

int matmul_cuda_naive(const matmul_problem *p, struct CUstream_st *stream) {
  switch (p->dtype) {
    case MATMUL_FP32:
      return matmul::launch_naive<float, float>(p, stream);
    case MATMUL_FP16:
      return matmul::launch_naive<__half, __half>(p, stream);
    case MATMUL_BF16:
      return matmul::launch_naive<__nv_bfloat16, __nv_bfloat16>(p, stream);
    default:
      return matmul::launch_naive<__nv_fp8_e4m3, __nv_bfloat16>(p, stream);
  }
}

int matmul_cuda_tiled(const matmul_problem *p, struct CUstream_st *stream) {
  switch (p->dtype) {
    case MATMUL_FP32:
      return matmul::launch_tiled<float, float>(p, stream);
    case MATMUL_FP16:
      return matmul::launch_tiled<__half, __half>(p, stream);
    case MATMUL_BF16:
      return matmul::launch_tiled<__nv_bfloat16, __nv_bfloat16>(p, stream);
    default:
      return matmul::launch_tiled<__nv_fp8_e4m3, __nv_bfloat16>(p, stream);
  }
}

int matmul_cuda_register(const matmul_problem *p, struct CUstream_st *stream) {
  const int across = matmul::tiles(p->n, matmul::kBlock);
  const int64_t blocks = static_cast<int64_t>(across) * matmul::tiles(p->m, matmul::kBlock);
  const auto function = p->k % 4 == 0 ? matmul::blocked<true> : matmul::blocked<false>;
  function<<<static_cast<unsigned>(blocks), matmul::kThreads, 0, stream>>>(
      static_cast<const float *>(p->a), static_cast<const float *>(p->b), static_cast<float *>(p->c),
      matmul::size_of(p), across);
  return cudaPeekAtLastError();
}
