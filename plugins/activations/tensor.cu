// LayerNorm, RMSNorm and LayerNorm with GELU of 16-bit types for CUDA. A thread block normalises one row, and each
// thread has the same number of the row's elements. They stay in registers as loaded, two in each register, and tensor
// cores compute their sums: 16 bytes from each lane of a warp form a 16 x 16 matrix in the register layout of the
// instruction mma. Which element is at which place in the matrix does not matter for the sums. The product of this
// matrix with a matrix of ones gives the sums of the matrix rows. The product of the matrix with its transpose has the
// sums of squares of the matrix rows on its diagonal. Products of 16-bit values are exact, and sums are fp32. This
// takes half the registers and a third of the instructions of a loop over the elements. This file does not use the
// plugin interface.
#include "../shared/tensor_core.cuh"
#include "whole.cuh"

namespace activations {
namespace {

template <typename T>
struct Math;

template <>
struct Math<__nv_bfloat16> {
  using Two = __nv_bfloat162;
  static constexpr unsigned kOnes = 0x3f803f80u;
  static __device__ __forceinline__ Two twice(float x) {
    return __float2bfloat162_rn(x);
  }
  static __device__ __forceinline__ float first(Two x) {
    return __low2float(x);
  }
};

template <>
struct Math<__half> {
  using Two = __half2;
  static constexpr unsigned kOnes = 0x3c003c00u;
  static __device__ __forceinline__ Two twice(float x) {
    return __float2half2_rn(x);
  }
  static __device__ __forceinline__ float first(Two x) {
    return __low2float(x);
  }
};

__device__ __forceinline__ const unsigned *words_of(const uint4 &v) {
  return reinterpret_cast<const unsigned *>(&v);
}

// Adds the sums of squares of rows 0 to 7 of `a` to the diagonal of `c`. A second product, in which rows 8 to 15 are in
// the place of rows 0 to 7, adds their sums of squares to the same entries.
template <typename T>
__device__ __forceinline__ void add_squares(float *c, const unsigned *a) {
  const unsigned swapped[4] = {a[1], a[0], a[3], a[2]};
  tensor_core::mma<T>(c, a, a[0], a[2]);
  tensor_core::mma<T>(c, swapped, a[1], a[3]);
}

// Returns the sum of the diagonal entries (i, i) of `c` for i < 8. If kLanes is less than a warp, each group of kLanes
// lanes gets the sum of only those entries that its lanes have.
template <int kLanes = kWarp>
__device__ __forceinline__ float trace(const float *c) {
  const int lane = int(threadIdx.x) % kWarp, row = lane / 4;
  return warp_sum<kLanes>(lane % 4 != row / 2 ? 0.0f : row % 2 == 0 ? c[0] : c[1]);
}

// Returns (v - pivot) / 2 for the two elements in `v`, given pivot / 2. The difference is halved, because the full one
// might overflow.
template <typename T>
__device__ __forceinline__ unsigned half_apart(unsigned v, typename Math<T>::Two half_pivot) {
  using Two = typename Math<T>::Two;
  const Two d = __hfma2(*reinterpret_cast<const Two *>(&v), Math<T>::twice(0.5f), __hneg2(half_pivot));
  return *reinterpret_cast<const unsigned *>(&d);
}

template <typename T>
__device__ __forceinline__ void add_squares_apart(float *c, const uint4 &v, typename Math<T>::Two half_pivot) {
  const unsigned d[4] = {half_apart<T>(v.x, half_pivot), half_apart<T>(v.y, half_pivot), half_apart<T>(v.z, half_pivot),
                         half_apart<T>(v.w, half_pivot)};
  add_squares<T>(c, d);
}

// Returns the moments of the elements of a warp. Deviations are computed from a pivot, which is the mean of the
// elements of only 4 lanes, rounded to T. The error of rounding these deviations to T is far smaller than that of
// storing x as T.
template <typename T, int kPacks, bool kCentred>
__device__ __forceinline__ Moments moments_of(const uint4 *held) {
  constexpr float kCount = float(kWarp * kPacks * 8);
  float square[4] = {};
  if (!kCentred) {
#pragma unroll
    for (int k = 0; k < kPacks; k++)
      add_squares<T>(square, words_of(held[k]));
    return {0.0f, 0.0f, trace(square)};
  }
  float sum[4] = {};
#pragma unroll
  for (int k = 0; k < kPacks; k++)
    tensor_core::mma<T>(sum, words_of(held[k]), Math<T>::kOnes, Math<T>::kOnes);
  float all = sum[0] + sum[2];  // the sum over the elements of 4 lanes
  const auto half_pivot = Math<T>::twice(__shfl_sync(kAll, all, 0) * (4.0f / kCount));
  all += __shfl_xor_sync(kAll, all, 4);
  all += __shfl_xor_sync(kAll, all, 8);
  all += __shfl_xor_sync(kAll, all, 16);
#pragma unroll
  for (int k = 0; k < kPacks; k++)
    add_squares_apart<T>(square, held[k], half_pivot);
  const float mean = all * (1.0f / kCount), shift = mean - 2.0f * Math<T>::first(half_pivot);
  return {0.0f, mean, fmaf(-shift * shift, kCount, 4.0f * trace(square))};
}

// Keeps the compiler from unpacking v before this point, which would take more registers.
__device__ __forceinline__ void again(uint4 &v) {
  asm volatile("" : "+r"(v.x), "+r"(v.y), "+r"(v.z), "+r"(v.w));
}

// Returns the sums of the elements of two 16-byte packs, rounded to T.
template <typename T>
__device__ __forceinline__ uint4 sum_of(const uint4 &a, const uint4 &b) {
  using Two = typename Math<T>::Two;
  uint4 v;
#pragma unroll
  for (int i = 0; i < 4; i++) {
    const Two one = __hadd2(reinterpret_cast<const Two *>(&a)[i], reinterpret_cast<const Two *>(&b)[i]);
    reinterpret_cast<unsigned *>(&v)[i] = *reinterpret_cast<const unsigned *>(&one);
  }
  return v;
}

// Loads 16 bytes with volatile asm, which the compiler cannot move across the stores. Otherwise it would move all loads
// before the stores, and run out of registers.
__device__ __forceinline__ uint4 load_between(const uint4 *p) {
  uint4 v;
  asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(p)
               : "memory");
  return v;
}

// Adds z to the row in `held`, rounded to T, and stores the sum in s.
template <typename T, int kPacks, int kThreads>
__device__ __forceinline__ void add_row(const Rows<T> &rows, int64_t start, uint4 *held) {
  const uint4 *z = reinterpret_cast<const uint4 *>(rows.z) + start;
  uint4 *s = reinterpret_cast<uint4 *>(rows.s) + start;
  uint4 other[kPacks];
#pragma unroll
  for (int k = 0; k < kPacks; k++)
    other[k] = load_pack(z + k * threads<kThreads>());
#pragma unroll
  for (int k = 0; k < kPacks; k++)
    s[k * threads<kThreads>()] = held[k] = sum_of<T>(held[k], other[k]);
}

// Normalises one row per block. The number of threads is kThreads, a constant, or, if kThreads is 0, the number given
// at launch. kBound is the upper limit of that number.
template <typename T, typename Norm, typename Finish, bool kAdd, int kPacks, int kThreads, int kBound, int kBlocks>
__global__ void __launch_bounds__(kBound, kBlocks) tensor(const Rows<T> rows, float inverse) {
  constexpr bool kCentred = Norm::kBeta;
  __shared__ float2 part[kMaxWarps];
  const int64_t start = int64_t(blockIdx.x) * (threads<kThreads>() * kPacks) + threadIdx.x;
  const uint4 *x = reinterpret_cast<const uint4 *>(rows.x) + start;
  uint4 held[kPacks];
#pragma unroll
  for (int k = 0; k < kPacks; k++)
    held[k] = load_pack(x + k * threads<kThreads>());
  if (kAdd) add_row<T, kPacks, kThreads>(rows, start, held);
  const Moments all = block_merge<kPacks * 8, kThreads, kCentred>(moments_of<T, kPacks, kCentred>(held), part, inverse);
  const float scale = rsqrtf(fmaf(all.m2, inverse, ACTIVATIONS_EPSILON));
  if (Finish::kSave && threadIdx.x == 0) save<T, Norm>(rows, blockIdx.x, all.mean, scale);
  const uint4 *gamma = reinterpret_cast<const uint4 *>(rows.gamma) + threadIdx.x;
  const uint4 *beta = reinterpret_cast<const uint4 *>(rows.beta) + threadIdx.x;
  uint4 *y = reinterpret_cast<uint4 *>(rows.y) + start;
  uint4 next[2] = {load_between(gamma), kCentred ? load_between(beta) : uint4{}};
#pragma unroll
  for (int k = 0; k < kPacks; k++) {
    float f[8], g[8], b[8] = {};
    Pack<T>::unpack(next[0], g);
    if (kCentred) Pack<T>::unpack(next[1], b);
    if (k + 1 < kPacks) next[0] = load_between(gamma + (k + 1) * threads<kThreads>());
    if (kCentred && k + 1 < kPacks) next[1] = load_between(beta + (k + 1) * threads<kThreads>());
    again(held[k]);
    Pack<T>::unpack(held[k], f);
#pragma unroll
    for (int i = 0; i < 8; i++)
      f[i] = Finish::template apply<T>(fmaf(normalised<T>(f[i], all.mean, scale), g[i], b[i]));
    y[k * threads<kThreads>()] = Pack<T>::pack(f);
  }
}

// ---- Short rows of kLanes packs of 16 bytes: a thread has one pack in each of kRows rows ---------------------------
// Memory is accessed as in a plain copy. A thread has the same columns in all its rows, so that it loads gamma and beta
// once.

template <typename T, int kLanes>
__device__ __forceinline__ Moments lanes_moments(const uint4 &v, bool centred) {
  constexpr float kCount = float(kLanes * 8);
  float square[4] = {};
  if (!centred) {
    add_squares<T>(square, words_of(v));
    return {0.0f, 0.0f, trace<kLanes>(square)};
  }
  float sum[4] = {};
  tensor_core::mma<T>(sum, words_of(v), Math<T>::kOnes, Math<T>::kOnes);
  float all = sum[0] + sum[2];
#pragma unroll
  for (int d = 4; d < kLanes; d *= 2)
    all += __shfl_xor_sync(kAll, all, d);
  const float mean = all * (1.0f / kCount);
  const auto half_pivot = Math<T>::twice(mean * 0.5f);
  add_squares_apart<T>(square, v, half_pivot);
  const float shift = mean - 2.0f * Math<T>::first(half_pivot);
  return {0.0f, mean, fmaf(-shift * shift, kCount, 4.0f * trace<kLanes>(square))};
}

constexpr int kLanesThreads = 128;

template <typename T, typename Norm, typename Finish, bool kAdd, int kLanes, int kRows>
__global__ void __launch_bounds__(kLanesThreads, 8) tensor_lanes(const Rows<T> rows, int64_t packs) {
  constexpr bool kCentred = Norm::kBeta;
  const int64_t first = int64_t(blockIdx.x) * (kLanesThreads * kRows) + threadIdx.x;
  const int column = int(threadIdx.x) % kLanes;
  uint4 held[kRows];
  // A thread whose pack is beyond the last loads the last one, because all lanes of a warp take part in the sums.
#pragma unroll
  for (int r = 0; r < kRows; r++)
    held[r] = load_pack(reinterpret_cast<const uint4 *>(rows.x) + min(first + r * kLanesThreads, packs - 1));
  if (kAdd) {
    uint4 other[kRows];
#pragma unroll
    for (int r = 0; r < kRows; r++)
      other[r] = load_pack(reinterpret_cast<const uint4 *>(rows.z) + min(first + r * kLanesThreads, packs - 1));
#pragma unroll
    for (int r = 0; r < kRows; r++) {
      held[r] = sum_of<T>(held[r], other[r]);
      if (first + r * kLanesThreads < packs) reinterpret_cast<uint4 *>(rows.s)[first + r * kLanesThreads] = held[r];
    }
  }
  float g[8], b[8] = {};
  Pack<T>::unpack(__ldg(reinterpret_cast<const uint4 *>(rows.gamma) + column), g);
  if (kCentred) Pack<T>::unpack(__ldg(reinterpret_cast<const uint4 *>(rows.beta) + column), b);
#pragma unroll
  for (int r = 0; r < kRows; r++) {
    const Moments all = lanes_moments<T, kLanes>(held[r], kCentred);
    const float scale = rsqrtf(fmaf(all.m2, 1.0f / float(kLanes * 8), ACTIVATIONS_EPSILON));
    if (Finish::kSave && column == 0 && first + r * kLanesThreads < packs)
      save<T, Norm>(rows, (first + r * kLanesThreads) / kLanes, all.mean, scale);
    float f[8];
    Pack<T>::unpack(held[r], f);
#pragma unroll
    for (int i = 0; i < 8; i++)
      f[i] = Finish::template apply<T>(fmaf(normalised<T>(f[i], all.mean, scale), g[i], b[i]));
    if (first + r * kLanesThreads < packs)
      reinterpret_cast<uint4 *>(rows.y)[first + r * kLanesThreads] = Pack<T>::pack(f);
  }
}

// ---- Launch --------------------------------------------------------------------------------------------------------

template <typename T, typename Norm, typename Finish, bool kAdd, int kPacks, int kThreads, int kBound, int kBlocks>
int launch_as(const activations_call &call) {
  tensor<T, Norm, Finish, kAdd, kPacks, kThreads, kBound, kBlocks>
      <<<unsigned(call.m), unsigned(call.n / (kPacks * 8)), 0, call.stream>>>(rows_of<T>(call), 1.0f / float(call.n));
  return cudaGetLastError();
}

// Launches the kernel with n / (8 kPacks) threads per block. For kBound, kBound / 2 and kBound / 4 threads the kernel
// is compiled with that number as a constant, which saves multiplications in addresses. kResident is the number of
// threads that a multiprocessor can hold, as limited by registers.
template <typename T, typename Norm, typename Finish, bool kAdd, int kPacks, int kResident>
int launch_threads(const activations_call &call) {
  constexpr int kBound = 2048 / kPacks;
  switch (call.n / (kPacks * 8)) {
    case kBound:
      return launch_as<T, Norm, Finish, kAdd, kPacks, kBound, kBound, kResident / kBound>(call);
    case kBound / 2:
      return launch_as<T, Norm, Finish, kAdd, kPacks, kBound / 2, kBound / 2, kResident / kBound * 2>(call);
    case kBound / 4:
      return launch_as<T, Norm, Finish, kAdd, kPacks, kBound / 4, kBound / 4, kResident / kBound * 4>(call);
    default:
      return launch_as<T, Norm, Finish, kAdd, kPacks, 0, kBound, 1>(call);
  }
}

template <typename T, typename Norm, typename Finish, bool kAdd, int kLanes, int kRows>
int launch_lanes_as(const activations_call &call) {
  const int64_t packs = call.m * kLanes, share = kLanesThreads * kRows;
  tensor_lanes<T, Norm, Finish, kAdd, kLanes, kRows>
      <<<unsigned((packs + share - 1) / share), kLanesThreads, 0, call.stream>>>(rows_of<T>(call), packs);
  return cudaGetLastError();
}

template <typename T, typename Norm, typename Finish, bool kAdd, int kRows>
int launch_lanes(const activations_call &call) {
  if (call.n == 32) return launch_lanes_as<T, Norm, Finish, kAdd, 4, kRows>(call);
  if (call.n == 64) return launch_lanes_as<T, Norm, Finish, kAdd, 8, kRows>(call);
  if (call.n == 128) return launch_lanes_as<T, Norm, Finish, kAdd, 16, kRows>(call);
  return launch_lanes_as<T, Norm, Finish, kAdd, 32, kRows>(call);
}

// Launches the kernel with a suitable number of elements per thread. The number is large, because a thread needs about
// a hundred instructions per row, however few elements it has. If z is loaded, too (kAdd), the number is half as large.
// For short rows, the number of rows per thread was found by measurement.
template <typename T, typename Norm, typename Finish, bool kAdd>
int launch_tensor(const activations_call &call) {
  if (call.n <= ACTIVATIONS_TENSOR_SHORT)
    return launch_lanes < T, Norm, Finish, kAdd, kAdd ? 1 : Finish::kCheap ? 2 : 4 > (call);
  return launch_threads < T, Norm, Finish, kAdd, kAdd ? 4 : 8, 1024 > (call);
}

template <typename Norm, typename Finish, bool kAdd>
int run(const activations_call *call) {
  return call->dtype == ACTIVATIONS_FP16 ? launch_tensor<__half, Norm, Finish, kAdd>(*call)
                                         : launch_tensor<__nv_bfloat16, Norm, Finish, kAdd>(*call);
}

}  // namespace
}  // namespace activations

using namespace activations;

int activations_cuda_layernorm_tensor(const activations_call *call) {
  return run<Layer, Plain, false>(call);
}

int activations_cuda_rmsnorm_tensor(const activations_call *call) {
  return run<Rms, Plain, false>(call);
}

int activations_cuda_layernorm_gelu_tensor(const activations_call *call) {
  return run<Layer, Gelu, false>(call);
}

int activations_cuda_add_layernorm_tensor(const activations_call *call) {
  return run<Layer, Plain, true>(call);
}

int activations_cuda_add_rmsnorm_tensor(const activations_call *call) {
  return run<Rms, Plain, true>(call);
}

int activations_cuda_layernorm_saved_tensor(const activations_call *call) {
  return run<Layer, Saved, false>(call);
}

int activations_cuda_rmsnorm_saved_tensor(const activations_call *call) {
  return run<Rms, Saved, false>(call);
}
