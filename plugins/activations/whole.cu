// LayerNorm, RMSNorm and LayerNorm with GELU for CUDA, with a block per row. Each thread has the same number of a row's
// elements, so that no bounds are checked. The variant `whole` holds the row in registers. The variant `staged` holds
// it in shared memory, which a bulk copy fills, so that registers do not limit how many rows are in flight. This file
// does not use the plugin interface.
#include <type_traits>

#include "../shared/bulk.cuh"
#include "whole.cuh"

namespace activations {
namespace {

template <typename T, int E, int kThreads, bool kStaged>
struct Held;

template <typename T, int E, int kThreads>
struct Held<T, E, kThreads, false> {  // the row is in registers, as floats
  static constexpr int kWidth = Pack<T>::kWidth, kPacks = E / kWidth;
  float value[E];
  __device__ __forceinline__ explicit Held(const uint4 *row) {
    uint4 pack[kPacks];
#pragma unroll
    for (int k = 0; k < kPacks; k++)
      pack[k] = load_pack(row + threadIdx.x + k * threads<kThreads>());
#pragma unroll
    for (int k = 0; k < kPacks; k++)
      Pack<T>::unpack(pack[k], value + k * kWidth);
  }
  __device__ __forceinline__ void get(int k, float *f) const {
#pragma unroll
    for (int i = 0; i < kWidth; i++)
      f[i] = value[k * kWidth + i];
  }
  // Adds `other` to this thread's elements, rounds the sums to T, and stores them in `sum`.
  __device__ __forceinline__ void add(const Held &other, uint4 *sum) {
#pragma unroll
    for (int k = 0; k < kPacks; k++) {
      float *f = value + k * kWidth;
#pragma unroll
      for (int i = 0; i < kWidth; i++)
        f[i] += other.value[k * kWidth + i];
      const uint4 stored = Pack<T>::pack(f);
      sum[threadIdx.x + k * threads<kThreads>()] = stored;
      Pack<T>::unpack(stored, f);
    }
  }
};

template <typename T, int E, int kThreads>
struct Held<T, E, kThreads, true> {  // the row is in shared memory, in packs of 16 bytes as loaded
  static constexpr int kWidth = Pack<T>::kWidth, kPacks = E / kWidth;
  const uint4 *pack;
  __device__ __forceinline__ explicit Held(const uint4 *row) {
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(128) uint4 packs[];
    __shared__ uint64_t arrived;
    const unsigned bytes = unsigned(threads<kThreads>()) * kPacks * 16;
    if (threadIdx.x == 0) {
      bulk::barrier_init(&arrived, 1);
      bulk::barriers_ready();
      bulk::arrive_and_expect(&arrived, bytes);
      bulk::load(packs, row, bytes, &arrived);
    }
    __syncthreads();
    bulk::wait(&arrived, 0);
    pack = packs + threadIdx.x;
#endif
  }
  __device__ __forceinline__ void get(int k, float *f) const {
    Pack<T>::unpack(pack[k * threads<kThreads>()], f);
  }
  __device__ __forceinline__ void add(const Held &, uint4 *) {}
};

template <typename Held, typename F>
__device__ __forceinline__ float sum_of(const Held &held, F term) {
  float s[4] = {};
#pragma unroll
  for (int k = 0; k < Held::kPacks; k++) {
    float f[Held::kWidth];
    held.get(k, f);
#pragma unroll
    for (int i = 0; i < Held::kWidth; i++)
      s[i % 4] += term(f[i]);
  }
  return (s[0] + s[1]) + (s[2] + s[3]);
}

// Returns the moments of the elements of a warp. Deviations are computed from a pivot, the mean of the elements of the
// first lane. The mean of the warp would be known only after a sum over all lanes. With the pivot, the sum of the
// deviations and the sum of their squares are computed at the same time. Mean and m2 follow from these two sums, with a
// loss of at most five bits, whatever the row contains.
template <int E, bool kCentred, typename Held>
__device__ __forceinline__ Moments moments_of(const Held &held) {
  if (!kCentred) return {0.0f, 0.0f, warp_sum(sum_of(held, [](float x) { return x * x; }))};
  const float mine = sum_of(held, [](float x) { return x; }) * (1.0f / E);
  const float pivot = __shfl_sync(kAll, mine, 0);
  const float square = sum_of(held, [pivot](float x) { return (x - pivot) * (x - pivot); });
  const float shift = warp_sum(mine - pivot) * (1.0f / kWarp);
  return {0.0f, pivot + shift, fmaf(-shift * shift, float(kWarp * E), warp_sum(square))};
}

// Normalises one row per block. The number of threads is kThreads, a constant, or, if kThreads is 0, the number given
// at launch. kBound is the upper limit of that number.
template <typename T, typename Norm, typename Finish, int E, bool kStaged, bool kAdd, int kThreads, int kBound,
          int kBlocks>
__global__ void __launch_bounds__(kBound, at_once(kBound, kBlocks)) whole(const Rows<T> rows, float inverse) {
  constexpr int kWidth = Pack<T>::kWidth, kPacks = E / kWidth;
  constexpr bool kCentred = Norm::kBeta;
  __shared__ float2 part[kMaxWarps];
  const int64_t start = int64_t(blockIdx.x) * (threads<kThreads>() * kPacks);
  Held<T, E, kThreads, kStaged> held(reinterpret_cast<const uint4 *>(rows.x) + start);
  if (kAdd) {
    const Held<T, E, kThreads, kStaged> other(reinterpret_cast<const uint4 *>(rows.z) + start);
    held.add(other, reinterpret_cast<uint4 *>(rows.s) + start);
  }
  const Moments all = block_merge<E, kThreads, kCentred>(moments_of<E, kCentred>(held), part, inverse);
  const float scale = rsqrtf(fmaf(all.m2, inverse, ACTIVATIONS_EPSILON));
  if (Finish::kSave && threadIdx.x == 0) save<T, Norm>(rows, blockIdx.x, all.mean, scale);
  const uint4 *gamma = reinterpret_cast<const uint4 *>(rows.gamma) + threadIdx.x;
  const uint4 *beta = reinterpret_cast<const uint4 *>(rows.beta) + threadIdx.x;
  uint4 *y = reinterpret_cast<uint4 *>(rows.y) + start + threadIdx.x;
#pragma unroll
  for (int k = 0; k < kPacks; k++) {
    float f[kWidth], g[kWidth], b[kWidth] = {};
    held.get(k, f);
    Pack<T>::unpack(__ldg(gamma + k * threads<kThreads>()), g);
    if (Norm::kBeta) Pack<T>::unpack(__ldg(beta + k * threads<kThreads>()), b);
#pragma unroll
    for (int i = 0; i < kWidth; i++)
      f[i] = Finish::template apply<T>(fmaf(normalised<T>(f[i], all.mean, scale), g[i], b[i]));
    y[k * threads<kThreads>()] = Pack<T>::pack(f);
  }
}

// ---- Launch --------------------------------------------------------------------------------------------------------

template <typename T, typename Norm, typename Finish, int E, bool kStaged, bool kAdd, int kThreads, int kBound,
          int kBlocks>
int launch_as(const activations_call &call) {
  const auto kernel = whole<T, Norm, Finish, E, kStaged, kAdd, kThreads, kBound, kBlocks>;
  const int bytes = kStaged ? int(call.n) * int(sizeof(T)) : 0;
  const cudaError_t code =
      kStaged ? cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) : cudaSuccess;
  if (code != cudaSuccess) return code;
  kernel<<<unsigned(call.m), unsigned(call.n / E), size_t(bytes), call.stream>>>(rows_of<T>(call),
                                                                                 1.0f / float(call.n));
  return cudaGetLastError();
}

// Launches the kernel with n / E threads per block. For kBound, kBound / 2 and kBound / 4 threads the kernel is
// compiled with that number as a constant, which saves multiplications in addresses.
template <typename T, typename Norm, typename Finish, int E, bool kStaged, bool kAdd, int kBound, int kBlocks>
int launch_threads(const activations_call &call) {
  switch (call.n / E) {
    case kBound:
      return launch_as<T, Norm, Finish, E, kStaged, kAdd, kBound, kBound, kBlocks>(call);
    case kBound / 2:
      return launch_as<T, Norm, Finish, E, kStaged, kAdd, kBound / 2, kBound / 2, kBlocks * 2>(call);
    case kBound / 4:
      return launch_as<T, Norm, Finish, E, kStaged, kAdd, kBound / 4, kBound / 4, kBlocks * 4>(call);
    default:
      return launch_as<T, Norm, Finish, E, kStaged, kAdd, 0, kBound, 1>(call);
  }
}

// Launches the kernel with a suitable number of elements per thread: 8, 16 or 32. With few elements, more blocks are
// resident on a multiprocessor. With many elements, the sums over a row are cheaper, which matters if there is much to
// compute per byte, and the blocks of long rows have fewer threads. 8 elements are not used with saved statistics, with
// which LayerNorm would need more registers than four blocks of 512 threads per multiprocessor leave.
template <typename T, typename Norm, typename Finish>
int launch_whole(const activations_call &call) {
  constexpr int kFew = sizeof(T) == 4 ? 8192 : 4096, kBlocks = sizeof(T) == 4 ? 2 : 3;
  if constexpr (sizeof(T) == 4 && std::is_same_v<Finish, Plain>)
    if (call.n > 2048 && call.n <= 4096) return launch_threads<T, Norm, Finish, 8, false, false, 512, 4>(call);
  if (Finish::kCheap && call.n <= kFew) return launch_threads<T, Norm, Finish, 16, false, false, 512, kBlocks>(call);
  return launch_threads<T, Norm, Finish, 32, false, false, 512, 2>(call);
}

// Launches the kernel that normalises x + z, with a suitable number of elements per thread. A thread holds its parts of
// x and z at the same time while they are loaded.
template <typename T, typename Norm>
int launch_add(const activations_call &call) {
  if (call.n <= 8192) return launch_threads<T, Norm, Plain, 16, false, true, 512, 2>(call);
  return launch_threads<T, Norm, Plain, 32, false, true, 512, 1>(call);
}

template <typename T, typename Norm, typename Finish>
int launch_staged(const activations_call &call) {
  return launch_threads<T, Norm, Finish, 64, true, false, 256, 3>(call);
}

int staged(const activations_call *call, int (*half)(const activations_call &),
           int (*bfloat)(const activations_call &)) {
  return call->dtype == ACTIVATIONS_FP16 ? half(*call) : bfloat(*call);
}

}  // namespace
}  // namespace activations

using namespace activations;

int activations_cuda_layernorm_whole(const activations_call *call) {
  return ACTIVATIONS_DISPATCH(launch_whole, Layer, Plain);
}

int activations_cuda_rmsnorm_whole(const activations_call *call) {
  return ACTIVATIONS_DISPATCH(launch_whole, Rms, Plain);
}

int activations_cuda_layernorm_gelu_whole(const activations_call *call) {
  return ACTIVATIONS_DISPATCH(launch_whole, Layer, Gelu);
}

int activations_cuda_add_layernorm_whole(const activations_call *call) {
  return ACTIVATIONS_DISPATCH(launch_add, Layer);
}

int activations_cuda_add_rmsnorm_whole(const activations_call *call) {
  return ACTIVATIONS_DISPATCH(launch_add, Rms);
}

int activations_cuda_layernorm_staged(const activations_call *call) {
  return staged(call, launch_staged<__half, Layer, Plain>, launch_staged<__nv_bfloat16, Layer, Plain>);
}

int activations_cuda_rmsnorm_staged(const activations_call *call) {
  return staged(call, launch_staged<__half, Rms, Plain>, launch_staged<__nv_bfloat16, Rms, Plain>);
}

int activations_cuda_layernorm_gelu_staged(const activations_call *call) {
  return staged(call, launch_staged<__half, Layer, Gelu>, launch_staged<__nv_bfloat16, Layer, Gelu>);
}

int activations_cuda_layernorm_saved_whole(const activations_call *call) {
  return ACTIVATIONS_DISPATCH(launch_whole, Layer, Saved);
}

int activations_cuda_rmsnorm_saved_whole(const activations_call *call) {
  return ACTIVATIONS_DISPATCH(launch_whole, Rms, Saved);
}
