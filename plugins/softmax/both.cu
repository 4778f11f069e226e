// Row softmax for CUDA that keeps a row partly in shared memory and partly in registers. While a block adds up its row,
// loads for other rows must keep global memory busy. Shared memory and registers together have room for more such rows
// than either alone. The blocks of a cluster share a row. This file does not use the plugin interface.
#include <cooperative_groups.h>

#include "../shared/bulk.cuh"
#include "kernels.h"
#include "shares.cuh"

namespace cg = cooperative_groups;

namespace softmax {
namespace {

// A thread's elements of a block's part of a row, in packs of 16 bytes. The first `staged` packs of the part are in
// shared memory at `slot`. Of the other packs each thread holds kPacks in registers, where they stay packed, so that
// 16-bit elements take 16 bits.
template <typename T, int kPacks, int kThreads>
struct Held {
  using P = Pack<T>;
  static constexpr int kWidth = P::kWidth;
  const Part<T> &part;
  const uint4 *slot;
  int staged;
  uint4 pack[kPacks];
  float edge;

  __device__ __forceinline__ int index(int k) const {
    return staged + int(threadIdx.x) + k * kThreads;
  }
  __device__ __forceinline__ bool holds(int k) const {
    return index(k) >= part.low && index(k) < part.high;
  }

  // Loads the packs that stay in registers. Elements beyond the end of the row become -inf.
  __device__ __forceinline__ void load(const T *x) {
    const uint4 *from = reinterpret_cast<const uint4 *>(x) + part.begin;
#pragma unroll
    for (int k = 0; k < kPacks; k++) {
      constexpr unsigned kNone = Greatest<T>::kNone;
      pack[k] = make_uint4(kNone, kNone, kNone, kNone);
      if (holds(k)) pack[k] = load_pack(from + index(k));
    }
    edge = part.edge >= 0 ? to_float(x[part.begin * kWidth + part.edge]) : neg_inf();
  }

  // Calls f(index, pack) for this thread's packs in shared memory, except those that contain elements of other rows.
  template <typename F>
  __device__ __forceinline__ void for_each_staged(F f) const {
#pragma unroll 4
    for (int p = part.low + int(threadIdx.x); p < min(part.high, staged); p += kThreads)
      f(p, slot[p]);
  }

  static __device__ __forceinline__ void add_to(float *sum, const uint4 &v, float shift) {
    float f[kWidth];
    P::unpack(v, f);
#pragma unroll
    for (int i = 0; i < kWidth; i++)
      sum[i % 2] += exp_apart(f[i], shift);
  }

  static __device__ __forceinline__ uint4 result(const uint4 &v, float shift, float scale) {
    float f[kWidth];
    P::unpack(v, f);
#pragma unroll
    for (int i = 0; i < kWidth; i++)
      f[i] = exp_apart(f[i], shift) * scale;
    return P::pack(f);
  }

  // Keeps the compiler from storing 16-bit elements as floats, which would take more registers. It unpacks the elements
  // again after this call.
  __device__ __forceinline__ void again() {
#pragma unroll
    for (int k = 0; k < kPacks; k++)
      asm volatile("" : "+r"(pack[k].x), "+r"(pack[k].y), "+r"(pack[k].z), "+r"(pack[k].w));
  }

  // Returns the maximum and the sum of exponentials of this warp's elements.
  __device__ __forceinline__ LogStat stat() {
    unsigned most = Greatest<T>::kNone;
#pragma unroll
    for (int k = 0; k < kPacks; k++)
      most = Greatest<T>::of(most, greatest_of<T>(pack[k]));
    for_each_staged([&](int, const uint4 &v) { most = Greatest<T>::of(most, greatest_of<T>(v)); });
    const float log = log_of(warp_max(fmaxf(edge, Greatest<T>::value(most)))), shift = shift_of(log);
    float sum[2] = {exp_apart(edge, shift), 0.0f};
    again();
#pragma unroll
    for (int k = 0; k < kPacks; k++)
      add_to(sum, pack[k], shift);
    for_each_staged([&](int, const uint4 &v) { add_to(sum, v, shift); });
    return {log, warp_sum(sum[0] + sum[1])};
  }

  __device__ __forceinline__ void write(T *y, LogStat all) {
    const float shift = shift_of(all.log), scale = 1.0f / all.sum;
    uint4 *to = reinterpret_cast<uint4 *>(y) + part.begin;
    again();
#pragma unroll
    for (int k = 0; k < kPacks; k++)
      if (holds(k)) to[index(k)] = result(pack[k], shift, scale);
    for_each_staged([&](int p, const uint4 &v) { to[p] = result(v, shift, scale); });
    if (part.edge >= 0) store(y + part.begin * kWidth + part.edge, exp_apart(edge, shift) * scale);
  }
};

// Computes the softmax of one row per cluster. `staged` packs (16 bytes each) of a block's share of the row go to
// shared memory, the other packs to registers.
template <typename T, int kPacks, int kThreads, int kBlocks>
__global__ void __launch_bounds__(kThreads, kBlocks)
    both(const T *__restrict__ x, T *__restrict__ y, int n, int ranks, int staged, Pace pace) {
#if __CUDA_ARCH__ >= 900
  constexpr int kWarps = kThreads / kWarp;
  extern __shared__ __align__(128) uint4 slot[];
  __shared__ uint64_t arrived;
  __shared__ LogStat stats[kMaxRanks * kWarps];
  const int row = int(blockIdx.x) / ranks, rank = int(blockIdx.x) - row * ranks;
  const Part<T> part(row, n, rank, ranks, kUnit);
  Held<T, kPacks, kThreads> held = {part, slot, staged};
  wait_for_turn(row, pace);
  cg::this_cluster().barrier_arrive();
  if (threadIdx.x == 0) {
    const unsigned bytes = unsigned(max(min(part.high, staged) - part.low, 0)) * 16;
    bulk::barrier_init(&arrived, 1);
    bulk::barriers_ready();
    bulk::arrive_and_expect(&arrived, bytes);
    const uint4 *from = reinterpret_cast<const uint4 *>(x) + part.begin + part.low;
    if (bytes > 0) bulk::load(slot + part.low, from, bytes, &arrived);
  }
  held.load(x);
  __syncthreads();
  bulk::wait(&arrived, 0);
  held.write(y, cluster_stat<kWarps>(held.stat(), stats, rank, ranks));
#endif
}

// ---- Launch --------------------------------------------------------------------------------------------------------

template <typename T>
int launch_both(const T *x, T *y, int64_t m, int64_t n, cudaStream_t stream) {
  return launch_shares(both<T, kHeldPacks, kShareThreads, kShareBlocks>, false, x, y, m, n, stream);
}

template <typename T>
int launch_paced(const T *x, T *y, int64_t m, int64_t n, cudaStream_t stream) {
  return launch_shares(both<T, kHeldPacks, kShareThreads, kShareBlocks>, true, x, y, m, n, stream);
}

}  // namespace
}  // namespace softmax

int64_t softmax_cuda_both_bytes(int64_t n, int64_t size) {
  return int64_t(softmax::shape_of(n, size).staged) * 16;
}

int softmax_cuda_both(const void *x, void *y, int64_t m, int64_t n, int dtype, struct CUstream_st *stream) {
  return SOFTMAX_DISPATCH(softmax::launch_both);
}

int softmax_cuda_paced(const void *x, void *y, int64_t m, int64_t n, int dtype, struct CUstream_st *stream) {
  return SOFTMAX_DISPATCH(softmax::launch_paced);
}
