// LayerNorm and RMSNorm for CUDA in passes over global memory (naive). Knows nothing of the plugin ABI.
#include <type_traits>

#include "norm.cuh"

namespace activations {
namespace {

constexpr int kMaxWarps = 32;  // of a block

// `part` holds one entry per warp. Every thread gets the sum.
__device__ __forceinline__ float block_sum(float x, float *part) {
  const int lane = threadIdx.x % kWarp;
  x = warp_sum(x);
  if (lane == 0) part[threadIdx.x / kWarp] = x;
  __syncthreads();
  return warp_sum(lane < int(blockDim.x) / kWarp ? part[lane] : 0.0f);
}

// The definition, one pass for each of mean, variance and result; kCentred: with a mean at all.
template <typename T, bool kCentred>
__global__ void naive(const T *__restrict__ x, const T *__restrict__ gamma, const T *__restrict__ beta,
                      T *__restrict__ y, int n) {
  __shared__ float sums[kMaxWarps], squares[kMaxWarps];
  const T *in = x + int64_t(blockIdx.x) * n;
  T *out = y + int64_t(blockIdx.x) * n;
  const int step = blockDim.x;

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

#pragma unroll 8
  for (int i = threadIdx.x; i < n; i += step) {
    const float b = kCentred ? to_float(beta[i]) : 0.0f;
    store(out + i, fmaf((to_float(in[i]) - mean) * scale, to_float(gamma[i]), b));
  }
}

// Long rows get more threads; short ones more blocks per multiprocessor.
int threads_for(int64_t n) {
  return n <= 256 ? 64 : n <= 1024 ? 128 : n <= 8192 ? 256 : 1024;
}

template <typename T, typename Norm>
int launch_naive(const activations_call &call) {
  constexpr bool kCentred = std::is_same<Norm, Layer>::value;
  naive<T, kCentred><<<unsigned(call.m), threads_for(call.n), 0, call.stream>>>(
      static_cast<const T *>(call.x), static_cast<const T *>(call.gamma), static_cast<const T *>(call.beta),
      static_cast<T *>(call.y), int(call.n));
  return cudaGetLastError();
}

}  // namespace
}  // namespace activations

using namespace activations;

int activations_cuda_layernorm_naive(const activations_call *call) {
  return ACTIVATIONS_DISPATCH(launch_naive, Layer);
}

int activations_cuda_rmsnorm_naive(const activations_call *call) {
  return ACTIVATIONS_DISPATCH(launch_naive, Rms);
}
