// Declares what the norms of whole.cu and tensor.cu share. In these norms each thread has the same number of a row's
// elements, so that no bounds are checked. They merge the moments (mean and sum of squared deviations) of a row's
// warps, which all have the same number of elements. Nothing here launches a kernel.
#ifndef ACTIVATIONS_WHOLE_CUH
#define ACTIVATIONS_WHOLE_CUH

#include "norm.cuh"

namespace activations {

constexpr int kMaxWarps = 32;  // warps of a block

// Returns how many blocks of this many threads a multiprocessor should hold: the wanted number, or as many as fit.
constexpr int at_once(int threads, int wanted) {
#if (__CUDA_ARCH__ > 800 && __CUDA_ARCH__ < 900) || __CUDA_ARCH__ >= 1100
  constexpr int kRoom = 1536;
#else
  constexpr int kRoom = 2048;
#endif
  return wanted * threads <= kRoom ? wanted : kRoom / threads;
}

// Returns how many threads a block has: kThreads, or, if that is 0, the number given at launch.
template <int kThreads>
__device__ __forceinline__ int threads() {
  return kThreads > 0 ? kThreads : int(blockDim.x);
}

// Returns to every thread the merged moments of all warps of the block, for E elements per thread. `part` has one entry
// per warp. `inverse` is 1 / the number of elements of the row.
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

// Returns (x - mean) * scale. For fp32 the mean is subtracted first; for 16-bit types one fused multiply-add is precise
// enough.
template <typename T>
__device__ __forceinline__ float normalised(float x, float mean, float scale) {
  return sizeof(T) == 2 ? fmaf(x, scale, -mean * scale) : (x - mean) * scale;
}

}  // namespace activations

#endif
