// Cross-entropy for CUDA, a block per row: nothing but a number of each row is written, so nothing of it is kept. Knows
// nothing of the plugin ABI.
#include "kernels.h"
#include "part.cuh"

namespace softmax {
namespace {

constexpr int kThreads = 512;
constexpr int kFlight = 2;  // packs on their way to each thread
constexpr int kUnit = 8;    // packs: shares start at lines of 128 bytes

template <typename T>
struct Problem {
  const T *__restrict__ x;
  const int32_t *__restrict__ target;
  float *__restrict__ loss;
  int n;
};

// f(elements) for kFlight packs of this thread at a time, and the edge; what does not exist is `none`.
template <typename T, typename F>
__device__ __forceinline__ void for_each(const Part<T> &part, const T *x, float none, F f) {
  constexpr int kWidth = Part<T>::kWidth, kCount = kFlight * kWidth;
  const uint4 *from = reinterpret_cast<const uint4 *>(x) + part.begin;
  for (int first = int(threadIdx.x); first < part.high; first += kFlight * kThreads) {
    uint4 pack[kFlight];
    float v[kCount];
#pragma unroll
    for (int k = 0; k < kFlight; k++)
      if (const int p = first + k * kThreads; p >= part.low && p < part.high) pack[k] = load_pack(from + p);
#pragma unroll
    for (int k = 0; k < kFlight; k++) {
      const int p = first + k * kThreads;
      Pack<T>::unpack(pack[k], v + k * kWidth);
#pragma unroll
      for (int i = 0; i < kWidth; i++)
        if (p < part.low || p >= part.high) v[k * kWidth + i] = none;
    }
    f(v, kCount);
  }
  float edge[1] = {part.edge >= 0 ? to_float(x[part.begin * kWidth + part.edge]) : none};
  f(edge, 1);
}

struct Online {
  template <typename T>
  static __device__ __forceinline__ float of(const Problem<T> &problem, int64_t row) {
    __shared__ Stat stats[kMaxWarps];
    Stat s = {neg_inf(), 0.0f};
    for_each<T>(Part<T>(row, problem.n, 0, 0, kUnit), problem.x, neg_inf(), [&](const float *v, int count) {
      float max = s.max;
#pragma unroll
      for (int i = 0; i < count; i++)
        max = fmaxf(max, v[i]);
      const float shift = shift_of(max);
      float sum[2] = {s.sum * exp_fast(s.max - shift), 0.0f};
#pragma unroll
      for (int i = 0; i < count; i++)
        sum[i % 2] += exp_fast(v[i] - shift);
      s = {max, sum[0] + sum[1]};
    });
    s = block_merge(s, stats);
    return logf(s.sum) + (s.max - to_float(problem.x[row * problem.n + problem.target[row]]));
  }
};

struct Read {
  template <typename T>
  static __device__ __forceinline__ float of(const Problem<T> &problem, int64_t row) {
    __shared__ float sums[kMaxWarps];
    float sum[2] = {};
    for_each<T>(Part<T>(row, problem.n, 0, 0, kUnit), problem.x, 0.0f, [&](const float *v, int count) {
#pragma unroll
      for (int i = 0; i < count; i++)
        sum[i % 2] += v[i];
    });
    return block_sum(sum[0] + sum[1], sums);
  }
};

struct Naive {
  template <typename T>
  static __device__ __forceinline__ float of(const Problem<T> &problem, int64_t row) {
    __shared__ float maxima[kMaxWarps], sums[kMaxWarps];
    const T *x = problem.x + row * problem.n;
    float max = neg_inf(), sum = 0.0f;
#pragma unroll 8
    for (int i = int(threadIdx.x); i < problem.n; i += kThreads)
      max = fmaxf(max, to_float(x[i]));
    max = block_max(max, maxima);
    const float shift = shift_of(max);
#pragma unroll 8
    for (int i = int(threadIdx.x); i < problem.n; i += kThreads)
      sum += exp_fast(to_float(x[i]) - shift);
    return logf(block_sum(sum, sums)) + (max - to_float(x[problem.target[row]]));
  }
};

template <typename T, typename Loss>
__global__ void __launch_bounds__(kThreads) cross_entropy(const Problem<T> problem) {
  const float loss = Loss::of(problem, int64_t(blockIdx.x));
  if (threadIdx.x == 0) problem.loss[blockIdx.x] = loss;
}

template <typename T, typename Loss>
int launch(const cross_entropy_call &call) {
  cross_entropy<T, Loss><<<unsigned(call.m), kThreads, 0, call.stream>>>(
      {static_cast<const T *>(call.x), call.target, call.loss, int(call.n)});
  return cudaGetLastError();
}

template <typename Loss>
int dispatch(const cross_entropy_call *call) {
  return call->dtype == SOFTMAX_FP32   ? launch<float, Loss>(*call)
         : call->dtype == SOFTMAX_FP16 ? launch<__half, Loss>(*call)
                                       : launch<__nv_bfloat16, Loss>(*call);
}

}  // namespace
}  // namespace softmax

int cross_entropy_cuda_naive(const cross_entropy_call *call) {
  return softmax::dispatch<softmax::Naive>(call);
}

int cross_entropy_cuda_online(const cross_entropy_call *call) {
  return softmax::dispatch<softmax::Online>(call);
}

int cross_entropy_cuda_read(const cross_entropy_call *call) {
  return softmax::dispatch<softmax::Read>(call);
}
