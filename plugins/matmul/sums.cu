// The GPU's part of Freivalds' check (explained in check_sums.c): weighted sums in float64 of the inputs and of c, and
// the index of the first sum of c that differs from the expected one. Each sum is added in a fixed order, so that the
// same data gives the same bits.
#include "kernels.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

namespace matmul {
namespace {

constexpr int kVectors = MATMUL_VECTORS, kWarp = 32;

__device__ __forceinline__ double to_double(float x) {
  return x;
}
__device__ __forceinline__ double to_double(__half x) {
  return __half2float(x);
}
__device__ __forceinline__ double to_double(__nv_bfloat16 x) {
  return __bfloat162float(x);
}
__device__ __forceinline__ double to_double(__nv_fp8_e4m3 x) {
  return static_cast<float>(x);
}

__device__ __forceinline__ int64_t line_at(const int64_t *line, int64_t i) {
  return line != nullptr ? line[i] : i;
}

struct weights {
  double of[kVectors];
};

// ---- Blocks of b: vectors[block][v][l] = sum of weight[j][v] * b[j][l] ---------------------------------------------
// Each lane has one l, an index along k. The warps of a thread block alternate over the rows j of b; their sums are
// added in the order of the warps.

constexpr int kWarps = 8;

template <typename T>
__global__ void __launch_bounds__(kWarp *kWarps) weigh(matmul_sums s, int64_t first, int64_t depth) {
  __shared__ double part[kWarps][kVectors][kWarp];
  const int lane = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.y);
  const int64_t l = static_cast<int64_t>(blockIdx.x) * kWarp + lane, block = blockIdx.y;
  const int64_t begin = block * s.width, end = min(begin + s.width, s.columns);
  const T *b = static_cast<const T *>(s.b) + first + l;
  double sum[kVectors] = {};
  if (l < depth) {
#pragma unroll 8
    for (int64_t j = begin + warp; j < end; j += kWarps) {
      const double x = to_double(b[line_at(s.column, j) * s.k]);
      const double2 *w = reinterpret_cast<const double2 *>(s.weight + j * kVectors);
      const double2 low = w[0], high = w[1];
      sum[0] += low.x * x;
      sum[1] += low.y * x;
      sum[2] += high.x * x;
      sum[3] += high.y * x;
    }
  }
#pragma unroll
  for (int v = 0; v < kVectors; v++)
    part[warp][v][lane] = sum[v];
  __syncthreads();
  if (warp >= kVectors || l >= depth) return;
  double all = 0;
  for (int i = 0; i < kWarps; i++)
    all += part[i][warp][lane];
  s.vectors[(block * kVectors + warp) * depth + l] = all;
}

// ---- Rows of a with all vectors: sums[i][vector] = sum of a[i][l] * vectors[vector][l] -----------------------------
//
// A block computes 64 rows by 32 vectors, a thread 4 x 4 of them. The next step is loaded while one is summed.

constexpr int kRows = 64, kAcross = 32, kDepth = 16, kThreads = 128, kEach = 4;
constexpr int kFetchA = kRows * kDepth / kThreads, kFetchW = kAcross * kDepth / kThreads;
constexpr int kStep = kThreads / kDepth;  // distance between the rows that a thread loads

struct tiles {
  double a[kDepth][kRows + 2];
  double w[kDepth][kAcross + 2];
};

__device__ __forceinline__ void add_products(double (&sum)[kEach][kEach], const tiles &t, int down, int across) {
#pragma unroll
  for (int l = 0; l < kDepth; l++) {
    const double2 *left = reinterpret_cast<const double2 *>(&t.a[l][down]);
    const double2 *right = reinterpret_cast<const double2 *>(&t.w[l][across]);
    const double2 a0 = left[0], a1 = left[1], w0 = right[0], w1 = right[1];
    const double a[kEach] = {a0.x, a0.y, a1.x, a1.y}, w[kEach] = {w0.x, w0.y, w1.x, w1.y};
#pragma unroll
    for (int i = 0; i < kEach; i++)
#pragma unroll
      for (int j = 0; j < kEach; j++)
        sum[i][j] += a[i] * w[j];
  }
}

template <typename T>
__global__ void __launch_bounds__(kThreads) add_rows(matmul_sums s, int64_t first, int64_t depth) {
  __shared__ __align__(16) tiles t;
  const int thread = static_cast<int>(threadIdx.x), l = thread % kDepth, line = thread / kDepth;
  const int down = thread / (kAcross / kEach) * kEach, across = thread % (kAcross / kEach) * kEach;
  const int64_t row0 = static_cast<int64_t>(blockIdx.x) * kRows, vector0 = static_cast<int64_t>(blockIdx.y) * kAcross;
  const int64_t vectors = s.blocks * kVectors;
  const T *a[kFetchA];
  const double *w[kFetchW];
#pragma unroll
  for (int u = 0; u < kFetchA; u++)  // indices past the end load the last row or vector again, which is then not used
    a[u] = static_cast<const T *>(s.a) + line_at(s.row, min(row0 + line + u * kStep, s.rows - 1)) * s.k + first + l;
#pragma unroll
  for (int u = 0; u < kFetchW; u++)
    w[u] = s.vectors + min(vector0 + line + u * kStep, vectors - 1) * depth + l;

  T next_a[kFetchA];  // converted to double only later, because a conversion here would wait for the load
  double sum[kEach][kEach] = {}, next_w[kFetchW];
  const auto fetch = [&](int64_t at) {
    const bool inside = at + l < depth;
#pragma unroll
    for (int u = 0; u < kFetchA; u++)
      next_a[u] = inside ? a[u][at] : T(0.0f);
#pragma unroll
    for (int u = 0; u < kFetchW; u++)
      next_w[u] = inside ? w[u][at] : 0.0;
  };
  fetch(0);
  for (int64_t at = 0; at < depth; at += kDepth) {
#pragma unroll
    for (int u = 0; u < kFetchA; u++)
      t.a[l][line + u * kStep] = to_double(next_a[u]);
#pragma unroll
    for (int u = 0; u < kFetchW; u++)
      t.w[l][line + u * kStep] = next_w[u];
    __syncthreads();
    fetch(at + kDepth);
    add_products(sum, t, down, across);
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kEach; i++) {
    const int64_t row = row0 + down + i;
    if (row >= s.rows || vector0 + across >= vectors) continue;
    double *to = s.sums + row * vectors + vector0 + across;
#pragma unroll
    for (int j = 0; j < kEach; j++)
      to[j] = first > 0 ? to[j] + sum[i][j] : sum[i][j];
  }
}

// ---- c: the same sums of the output, and its squares, compared with the expected sums ------------------------------
//
// A warp has four rows of a block of columns. The weights pass through shared memory.

constexpr int kHeld = 4, kChunk = 256, kSums = kVectors + 1;

template <typename T>
__global__ void __launch_bounds__(kWarp *kWarps) compare(matmul_sums s, double factor, double rms) {
  __shared__ double2 weight[2][kChunk];
  const int lane = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.y);
  const int thread = warp * kWarp + lane;
  const int64_t block = blockIdx.x % s.blocks, row0 = (blockIdx.x / s.blocks * kWarps + warp) * kHeld;
  const int64_t begin = block * s.width, end = min(begin + s.width, s.columns);
  const T *c[kHeld];
#pragma unroll
  for (int r = 0; r < kHeld; r++)
    c[r] = static_cast<const T *>(s.c) + line_at(s.row, min(row0 + r, s.rows - 1)) * s.n;

  double sum[kHeld][kSums] = {};
  for (int64_t chunk = begin; chunk < end; chunk += kChunk) {
    __syncthreads();
    for (int u = thread; u < kChunk; u += kWarp * kWarps) {
      const double2 *w = reinterpret_cast<const double2 *>(s.weight + (chunk + u) * kVectors), none = {0, 0};
      const bool inside = chunk + u < end;
      weight[0][u] = inside ? w[0] : none;
      weight[1][u] = inside ? w[1] : none;
    }
    __syncthreads();
#pragma unroll 4
    for (int u = lane; u < kChunk; u += kWarp) {  // no early exit, so that several loads are in flight
      const bool inside = chunk + u < end;
      const int64_t column = inside ? line_at(s.column, chunk + u) : 0;
      const double2 low = weight[0][u], high = weight[1][u];
#pragma unroll
      for (int r = 0; r < kHeld; r++) {
        const double x = inside ? to_double(c[r][column]) : 0.0;
        sum[r][0] += low.x * x;
        sum[r][1] += low.y * x;
        sum[r][2] += high.x * x;
        sum[r][3] += high.y * x;
        sum[r][kVectors] += x * x;
      }
    }
  }
#pragma unroll
  for (int r = 0; r < kHeld; r++)
#pragma unroll
    for (int v = 0; v < kSums; v++)
#pragma unroll
      for (int far = kWarp / 2; far > 0; far /= 2)
        sum[r][v] += __shfl_xor_sync(0xffffffffu, sum[r][v], far);
  if (lane != 0) return;
#pragma unroll
  for (int r = 0; r < kHeld; r++) {
    if (row0 + r >= s.rows) continue;
    const int64_t at = (row0 + r) * s.blocks + block;
    const double bound = factor * (sqrt(sum[r][kVectors]) + rms * sqrt(static_cast<double>(end - begin)));
    bool right = true;
#pragma unroll
    for (int v = 0; v < kSums; v++)
      s.measured[at * kSums + v] = sum[r][v];
#pragma unroll
    for (int v = 0; v < kVectors; v++)
      right = right && fabs(sum[r][v] - s.sums[at * kVectors + v]) <= bound;  // false for NaN
    if (!right) atomicMin(s.wrong, static_cast<unsigned long long>(at));
  }
}

// ---- The sample ---------------------------------------------------------------------------------------------------

template <typename T>
__global__ void gather(matmul_sums s) {
  const int64_t at = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (at >= s.sample_rows * s.sample_columns) return;
  const int64_t row = s.sample_row[at / s.sample_columns], column = s.sample_column[at % s.sample_columns];
  s.sample[at] = to_double(static_cast<const T *>(s.c)[row * s.n + column]);
}

// ---- Launches -----------------------------------------------------------------------------------------------------

int64_t parts(int64_t whole, int64_t part) {
  return (whole + part - 1) / part;
}

template <typename T>
int state(const matmul_sums &s, cudaStream_t stream) {
  for (int64_t first = 0; first < s.k; first += s.depth) {
    const int64_t depth = s.k - first < s.depth ? s.k - first : s.depth;
    const dim3 lanes(kWarp, kWarps),
        across(static_cast<unsigned>(parts(depth, kWarp)), static_cast<unsigned>(s.blocks));
    const dim3 tiles(static_cast<unsigned>(parts(s.rows, kRows)),
                     static_cast<unsigned>(parts(s.blocks * kVectors, kAcross)));
    weigh<T><<<across, lanes, 0, stream>>>(s, first, depth);
    add_rows<T><<<tiles, kThreads, 0, stream>>>(s, first, depth);
  }
  return cudaGetLastError();
}

template <typename T>
int hold(const matmul_sums &s, double factor, double rms, cudaStream_t stream) {
  const int64_t blocks = parts(s.rows, kHeld * kWarps) * s.blocks;
  compare<T><<<static_cast<unsigned>(blocks), dim3(kWarp, kWarps), 0, stream>>>(s, factor, rms);
  return cudaGetLastError();
}

template <typename T>
int take(const matmul_sums &s, cudaStream_t stream) {
  const int64_t blocks = parts(s.sample_rows * s.sample_columns, kWarp * kWarps);
  gather<T><<<static_cast<unsigned>(blocks), kWarp * kWarps, 0, stream>>>(s);
  return cudaGetLastError();
}

}  // namespace
}  // namespace matmul

int matmul_cuda_state_sums(const matmul_sums *s, struct CUstream_st *stream) {
  switch (s->dtype) {
    case MATMUL_FP32:
      return matmul::state<float>(*s, stream);
    case MATMUL_FP16:
      return matmul::state<__half>(*s, stream);
    case MATMUL_BF16:
      return matmul::state<__nv_bfloat16>(*s, stream);
    default:
      return matmul::state<__nv_fp8_e4m3>(*s, stream);
  }
}

int matmul_cuda_compare_sums(const matmul_sums *s, double factor, double rms, struct CUstream_st *stream) {
  const cudaError_t error = cudaMemsetAsync(s->wrong, 0xFF, sizeof *s->wrong, stream);
  if (error != cudaSuccess) return error;
  switch (s->dtype) {
    case MATMUL_FP32:
      return matmul::hold<float>(*s, factor, rms, stream);
    case MATMUL_FP16:
      return matmul::hold<__half>(*s, factor, rms, stream);
    default:
      return matmul::hold<__nv_bfloat16>(*s, factor, rms, stream);
  }
}

int matmul_cuda_take_sample(const matmul_sums *s, struct CUstream_st *stream) {
  switch (s->dtype) {
    case MATMUL_FP32:
      return matmul::take<float>(*s, stream);
    case MATMUL_FP16:
      return matmul::take<__half>(*s, stream);
    default:
      return matmul::take<__nv_bfloat16>(*s, stream);
  }
}
