// The expected results of matmul_sizes.cu: random inputs, every element in fp64 with the error that rounding may cause,
// and guard bytes around c.
#ifndef TESTS_MATMUL_EXPECTED_CUH
#define TESTS_MATMUL_EXPECTED_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels.h"

namespace expected {

inline void check_cuda(cudaError_t code) {
  if (code == cudaSuccess) return;
  fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(code));
  exit(1);
}

constexpr int64_t kGuard = 4096;    // bytes on both sides of c
constexpr int64_t kBehind = 65536;  // bytes after a and b
constexpr int kPoison = 0xff;       // NaN in every storage type

struct finding {
  // Number of wrong elements, index of the first, number of changed bytes around c.
  unsigned long long wrong, first, outside;
  double is, must;
};

struct buffers {
  unsigned char *a, *b, *c;
  float *workspace;      // as large as a and b together
  double *sums, *slack;  // for each element of c: the expected value, and the allowed error
  finding *found;
};

inline buffers open(int64_t most_outputs, int64_t most_inputs) {
  buffers m = {};
  check_cuda(cudaMalloc(&m.a, static_cast<size_t>(most_inputs * 4 + kBehind)));
  check_cuda(cudaMalloc(&m.b, static_cast<size_t>(most_inputs * 4 + kBehind)));
  check_cuda(cudaMalloc(&m.c, static_cast<size_t>(most_outputs * 4 + 2 * kGuard)));
  check_cuda(cudaMalloc(&m.workspace, static_cast<size_t>(most_inputs * 8)));
  check_cuda(cudaMalloc(&m.sums, static_cast<size_t>(most_outputs) * sizeof(double)));
  check_cuda(cudaMalloc(&m.slack, static_cast<size_t>(most_outputs) * sizeof(double)));
  check_cuda(cudaMalloc(&m.found, sizeof(finding)));
  return m;
}

inline void close(buffers *m) {
  void *const all[] = {m->a, m->b, m->c, m->workspace, m->sums, m->slack, m->found};
  for (void *memory : all)
    check_cuda(cudaFree(memory));
}

__device__ inline double value(float x) {
  return x;
}
__device__ inline double value(__half x) {
  return __half2float(x);
}
__device__ inline double value(__nv_bfloat16 x) {
  return __bfloat162float(x);
}
__device__ inline double value(__nv_fp8_e4m3 x) {
  return static_cast<float>(x);
}

template <typename T>
__device__ T stored(float x, bool) {
  return T(x);
}
template <>
__device__ inline float stored<float>(float x, bool whole) {  // if not `whole`: rounded to a value that tf32 holds
  return whole ? x : __uint_as_float((__float_as_uint(x) + 0x1000) & 0xffffe000u);
}

// Fills with normally distributed values, mean 0, standard deviation 1.
template <typename T>
__global__ void fill(T *to, int64_t count, uint64_t seed, bool whole) {
  for (int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x; i < count; i += int64_t(gridDim.x) * blockDim.x) {
    uint64_t x = seed + static_cast<uint64_t>(i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    x ^= x >> 31;
    const float radius = sqrtf(-2.0f * logf((static_cast<float>(x >> 40) + 0.5f) * 0x1p-24f));
    to[i] = stored<T>(radius * cospif(static_cast<float>(x & 0xffffff) * 0x1p-23f), whole);
  }
}

// Tensor cores truncate sums: each sum may be off by one fp32 step, always in the same direction, for every 8 to 32
// products. A missing or doubled product is typically off by 0.5, many times the allowed error.
constexpr double kSumError = 0x1p-22;

template <typename T>
__global__ void multiply(const T *a, const T *b, double *sums, double *slack, int64_t m, int64_t n, int64_t k,
                         double rounding) {
  constexpr int kTile = 16;
  __shared__ double left[kTile][kTile + 1], right[kTile][kTile + 1];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int64_t row = blockIdx.y * int64_t(kTile) + y, column = blockIdx.x * int64_t(kTile) + x;
  const int64_t b_row = blockIdx.x * int64_t(kTile) + y;
  double sum = 0, size = 0;
  for (int64_t i = 0; i < k; i += kTile) {
    left[y][x] = row < m && i + x < k ? value(a[row * k + i + x]) : 0;
    right[y][x] = b_row < n && i + x < k ? value(b[b_row * k + i + x]) : 0;
    __syncthreads();
    for (int j = 0; j < kTile; ++j) {
      sum += left[y][j] * right[x][j];
      size += fabs(left[y][j] * right[x][j]);
    }
    __syncthreads();
  }
  if (row >= m || column >= n) return;
  sums[row * n + column] = sum;
  const double error = kSumError * (8 + sqrt(static_cast<double>(k))) * size;
  slack[row * n + column] = error + rounding * (fabs(sum) + error) + 0x1p-24;
}

template <typename T>
__global__ void search(const unsigned char *c, const double *sums, const double *slack, double more, int64_t count,
                       finding *found) {
  const T *elements = reinterpret_cast<const T *>(c + kGuard);
  const int64_t bytes = count * static_cast<int64_t>(sizeof(T));
  for (int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x; i < count + 2 * kGuard;
       i += int64_t(gridDim.x) * blockDim.x) {
    if (i >= count) {
      const int64_t byte = i - count < kGuard ? i - count : i - count + bytes;
      if (c[byte] != kPoison) atomicAdd(&found->outside, 1ull);
    } else if (!(fabs(value(elements[i]) - sums[i]) <= slack[i] + more)) {
      atomicAdd(&found->wrong, 1ull);
      atomicMin(&found->first, static_cast<unsigned long long>(i));
    }
  }
}

template <typename T>
__global__ void show(const unsigned char *c, const double *sums, finding *found) {
  if (found->wrong == 0) return;
  found->is = value(reinterpret_cast<const T *>(c + kGuard)[found->first]);
  found->must = sums[found->first];
}

template <typename T>
void state_as(buffers *memory, int64_t m, int64_t n, int64_t k, uint64_t seed, double rounding, bool whole = false) {
  const int64_t size = static_cast<int64_t>(sizeof(T));
  check_cuda(cudaMemsetAsync(memory->a, kPoison, static_cast<size_t>(m * k * size + kBehind)));
  check_cuda(cudaMemsetAsync(memory->b, kPoison, static_cast<size_t>(n * k * size + kBehind)));
  T *a = reinterpret_cast<T *>(memory->a), *b = reinterpret_cast<T *>(memory->b);
  fill<<<256, 256>>>(a, m * k, seed, whole);
  fill<<<256, 256>>>(b, n * k, ~seed, whole);
  const dim3 grid(static_cast<unsigned>((n + 15) / 16), static_cast<unsigned>((m + 15) / 16));
  multiply<<<grid, dim3(16, 16)>>>(a, b, memory->sums, memory->slack, m, n, k, rounding);
  check_cuda(cudaGetLastError());
}

// Draws a and b and computes the expected c. Rounding to nearest allows half a step of the type that c is stored in.
// `whole`: the fp32 inputs have all their bits.
inline void state(buffers *memory, int64_t m, int64_t n, int64_t k, int dtype, bool whole, uint64_t seed) {
  switch (dtype) {
    case MATMUL_FP32:
      return state_as<float>(memory, m, n, k, seed, 0x1p-24, whole);
    case MATMUL_FP16:
      return state_as<__half>(memory, m, n, k, seed, 0x1p-11);
    case MATMUL_BF16:
      return state_as<__nv_bfloat16>(memory, m, n, k, seed, 0x1p-8);
    default:
      return state_as<__nv_fp8_e4m3>(memory, m, n, k, seed, 0x1p-8);
  }
}

// Fills c before a product, so that no element is right by chance.
inline void poison(buffers *memory, int64_t bytes) {
  check_cuda(cudaMemsetAsync(memory->c, kPoison, static_cast<size_t>(bytes + 2 * kGuard)));
}

template <typename T>
finding compare_as(const buffers *memory, int64_t count, double more) {
  finding found = {0, ~0ull, 0, 0, 0};
  check_cuda(cudaMemcpyAsync(memory->found, &found, sizeof found, cudaMemcpyHostToDevice));
  search<T><<<512, 256>>>(memory->c, memory->sums, memory->slack, more, count, memory->found);
  show<T><<<1, 1>>>(memory->c, memory->sums, memory->found);
  check_cuda(cudaGetLastError());
  check_cuda(cudaMemcpy(&found, memory->found, sizeof found, cudaMemcpyDeviceToHost));
  return found;
}

// `more` is the error that a variant is allowed in addition.
inline finding compare(const buffers *memory, int64_t m, int64_t n, int dtype, double more) {
  if (dtype == MATMUL_FP32) return compare_as<float>(memory, m * n, more);
  return dtype == MATMUL_FP16 ? compare_as<__half>(memory, m * n, more)
                              : compare_as<__nv_bfloat16>(memory, m * n, more);
}

// Returns the error that sums of `k` products of normally distributed e4m3 values may have if they stay in Hopper's
// tensor cores. These add 32 products at a time to the sum. Each term of such an addition is cut to 14 bits, counted
// from the leading bit of the largest term, which is seldom above 5 sqrt(k).
inline double tensor_core_error(int64_t k) {
  const double steps = static_cast<double>(k) / 32 + 1, largest = 5 * sqrt(static_cast<double>(k));
  return 0x1p-13 * largest * (3 * sqrt(steps) + 0.2 * steps);
}

}  // namespace expected
#endif
