// Arithmetic and reductions that the CUDA softmax kernels share: fp32, exp as one multiplication and one ex2.approx.
#ifndef SOFTMAX_DEVICE_CUH
#define SOFTMAX_DEVICE_CUH

#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <stdint.h>

namespace softmax {

constexpr int kWarp = 32;
constexpr unsigned kAll = 0xffffffffu;
constexpr int kMaxWarps = 32;  // of a block

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

// What to subtract before exp. A maximum of -inf means "no finite element so far": subtracting it would make NaN of
// -inf - -inf in the middle of a row that has finite elements elsewhere. Such a row alone ends as 0 * (1 / 0) = NaN.
__device__ __forceinline__ float shift_of(float max) {
  return max == neg_inf() ? 0.0f : max;
}

__device__ __forceinline__ float to_float(float x) {
  return x;
}
__device__ __forceinline__ float to_float(__nv_bfloat16 x) {
  return __bfloat162float(x);
}
__device__ __forceinline__ void store(float *p, float x) {
  *p = x;
}
__device__ __forceinline__ void store(__nv_bfloat16 *p, float x) {
  *p = __float2bfloat16_rn(x);
}

// ---- Reductions ----------------------------------------------------------------------------------------------------

__device__ __forceinline__ float warp_max(float x) {
#pragma unroll
  for (int d = kWarp / 2; d > 0; d /= 2)
    x = fmaxf(x, __shfl_xor_sync(kAll, x, d));
  return x;
}

__device__ __forceinline__ float warp_sum(float x) {
#pragma unroll
  for (int d = kWarp / 2; d > 0; d /= 2)
    x += __shfl_xor_sync(kAll, x, d);
  return x;
}

__device__ __forceinline__ Stat warp_merge(Stat s) {
  const float max = warp_max(s.max);
  return {max, warp_sum(s.sum * exp_fast(s.max - shift_of(max)))};
}

// `part` holds one entry per warp. Every thread gets the result.
__device__ __forceinline__ Stat block_merge(Stat s, Stat *part) {
  const int lane = threadIdx.x % kWarp;
  const int warps = blockDim.x / kWarp;
  s = warp_merge(s);
  if (lane == 0) part[threadIdx.x / kWarp] = s;
  __syncthreads();
  return warp_merge(lane < warps ? part[lane] : Stat{neg_inf(), 0.0f});
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

}  // namespace softmax

// Calls a launcher template with typed pointers.
#define SOFTMAX_DISPATCH(launch)                                                                      \
  (dtype == SOFTMAX_BF16                                                                              \
       ? launch(static_cast<const __nv_bfloat16 *>(x), static_cast<__nv_bfloat16 *>(y), m, n, stream) \
       : launch(static_cast<const float *>(x), static_cast<float *>(y), m, n, stream))

#endif
