// Arithmetic and reductions of the CUDA softmax kernels, in fp32. exp takes one multiplication and the instruction
// ex2.approx.
#ifndef SOFTMAX_DEVICE_CUH
#define SOFTMAX_DEVICE_CUH

#include <cuda_runtime.h>

#include "../shared/packs.cuh"

namespace softmax {

using namespace packs;

constexpr int kMaxWarps = 32;  // warps of a block

struct Stat {  // maximum of some elements and the sum of exp(element - maximum)
  float max;
  float sum;
};

__device__ __forceinline__ float neg_inf() {
  return __uint_as_float(0xff800000u);
}

__device__ __forceinline__ float exp_fast(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x * 1.4426950408889634f));
  return y;
}

// Returns the value to subtract from elements before exp is computed: the maximum, or 0 if the maximum is -inf. That
// maximum means that no finite element was found so far. Subtracting it would compute -inf - -inf = NaN, although the
// row may have finite elements elsewhere. A row in which all elements are -inf still becomes 0 * (1 / 0) = NaN.
__device__ __forceinline__ float shift_of(float max) {
  return max == neg_inf() ? 0.0f : max;
}

// ---- Reductions ----------------------------------------------------------------------------------------------------

__device__ __forceinline__ Stat merge(Stat a, Stat b) {
  const float max = fmaxf(a.max, b.max), shift = shift_of(max);
  return {max, a.sum * exp_fast(a.max - shift) + b.sum * exp_fast(b.max - shift)};
}

__device__ __forceinline__ Stat warp_merge(Stat s) {
  const float max = warp_max(s.max);
  return {max, warp_sum(s.sum * exp_fast(s.max - shift_of(max)))};
}

// Merges the values of all threads of a block, and returns the result to every thread. `part` is shared memory with one
// entry per warp.
template <typename S>
__device__ __forceinline__ S block_merge(S s, S *part) {
  const int lane = threadIdx.x % kWarp;
  const int warps = blockDim.x / kWarp;
  s = warp_merge(s);
  if (lane == 0) part[threadIdx.x / kWarp] = s;
  __syncthreads();
  return warp_merge(lane < warps ? part[lane] : S{neg_inf(), 0.0f});
}

__device__ __forceinline__ float block_max(float x, float *part) {
  const int lane = threadIdx.x % kWarp;
  x = warp_max(x);
  if (lane == 0) part[threadIdx.x / kWarp] = x;
  __syncthreads();
  return warp_max(lane < int(blockDim.x) / kWarp ? part[lane] : neg_inf());
}

__device__ __forceinline__ float block_sum(float x, float *part) {
  const int lane = threadIdx.x % kWarp;
  x = warp_sum(x);
  if (lane == 0) part[threadIdx.x / kWarp] = x;
  __syncthreads();
  return warp_sum(lane < int(blockDim.x) / kWarp ? part[lane] : 0.0f);
}

// ---- Maximum and sum, with the maximum as an exponent of 2 ---------------------------------------------------------
// A maximum is kept as maximum * log2(e), rounded to fp32. Then exp(x - maximum) takes one fused multiply-add and one
// ex2.approx. The rounding error is the same in all exponents of a row, so that it cancels in the result.

struct LogStat {  // log: maximum of some elements, times log2(e); sum: the sum of exp(element - maximum)
  float log;
  float sum;
};

__device__ __forceinline__ float exp2_fast(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

__device__ __forceinline__ float log2_fast(float x) {
  float y;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

// Returns max * log2(e). __fmul_rn keeps the compiler from fusing the product with an addition, because the product
// must be rounded in the same way everywhere.
__device__ __forceinline__ float log_of(float max) {
  return __fmul_rn(max, 1.4426950408889634f);
}

// Returns exp(x) / 2^shift.
__device__ __forceinline__ float exp_apart(float x, float shift) {
  return exp2_fast(fmaf(x, 1.4426950408889634f, -shift));
}

__device__ __forceinline__ LogStat merge(LogStat a, LogStat b) {
  const float log = fmaxf(a.log, b.log), shift = shift_of(log);
  return {log, a.sum * exp2_fast(a.log - shift) + b.sum * exp2_fast(b.log - shift)};
}

template <int kLanes = kWarp>
__device__ __forceinline__ LogStat warp_merge(LogStat s) {
  const float log = warp_max<kLanes>(s.log);
  return {log, warp_sum<kLanes>(s.sum * exp2_fast(s.log - shift_of(log)))};
}

// ---- Maxima of packs ----------------------------------------------------------------------------------------------

// Greatest<T>::of() returns the maxima of two words, each of which has one 4-byte element or two 2-byte elements. If
// one element is NaN, the other one is returned.
template <typename T>
struct Greatest;

template <>
struct Greatest<float> {
  static constexpr unsigned kNone = 0xff800000u;  // -inf
  static __device__ __forceinline__ unsigned of(unsigned a, unsigned b) {
    return __float_as_uint(fmaxf(__uint_as_float(a), __uint_as_float(b)));
  }
  static __device__ __forceinline__ float value(unsigned a) {
    return __uint_as_float(a);
  }
};

template <typename Two, typename Pair, unsigned kBoth>
struct GreatestOfTwo {
  static constexpr unsigned kNone = kBoth;
  static __device__ __forceinline__ unsigned of(unsigned a, unsigned b) {
    const Two m = __hmax2(*reinterpret_cast<const Two *>(&a), *reinterpret_cast<const Two *>(&b));
    return *reinterpret_cast<const unsigned *>(&m);
  }
  static __device__ __forceinline__ float value(unsigned a) {
    float f[2];
    Pair::split(a, f);
    return fmaxf(f[0], f[1]);
  }
};
template <>
struct Greatest<__half> : GreatestOfTwo<__half2, HalfPair, 0xfc00fc00u> {};
template <>
struct Greatest<__nv_bfloat16> : GreatestOfTwo<__nv_bfloat162, BfloatPair, 0xff80ff80u> {};

// Returns the maximum of the elements of a pack (16 bytes) as one word. For 16-bit types the word has two maxima, of
// the elements at even and at odd places.
template <typename T>
__device__ __forceinline__ unsigned greatest_of(const uint4 &v) {
  return Greatest<T>::of(Greatest<T>::of(v.x, v.y), Greatest<T>::of(v.z, v.w));
}

}  // namespace softmax

// Calls the function template `launch` with pointers of the right type for `dtype`.
#define SOFTMAX_DISPATCH_AS(launch, T) launch(static_cast<const T *>(x), static_cast<T *>(y), m, n, stream)
#define SOFTMAX_DISPATCH(launch)                                 \
  (dtype == SOFTMAX_FP32   ? SOFTMAX_DISPATCH_AS(launch, float)  \
   : dtype == SOFTMAX_FP16 ? SOFTMAX_DISPATCH_AS(launch, __half) \
                           : SOFTMAX_DISPATCH_AS(launch, __nv_bfloat16))

#endif
