// Row softmax for CUDA, with a block or a cluster of blocks per row. Bulk copies bring the row into shared memory,
// where it is read three times: for maximum, sum and result. Data that is being loaded does not occupy registers, so
// that these do not limit the bytes in flight. This file does not use the plugin interface.
#include <cooperative_groups.h>

#include "../shared/bulk.cuh"
#include "cluster.cuh"
#include "kernels.h"
#include "part.cuh"

namespace cg = cooperative_groups;

namespace softmax {
namespace {

// Largest number of bytes of a row in one block. The blocks of a cluster share longer rows.
constexpr int64_t kShare = 64 * 1024;

// Starts the bulk copy of a block's part of a row; called by one thread. Elements after the last whole pack (16 bytes)
// of the matrix are copied one by one, because nothing behind the matrix may be read.
template <typename T>
__device__ __forceinline__ void request(const Part<T> &part, uint4 *slot, const T *x, int64_t count,
                                        uint64_t *arrived) {
  constexpr int kWidth = Part<T>::kWidth;
  const int copied = int(max(min(count / kWidth - part.begin, int64_t(part.packs)), int64_t(0)));
  for (int64_t i = (part.begin + copied) * kWidth; i < count && i < (part.begin + part.packs) * kWidth; i++)
    reinterpret_cast<T *>(slot)[i - part.begin * kWidth] = x[i];
  bulk::arrive_and_expect(arrived, unsigned(copied) * 16);
  if (copied > 0) bulk::load(slot, reinterpret_cast<const uint4 *>(x) + part.begin, unsigned(copied) * 16, arrived);
}

// Calls f(index of a pack, elements of the pack) for the packs of this thread, except those that contain elements of
// other rows.
template <typename T, int kThreads, typename F>
__device__ __forceinline__ void for_each_pack(const Part<T> &part, const uint4 *slot, F f) {
#pragma unroll 4
  for (int p = part.low + int(threadIdx.x); p < part.high; p += kThreads) {
    float v[Part<T>::kWidth];
    Pack<T>::unpack(slot[p], v);
    f(p, v);
  }
}

// Returns the maximum and the sum of exponentials of this warp's elements.
template <typename T, int kThreads>
__device__ __forceinline__ LogStat stat_of(const Part<T> &part, const uint4 *slot, float edge) {
  float max = edge;
  for_each_pack<T, kThreads>(part, slot, [&](int, const float *v) {
#pragma unroll
    for (int i = 0; i < Part<T>::kWidth; i++)
      max = fmaxf(max, v[i]);
  });
  const float log = log_of(warp_max(max)), shift = shift_of(log);
  float sum[2] = {exp_apart(edge, shift), 0.0f};
  for_each_pack<T, kThreads>(part, slot, [&](int, const float *v) {
#pragma unroll
    for (int i = 0; i < Part<T>::kWidth; i++)
      sum[i % 2] += exp_apart(v[i], shift);
  });
  return {log, warp_sum(sum[0] + sum[1])};
}

template <typename T, int kThreads, int kBlocks>
__global__ void __launch_bounds__(kThreads, kBlocks)
    staged(const T *__restrict__ x, T *__restrict__ y, int64_t m, int n, int ranks) {
#if __CUDA_ARCH__ >= 900
  constexpr int kWarps = kThreads / kWarp, kWidth = Pack<T>::kWidth;
  extern __shared__ __align__(128) uint4 slot[];
  __shared__ uint64_t arrived;
  __shared__ LogStat stats[kMaxRanks * kWarps];
  const int rank = int(blockIdx.x) % ranks;
  const Part<T> part(blockIdx.x / ranks, n, rank, ranks);
  cg::this_cluster().barrier_arrive();
  if (threadIdx.x == 0) {
    bulk::barrier_init(&arrived, 1);
    bulk::barriers_ready();
    request(part, slot, x, m * n, &arrived);
  }
  __syncthreads();
  bulk::wait(&arrived, 0);
  const float edge = part.edge >= 0 ? to_float(reinterpret_cast<const T *>(slot)[part.edge]) : neg_inf();
  const LogStat all = cluster_stat<kWarps>(stat_of<T, kThreads>(part, slot, edge), stats, rank, ranks);
  const float shift = shift_of(all.log), scale = 1.0f / all.sum;
  uint4 *out = reinterpret_cast<uint4 *>(y) + part.begin;
  for_each_pack<T, kThreads>(part, slot, [&](int p, float *v) {
#pragma unroll
    for (int i = 0; i < kWidth; i++)
      v[i] = exp_apart(v[i], shift) * scale;
    out[p] = Pack<T>::pack(v);
  });
  if (part.edge >= 0) store(y + part.begin * kWidth + part.edge, exp_apart(edge, shift) * scale);
#endif
}

// ---- Launch --------------------------------------------------------------------------------------------------------

int ranks_of(int64_t bytes) {
  int ranks = 1;
  while (ranks < kMaxRanks && bytes > ranks * kShare)
    ranks *= 2;
  return ranks;
}

template <typename T, int kThreads, int kBlocks>
int launch_as(const T *x, T *y, int64_t m, int64_t n, cudaStream_t stream) {
  const auto kernel = staged<T, kThreads, kBlocks>;
  const int ranks = ranks_of(n * int64_t(sizeof(T)));
  const int bytes = int(softmax_cuda_staged_bytes(n, sizeof(T)));
  cudaError_t code = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  if (code == cudaSuccess && ranks > 8)
    code = cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  if (code != cudaSuccess) return code;
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = unsigned(ranks), cluster.val.clusterDim.y = 1, cluster.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(unsigned(m * ranks)), config.blockDim = dim3(kThreads), config.stream = stream;
  config.dynamicSmemBytes = size_t(bytes);
  config.attrs = &cluster, config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, x, y, m, int(n), ranks);
}

template <typename T>
int launch_staged(const T *x, T *y, int64_t m, int64_t n, cudaStream_t stream) {
  return launch_as<T, 256, 4>(x, y, m, n, stream);
}

}  // namespace
}  // namespace softmax

int64_t softmax_cuda_staged_bytes(int64_t n, int64_t size) {
  const int64_t ranks = softmax::ranks_of(n * size);
  return ((n * size + 31) / 16 + ranks - 1) / ranks * 16;
}

int softmax_cuda_staged(const void *x, void *y, int64_t m, int64_t n, int dtype, struct CUstream_st *stream) {
  return SOFTMAX_DISPATCH(softmax::launch_staged);
}
