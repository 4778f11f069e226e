// What the norms share whose rows are a whole number of elements for each thread: nothing is checked, and the moments
// of a row are those of its warps, all of the same number of elements. Knows nothing of launches.
#ifndef ACTIVATIONS_WHOLE_CUH
#define ACTIVATIONS_WHOLE_CUH

#include "norm.cuh"

namespace activations {

constexpr int kMaxWarps = 32;  // of a block

// Blocks of so many threads on a multiprocessor: as many as wanted, or as it has room for.
constexpr int at_once(int threads, int wanted) {
#if (__CUDA_ARCH__ > 800 && __CUDA_ARCH__ < 900) || __CUDA_ARCH__ >= 1100
  constexpr int kRoom = 1536;
#else
  constexpr int kRoom = 2048;
#endif
  return wanted * threads <= kRoom ? wanted : kRoom / threads;
}

// kThreads of a block, or as many as were launched if that is 0.
template <int kThreads>
__device__ __forceinline__ int threads() {
  return kThreads > 0 ? kThreads : int(blockDim.x);
}

// Of all warps, E elements for each thread. `part` holds one entry per warp; every thread gets the result.
template <int E, int kThreads, bool kCentred>
__device__ __forceinline__ Moments block_merge(const Moments &own, float2 *part, float inverse) {
  constexpr int kLanes = kThreads > 0 ? kThreads / kWarp : kWarp;
  const int warps = threads<kThreads>() / kWarp, lane = int(threadIdx.x) % kLanes;
  if (threadIdx.x % kWarp == 0) part[threadIdx.x / kWarp] = make_float2(own.mean, own.m2);
  __syncthreads();
  const float2 one = kThreads > 0 || lane < warps ? part[lane] : make_float2(0.0f, 0.0f);
  if (!kCentred) return {0.0f, 0.0f, warp_sum<kLanes>(one.y)};
  const float mean = warp_sum<kLanes>(one.x) * (float(kWarp * E) * inverse);
  const float d = kThreads > 0 || lane < warps ? one.x - mean : 0.0f;
  return {0.0f, mean, warp_sum<kLanes>(fmaf(d * d, float(kWarp * E), one.y))};
}

// In fp32 the mean goes off first; for 16 bits one multiplication and addition is exact enough.
template <typename T>
__device__ __forceinline__ float normalised(float x, float mean, float scale) {
  return sizeof(T) == 2 ? fmaf(x, scale, -mean * scale) : (x - mean) * scale;
}

}  // namespace activations

#endif
