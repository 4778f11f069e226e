// Cross-entropy for CUDA, with one block per row. Only one number per row is written, so that a row need not be kept on
// chip between two passes. This file does not use the plugin interface.
#include "kernels.h"
#include "part.cuh"

namespace softmax {
namespace {

constexpr int kFlight = 4;  // packs (16 bytes each) that a thread loads at a time
constexpr int kUnit = 8;    // packs in a cache line of 128 bytes; parts of a row begin at such lines

template <typename T>
struct Problem {
  const T *__restrict__ x;
  const int32_t *__restrict__ target;
  float *__restrict__ loss;
  int n;
};

// Calls f for the elements of this thread: for those of kFlight packs at a time, then for its edge element (see
// part.cuh). Elements beyond the end of the row are passed to f as `none`.
template <int kThreads, typename T, typename F>
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

// The variant "online", which computes maximum and sum in one pass. The maximum of two 16-bit elements is computed by
// one instruction, and the maximum so far is kept as an exponent of 2 (see LogStat).
struct Online {
  template <int kThreads, typename T>
  static __device__ __forceinline__ LogStat stat_of(const Part<T> &part, const T *x) {
    constexpr int kWidth = Part<T>::kWidth;
    constexpr unsigned kNone = Greatest<T>::kNone;
    const uint4 *from = reinterpret_cast<const uint4 *>(x) + part.begin;
    LogStat s = {neg_inf(), 0.0f};
    for (int first = int(threadIdx.x); first < part.high; first += kFlight * kThreads) {
      uint4 pack[kFlight];
#pragma unroll
      for (int k = 0; k < kFlight; k++) {
        pack[k] = make_uint4(kNone, kNone, kNone, kNone);
        if (const int p = first + k * kThreads; p >= part.low && p < part.high) pack[k] = load_pack(from + p);
      }
      unsigned most = kNone;
#pragma unroll
      for (int k = 0; k < kFlight; k++)
        most = Greatest<T>::of(most, greatest_of<T>(pack[k]));
      const float log = fmaxf(s.log, log_of(Greatest<T>::value(most))), shift = shift_of(log);
      float sum[2] = {s.sum * exp2_fast(s.log - shift), 0.0f};
#pragma unroll
      for (int k = 0; k < kFlight; k++) {
        float v[kWidth];
        Pack<T>::unpack(pack[k], v);
#pragma unroll
        for (int i = 0; i < kWidth; i++)
          sum[i % 2] += exp_apart(v[i], shift);
      }
      s = {log, sum[0] + sum[1]};
    }
    const float edge = part.edge >= 0 ? to_float(x[part.begin * kWidth + part.edge]) : neg_inf();
    const float log = fmaxf(s.log, log_of(edge)), shift = shift_of(log);
    return {log, s.sum * exp2_fast(s.log - shift) + exp_apart(edge, shift)};
  }

  template <int kThreads, typename T>
  static __device__ __forceinline__ float of(const Problem<T> &problem, int64_t row) {
    __shared__ LogStat stats[kMaxWarps];
    const LogStat s = block_merge(stat_of<kThreads>(Part<T>(row, problem.n, 0, 1, kUnit), problem.x), stats);
    const float target = to_float(problem.x[row * problem.n + problem.target[row]]);
    // With one element the loss is exactly 0, or NaN. The formula below would leave a rounding error.
    if (problem.n == 1) return target - target;
    // s.log is the maximum times log2(e) rounded to float. The target is multiplied by the same rounded log2(e), so
    // that the rounding error cancels.
    const double apart = double(s.log) - double(target) * double(1.4426950408889634f);
    return logf(s.sum) + float(apart * 0.69314718055994531);
  }
};

struct Read {
  template <int kThreads, typename T>
  static __device__ __forceinline__ float of(const Problem<T> &problem, int64_t row) {
    __shared__ float sums[kMaxWarps];
    float sum[2] = {};
    for_each<kThreads>(Part<T>(row, problem.n, 0, 1, kUnit), problem.x, 0.0f, [&](const float *v, int count) {
#pragma unroll
      for (int i = 0; i < count; i++)
        sum[i % 2] += v[i];
    });
    return block_sum(sum[0] + sum[1], sums);
  }
};

struct Naive {
  template <int kThreads, typename T>
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

template <int kThreads, typename T, typename Loss>
__global__ void __launch_bounds__(kThreads) cross_entropy(const Problem<T> problem) {
  const float loss = Loss::template of<kThreads>(problem, int64_t(blockIdx.x));
  if (threadIdx.x == 0) problem.loss[blockIdx.x] = loss;
}

// longest row for a block of 256 threads; in a small block, fewer threads wait at the end of a row
constexpr int64_t kShort = 65536;

template <typename T, typename Loss>
int launch(const cross_entropy_call &call) {
  const Problem<T> problem = {static_cast<const T *>(call.x), call.target, call.loss, int(call.n)};
  if (call.n <= kShort)
    cross_entropy<256, T, Loss><<<unsigned(call.m), 256, 0, call.stream>>>(problem);
  else
    cross_entropy<512, T, Loss><<<unsigned(call.m), 512, 0, call.stream>>>(problem);
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
