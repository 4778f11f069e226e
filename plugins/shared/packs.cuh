// Loads and stores fp32, fp16 and bf16 values for memory-bound CUDA kernels, one at a time or as packs of 16 bytes.
// Arithmetic is in fp32.
#ifndef PLUGINS_PACKS_CUH
#define PLUGINS_PACKS_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

#include "l2.cuh"

namespace packs {

constexpr int kWarp = 32;
constexpr unsigned kAll = 0xffffffffu;

__device__ __forceinline__ float to_float(float x) {
  return x;
}
__device__ __forceinline__ float to_float(__half x) {
  return __half2float(x);
}
__device__ __forceinline__ float to_float(__nv_bfloat16 x) {
  return __bfloat162float(x);
}
__device__ __forceinline__ void store(float *p, float x) {
  *p = x;
}
__device__ __forceinline__ void store(__half *p, float x) {
  *p = __float2half_rn(x);
}
__device__ __forceinline__ void store(__nv_bfloat16 *p, float x) {
  *p = __float2bfloat16_rn(x);
}

// ---- Packs: 16 bytes of T ------------------------------------------------------------------------------------------

template <typename T>
struct Pack;

template <>
struct Pack<float> {
  static constexpr int kWidth = 4;
  static __device__ __forceinline__ void unpack(const uint4 &v, float *f) {
    f[0] = __uint_as_float(v.x), f[1] = __uint_as_float(v.y);
    f[2] = __uint_as_float(v.z), f[3] = __uint_as_float(v.w);
  }
  static __device__ __forceinline__ uint4 pack(const float *f) {
    return make_uint4(__float_as_uint(f[0]), __float_as_uint(f[1]), __float_as_uint(f[2]), __float_as_uint(f[3]));
  }
};

// A pair is two values in a 32-bit word, the first in the lower half.
struct BfloatPair {
  static __device__ __forceinline__ void split(unsigned v, float *f) {
    f[0] = __uint_as_float(v << 16), f[1] = __uint_as_float(v & 0xffff0000u);
  }
  static __device__ __forceinline__ unsigned join(const float *f) {
    const __nv_bfloat162 v = __floats2bfloat162_rn(f[0], f[1]);
    return *reinterpret_cast<const unsigned *>(&v);
  }
};

struct HalfPair {
  static __device__ __forceinline__ void split(unsigned v, float *f) {
    const float2 both = __half22float2(*reinterpret_cast<const __half2 *>(&v));
    f[0] = both.x, f[1] = both.y;
  }
  static __device__ __forceinline__ unsigned join(const float *f) {
    const __half2 v = __floats2half2_rn(f[0], f[1]);
    return *reinterpret_cast<const unsigned *>(&v);
  }
};

template <typename Pair>
struct Pack16 {
  static constexpr int kWidth = 8;
  static __device__ __forceinline__ void unpack(const uint4 &v, float *f) {
    Pair::split(v.x, f), Pair::split(v.y, f + 2), Pair::split(v.z, f + 4), Pair::split(v.w, f + 6);
  }
  static __device__ __forceinline__ uint4 pack(const float *f) {
    return make_uint4(Pair::join(f), Pair::join(f + 2), Pair::join(f + 4), Pair::join(f + 6));
  }
};

template <>
struct Pack<__nv_bfloat16> : Pack16<BfloatPair> {};
template <>
struct Pack<__half> : Pack16<HalfPair> {};

// Loads a pack with the L2 policy "evict last". The asm is volatile, so that the compiler does not move the load down
// to its first use: all loads of a thread are in flight before it waits for one.
__device__ __forceinline__ uint4 load_pack(const uint4 *p) {
  uint4 v;
  asm volatile("ld.global.nc.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(p), "l"(l2::evict_last()));
  return v;
}

// Loads a pack without allocating in L1. Such loads are meant for data that is read once, but on an H200 they are
// slower than load_pack() for such data, too.
__device__ __forceinline__ uint4 load_once(const uint4 *p) {
  uint4 v;
  asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(p));
  return v;
}

// ---- Reductions over groups of kLanes neighbouring lanes -----------------------------------------------------------

template <int kLanes = kWarp>
__device__ __forceinline__ float warp_sum(float x) {
#pragma unroll
  for (int d = kLanes / 2; d > 0; d /= 2)
    x += __shfl_xor_sync(kAll, x, d);
  return x;
}

template <int kLanes = kWarp>
__device__ __forceinline__ float warp_max(float x) {
#pragma unroll
  for (int d = kLanes / 2; d > 0; d /= 2)
    x = fmaxf(x, __shfl_xor_sync(kAll, x, d));
  return x;
}

}  // namespace packs
#endif
