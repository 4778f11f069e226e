// Row softmax for CUDA that keeps a row in shared memory and registers, as both.cu does. Unlike both.cu, it adds up
// each piece of a block's share of the row as soon as that piece arrives, and exchanges maxima and sums between blocks
// without a fence. This shortens the time from the arrival of a block's last byte to its first result, during which
// memory is idle unless other blocks load. This file does not use the plugin interface.
#include "../shared/bulk.cuh"
#include "kernels.h"
#include "shares.cuh"

namespace softmax {
namespace {

// Maximum and sum of exponentials of the elements that a thread has added so far.
template <typename T>
struct Running {
  LogStat stat = {neg_inf(), 0.0f};

  // Adds the elements of kCount packs (16 bytes each). Elements beyond the end of the row must be -inf.
  template <int kCount>
  __device__ __forceinline__ void add(const uint4 *pack) {
    unsigned most = Greatest<T>::kNone;
#pragma unroll
    for (int k = 0; k < kCount; k++)
      most = Greatest<T>::of(most, greatest_of<T>(pack[k]));
    const float log = fmaxf(stat.log, log_of(Greatest<T>::value(most))), shift = shift_of(log);
    float sum[2] = {stat.sum * exp2_fast(stat.log - shift), 0.0f};
#pragma unroll
    for (int k = 0; k < kCount; k++) {
      float f[Pack<T>::kWidth];
      Pack<T>::unpack(pack[k], f);
#pragma unroll
      for (int i = 0; i < Pack<T>::kWidth; i++)
        sum[i % 2] += exp_apart(f[i], shift);
    }
    stat = {log, sum[0] + sum[1]};
  }

  __device__ __forceinline__ void add(float value) {
    const float log = fmaxf(stat.log, log_of(value)), shift = shift_of(log);
    stat = {log, stat.sum * exp2_fast(stat.log - shift) + exp_apart(value, shift)};
  }
};

// Computes exp(x - maximum) / sum. For 16-bit types the division is done by subtracting log2(sum) from the exponent,
// which is precise enough for them.
template <typename T>
struct Result {
  float shift, scale;
  __device__ __forceinline__ explicit Result(LogStat all)
      : shift(shift_of(all.log) + (sizeof(T) == 2 ? log2_fast(all.sum) : 0.0f)), scale(1.0f / all.sum) {}
  __device__ __forceinline__ float of(float x) const {
    return sizeof(T) == 2 ? exp_apart(x, shift) : exp_apart(x, shift) * scale;
  }
  __device__ __forceinline__ uint4 of(const uint4 &v) const {
    float f[Pack<T>::kWidth];
    Pack<T>::unpack(v, f);
#pragma unroll
    for (int i = 0; i < Pack<T>::kWidth; i++)
      f[i] = of(f[i]);
    return Pack<T>::pack(f);
  }
};

// Computes the softmax of one row per cluster. `staged` packs (16 bytes each) of a block's share of the row go to
// shared memory, the other packs to registers. A thread has kPacks packs in registers, and works on kStep packs of
// every piece in shared memory.
template <typename T, int kPacks, int kStep, int kThreads, int kBlocks>
__global__ void __launch_bounds__(kThreads, kBlocks)
    pieces(const T *__restrict__ x, T *__restrict__ y, int n, int ranks, int staged, Pace pace) {
#if __CUDA_ARCH__ >= 900
  constexpr int kWarps = kThreads / kWarp, kWidth = Pack<T>::kWidth, kPiece = kStep * kThreads;
  constexpr int kMostPieces = 16;
  constexpr unsigned kNone = Greatest<T>::kNone;
  extern __shared__ __align__(128) uint4 slot[];
  __shared__ uint64_t arrived[kMostPieces], told;
  __shared__ float2 stats[kMaxRanks * kWarps];
  const int row = int(blockIdx.x) / ranks, rank = int(blockIdx.x) - row * ranks, id = int(threadIdx.x);
  const Part<T> part(row, n, rank, ranks, kUnit);
  const int end = min(part.high, staged);
  if (id == 0) {
    for (int i = 0; i < kMostPieces; i++)
      bulk::barrier_init(arrived + i, 1);
    bulk::barrier_init(&told, 1);
    bulk::barriers_ready();
    bulk::arrive_and_expect(&told, unsigned(ranks * kWarps) * 8);
  }
  __syncwarp();
  bulk::cluster_arrive();
  wait_for_turn(row, pace);
  const uint4 *from = reinterpret_cast<const uint4 *>(x) + part.begin;
  if (id == 0)
    for (int i = 0; i * kPiece < end; i++) {
      const int first = max(i * kPiece, part.low), bytes = max(min((i + 1) * kPiece, end) - first, 0) * 16;
      bulk::arrive_and_expect(arrived + i, unsigned(bytes));
      if (bytes > 0) bulk::load(slot + first, from + first, unsigned(bytes), arrived + i);
    }
  uint4 held[kPacks];
#pragma unroll
  for (int k = 0; k < kPacks; k++) {
    const int p = staged + id + k * kThreads;
    held[k] = make_uint4(kNone, kNone, kNone, kNone);
    if (p >= part.low && p < part.high) held[k] = load_pack(from + p);
  }
  const float edge = part.edge >= 0 ? to_float(x[part.begin * kWidth + part.edge]) : neg_inf();
  __syncthreads();
  Running<T> running;
#pragma unroll
  for (int k = 0; k < kPacks; k += kStep)
    running.template add<kStep>(held + k);
  for (int i = 0; i * kPiece < end; i++) {
    bulk::wait(arrived + i, 0);
    uint4 pack[kStep];
#pragma unroll
    for (int k = 0; k < kStep; k++) {
      const int p = i * kPiece + k * kThreads + id;
      pack[k] = make_uint4(kNone, kNone, kNone, kNone);
      if (p >= part.low && p < end) pack[k] = slot[p];
    }
    running.template add<kStep>(pack);
  }
  running.add(edge);
  const LogStat mine = warp_merge(running.stat);
  bulk::cluster_wait();
  if (id % kWarp < ranks) bulk::send(stats + rank * kWarps + id / kWarp, mine.log, mine.sum, &told, id % kWarp);
  bulk::wait(&told, 0);
  LogStat all = {neg_inf(), 0.0f};
  for (int i = id % kWarp; i < ranks * kWarps; i += kWarp)
    all = merge(all, LogStat{stats[i].x, stats[i].y});
  const Result<T> result(warp_merge(all));
  uint4 *to = reinterpret_cast<uint4 *>(y) + part.begin;
#pragma unroll
  for (int k = 0; k < kPacks; k++) {
    asm volatile("" : "+r"(held[k].x), "+r"(held[k].y), "+r"(held[k].z), "+r"(held[k].w));  // stay packed until here
    const int p = staged + id + k * kThreads;
    if (p >= part.low && p < part.high) to[p] = result.of(held[k]);
  }
#pragma unroll 4
  for (int p = part.low + id; p < end; p += kThreads)
    to[p] = result.of(slot[p]);
  if (part.edge >= 0) store(y + part.begin * kWidth + part.edge, result.of(edge));
#endif
}

template <typename T>
int launch_pieces(const T *x, T *y, int64_t m, int64_t n, cudaStream_t stream) {
  return launch_shares(pieces<T, kHeldPacks, 4, kShareThreads, kShareBlocks>, true, x, y, m, n, stream);
}

}  // namespace
}  // namespace softmax

int softmax_cuda_pieces(const void *x, void *y, int64_t m, int64_t n, int dtype, struct CUstream_st *stream) {
  return SOFTMAX_DISPATCH(softmax::launch_pieces);
}
