// Row softmax for CUDA that reads x from global memory once: the row stays in the registers of a warp, a block or a
// cluster of blocks. This file does not use the plugin interface.
#include <cooperative_groups.h>

#include "device.cuh"
#include "kernels.h"

namespace cg = cooperative_groups;

namespace softmax {
namespace {

constexpr int kPerThread = 32;  // the most elements of a row that a thread holds in registers

// A thread's part of a row: E elements in packs of 16 bytes, and at most one edge element, that is an element before
// the first or after the last 16-byte boundary. A row has fewer than 2 * kWidth edge elements, so that the first warp
// covers them.
template <typename T, int E>
struct Slice {
  using P = Pack<T>;
  static constexpr int kPacks = E / P::kWidth;
  float value[E];
  float edge;
  int head;     // number of the row's elements before its first 16-byte boundary
  int first;    // index of this thread's first pack; its next packs are `step` apart
  int last;     // index behind the last pack of this thread's block
  int step;     // number of threads that share the packs
  int edge_at;  // index of `edge` in the row; -1: none

  // Computes which part belongs to thread `id` of `threads`, in block `rank`. Each of the `ranks` blocks has an equal
  // share of the packs.
  __device__ __forceinline__ Slice(const T *row, int n, int id, int threads, int rank, int ranks) : step(threads) {
    const int offset = int(reinterpret_cast<uintptr_t>(row) % 16 / sizeof(T));
    head = min(n, (P::kWidth - offset) % P::kWidth);
    const int packs = (n - head) / P::kWidth;
    const int tail = n - head - packs * P::kWidth;
    const int share = (packs + ranks - 1) / ranks;
    first = rank * share + id;
    last = min(packs, (rank + 1) * share);
    edge_at = -1;
    if (rank == 0 && id < head + tail) edge_at = id < head ? id : n - tail + (id - head);
  }

  __device__ __forceinline__ void load(const T *row) {
    const uint4 *body = reinterpret_cast<const uint4 *>(row + head);
    uint4 pack[kPacks];
#pragma unroll
    for (int k = 0; k < kPacks; k++)
      if (first + k * step < last) pack[k] = load_pack(body + first + k * step);
    edge = edge_at >= 0 ? to_float(row[edge_at]) : neg_inf();
#pragma unroll
    for (int k = 0; k < kPacks; k++) {
      P::unpack(pack[k], value + k * P::kWidth);
      if (first + k * step >= last) {
#pragma unroll
        for (int i = 0; i < P::kWidth; i++)
          value[k * P::kWidth + i] = neg_inf();
      }
    }
  }

  // Replaces the values by exp(value - maximum of this warp). Returns that maximum and the sum of the warp's new
  // values.
  __device__ __forceinline__ Stat exponentiate() {
    float max = edge;
#pragma unroll
    for (int i = 0; i < E; i++)
      max = fmaxf(max, value[i]);
    max = warp_max(max);
    const float shift = shift_of(max);
    edge = exp_fast(edge - shift);
    float sum[4] = {edge, 0.0f, 0.0f, 0.0f};
#pragma unroll
    for (int i = 0; i < E; i++)
      sum[i % 4] += value[i] = exp_fast(value[i] - shift);
    return {max, warp_sum((sum[0] + sum[1]) + (sum[2] + sum[3]))};
  }

  // Writes the results. `own` is the maximum of this warp, to which the values are relative. `all` is the maximum and
  // the sum of the whole row.
  __device__ __forceinline__ void write(T *row, float own, Stat all) const {
    uint4 *body = reinterpret_cast<uint4 *>(row + head);
    const float scale = exp_fast(own - shift_of(all.max)) / all.sum;
#pragma unroll
    for (int k = 0; k < kPacks; k++) {
      float f[P::kWidth];
#pragma unroll
      for (int i = 0; i < P::kWidth; i++)
        f[i] = value[k * P::kWidth + i] * scale;
      if (first + k * step < last) body[first + k * step] = P::pack(f);
    }
    if (edge_at >= 0) store(row + edge_at, edge * scale);
  }
};

constexpr int kRowsPerBlock = 4;

template <typename T, int E>
__global__ void __launch_bounds__(kRowsPerBlock *kWarp)
    fused_warp(const T *__restrict__ x, T *__restrict__ y, int64_t m, int n) {
  const int64_t row = int64_t(blockIdx.x) * kRowsPerBlock + threadIdx.x / kWarp;
  if (row >= m) return;
  Slice<T, E> slice(x + row * n, n, threadIdx.x % kWarp, kWarp, 0, 1);
  slice.load(x + row * n);
  const Stat s = slice.exponentiate();
  slice.write(y + row * n, s.max, s);
}

template <typename T, int Threads, int E>
__global__ void __launch_bounds__(Threads, 1024 / Threads)
    fused_block(const T *__restrict__ x, T *__restrict__ y, int n) {
  constexpr int kWarps = Threads / kWarp;
  __shared__ Stat part[kWarps];
  const int64_t start = int64_t(blockIdx.x) * n;
  const int lane = threadIdx.x % kWarp;
  Slice<T, E> slice(x + start, n, threadIdx.x, Threads, 0, 1);
  slice.load(x + start);
  const Stat mine = slice.exponentiate();
  if (lane == 0) part[threadIdx.x / kWarp] = mine;
  __syncthreads();
  slice.write(y + start, mine.max, warp_merge(lane < kWarps ? part[lane] : Stat{neg_inf(), 0.0f}));
}

constexpr int kMaxRanks = 8;  // the largest portable cluster

// Computes the softmax of one row per cluster, whose blocks share the row. Every warp writes its maximum and sum to the
// shared memory of every block. A single cluster barrier between the loads and the stores is then enough.
template <typename T, int Threads, int E>
__global__ void __launch_bounds__(Threads, 1024 / Threads)
    fused_cluster(const T *__restrict__ x, T *__restrict__ y, int n) {
#if __CUDA_ARCH__ >= 900
  constexpr int kWarps = Threads / kWarp;
  __shared__ Stat part[kMaxRanks * kWarps];
  cg::cluster_group cluster = cg::this_cluster();
  const int ranks = cluster.num_blocks();
  const int rank = cluster.block_rank();
  const int lane = threadIdx.x % kWarp;
  const int64_t start = int64_t(blockIdx.x / ranks) * n;

  // A block waits below until all blocks run: their shared memory must not be written earlier.
  cluster.barrier_arrive();
  Slice<T, E> slice(x + start, n, threadIdx.x, Threads, rank, ranks);
  slice.load(x + start);
  const Stat mine = slice.exponentiate();
  cluster.barrier_wait();
  if (lane < ranks) *cluster.map_shared_rank(part + rank * kWarps + threadIdx.x / kWarp, lane) = mine;
  cluster.sync();

  Stat all = {neg_inf(), 0.0f};
  for (int i = lane; i < ranks * kWarps; i += kWarp) {
    all = merge(all, part[i]);
  }
  slice.write(y + start, mine.max, warp_merge(all));
#endif
}

// ---- Launch --------------------------------------------------------------------------------------------------------

template <typename T, int E>
int launch_warp(const T *x, T *y, int64_t m, int64_t n, cudaStream_t stream) {
  const unsigned blocks = unsigned((m + kRowsPerBlock - 1) / kRowsPerBlock);
  fused_warp<T, E><<<blocks, kRowsPerBlock * kWarp, 0, stream>>>(x, y, m, int(n));
  return cudaGetLastError();
}

template <typename T, int Threads, int E>
int launch_block(const T *x, T *y, int64_t m, int64_t n, cudaStream_t stream) {
  fused_block<T, Threads, E><<<unsigned(m), Threads, 0, stream>>>(x, y, int(n));
  return cudaGetLastError();
}

template <typename T, int Threads, int E>
int launch_cluster(const T *x, T *y, int64_t m, int64_t n, int ranks, cudaStream_t stream) {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = unsigned(ranks), attribute.val.clusterDim.y = 1, attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(unsigned(m * ranks)), config.blockDim = dim3(Threads), config.stream = stream;
  config.attrs = &attribute, config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, fused_cluster<T, Threads, E>, x, y, int(n));
}

constexpr int64_t kBlockLimit = 512 * kPerThread;
constexpr int64_t kClusterLimit = kMaxRanks * 1024 * kPerThread;

// Gives each short row a warp, each longer row a block, and each row that is too long for a block a cluster of blocks.
template <typename T>
int launch_fused(const T *x, T *y, int64_t m, int64_t n, cudaStream_t stream) {
  if (n <= 256) return launch_warp<T, 8>(x, y, m, n, stream);
  if (n <= 512) return launch_warp<T, 16>(x, y, m, n, stream);
  if (n <= 1024) return launch_warp<T, 32>(x, y, m, n, stream);
  if (n <= 2048) return launch_block<T, 128, 16>(x, y, m, n, stream);
  if (n <= 4096) return launch_block<T, 128, 32>(x, y, m, n, stream);
  if (n <= 8192) return launch_block<T, 256, 32>(x, y, m, n, stream);
  if (n <= kBlockLimit) return launch_block<T, 512, 32>(x, y, m, n, stream);
  if (n <= 2 * kBlockLimit) return launch_cluster<T, 512, 32>(x, y, m, n, 2, stream);
  if (n <= 4 * kBlockLimit) return launch_cluster<T, 512, 32>(x, y, m, n, 4, stream);
  if (n <= 8 * kBlockLimit) return launch_cluster<T, 512, 32>(x, y, m, n, 8, stream);
  return launch_cluster<T, 1024, 32>(x, y, m, n, 8, stream);
}

}  // namespace
}  // namespace softmax

int64_t softmax_cuda_fused_limit(int64_t compute_capability) {
  return compute_capability >= 90 ? softmax::kClusterLimit : softmax::kBlockLimit;
}

int softmax_cuda_fused(const void *x, void *y, int64_t m, int64_t n, int dtype, struct CUstream_st *stream) {
  return SOFTMAX_DISPATCH(softmax::launch_fused);
}
