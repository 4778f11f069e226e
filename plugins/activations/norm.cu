// LayerNorm and RMSNorm for CUDA in several passes over global memory (the variant "naive"). This file does not use the
// plugin interface.
#include <type_traits>

#include "norm.cuh"

namespace activations {
namespace {

constexpr int kMaxWarps = 32;  // warps of a block

// Returns to every thread the sum of x over the block. `part` has one entry per warp.
__device__ __forceinline__ float block_sum(float x, float *part) {
  const int lane = threadIdx.x % kWarp;
  x = warp_sum(x);
  if (lane == 0) part[threadIdx.x / kWarp] = x;
  __syncthreads();
  return warp_sum(lane < int(blockDim.x) / kWarp ? part[lane] : 0.0f);
}

// Computes a norm by its definition, with one pass each for mean, variance and result. If kCentred, the norm is
// LayerNorm; otherwise it is RMSNorm, which has no mean. If kAdd, another pass first stores x + z. No barrier follows
// that pass, because each thread reads back only values that it wrote itself.
template <typename T, bool kCentred, bool kAdd, bool kSave>
__global__ void naive(const Rows<T> rows) {
  __shared__ float sums[kMaxWarps], squares[kMaxWarps];
  const int n = rows.n, step = blockDim.x;
  const int64_t start = int64_t(blockIdx.x) * n;
  const T *in = kAdd ? rows.s + start : rows.x + start, *gamma = rows.gamma, *beta = rows.beta;
  T *out = rows.y + start;
  if (kAdd) {
#pragma unroll 8
    for (int i = threadIdx.x; i < n; i += step)
      store(rows.s + start + i, to_float(rows.x[start + i]) + to_float(rows.z[start + i]));
  }

  float mean = 0.0f;
  if (kCentred) {
    float sum = 0.0f;
#pragma unroll 8
    for (int i = threadIdx.x; i < n; i += step)
      sum += to_float(in[i]);
    mean = block_sum(sum, sums) / float(n);
  }

  float square = 0.0f;
#pragma unroll 8
  for (int i = threadIdx.x; i < n; i += step) {
    const float d = to_float(in[i]) - mean;
    square += d * d;
  }
  const float scale = rsqrtf(block_sum(square, squares) / float(n) + ACTIVATIONS_EPSILON);
  if (kSave && threadIdx.x == 0)
    save<T, typename std::conditional<kCentred, Layer, Rms>::type>(rows, blockIdx.x, mean, scale);

#pragma unroll 8
  for (int i = threadIdx.x; i < n; i += step) {
    const float b = kCentred ? to_float(beta[i]) : 0.0f;
    store(out + i, fmaf((to_float(in[i]) - mean) * scale, to_float(gamma[i]), b));
  }
}

// Returns how many threads a block has for rows of n elements. For short rows it has fewer, so that a multiprocessor
// holds more blocks.
int threads_for(int64_t n) {
  return n <= 256 ? 64 : n <= 1024 ? 128 : n <= 8192 ? 256 : 1024;
}

template <typename T, typename Norm, bool kAdd, bool kSave>
int launch_naive(const activations_call &call) {
  constexpr bool kCentred = std::is_same<Norm, Layer>::value;
  naive<T, kCentred, kAdd, kSave><<<unsigned(call.m), threads_for(call.n), 0, call.stream>>>(rows_of<T>(call));
  return cudaGetLastError();
}

}  // namespace
}  // namespace activations

using namespace activations;

int activations_cuda_layernorm_naive(const activations_call *call) {
  return ACTIVATIONS_DISPATCH(launch_naive, Layer, false, false);
}

int activations_cuda_rmsnorm_naive(const activations_call *call) {
  return ACTIVATIONS_DISPATCH(launch_naive, Rms, false, false);
}

int activations_cuda_add_layernorm_naive(const activations_call *call) {
  return ACTIVATIONS_DISPATCH(launch_naive, Layer, true, false);
}

int activations_cuda_add_rmsnorm_naive(const activations_call *call) {
  return ACTIVATIONS_DISPATCH(launch_naive, Rms, true, false);
}

int activations_cuda_layernorm_saved_naive(const activations_call *call) {
  return ACTIVATIONS_DISPATCH(launch_naive, Layer, false, true);
}

int activations_cuda_rmsnorm_saved_naive(const activations_call *call) {
  return ACTIVATIONS_DISPATCH(launch_naive, Rms, false, true);
}
