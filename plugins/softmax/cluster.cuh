// Merges a row's maximum and sum across the blocks of a cluster.
#ifndef SOFTMAX_CLUSTER_CUH
#define SOFTMAX_CLUSTER_CUH

#include <cooperative_groups.h>

#include "device.cuh"

namespace softmax {

constexpr int kMaxRanks = 16;  // a cluster of more than 8 blocks is not portable: the launch must opt in

// Every warp writes its pair into the shared memory of every block; `stats` has room for kMaxRanks * kWarps pairs. Call
// it after all blocks have arrived at the cluster's barrier.
template <int kWarps>
__device__ __forceinline__ LogStat cluster_stat(LogStat mine, LogStat *stats, int rank, int ranks) {
  const int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
#if __CUDA_ARCH__ >= 900
  cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  cluster.barrier_wait();  // waits until every block runs: its shared memory can be written from then on
  if (lane < ranks) *cluster.map_shared_rank(stats + rank * kWarps + warp, lane) = mine;
  cluster.sync();
#endif
  LogStat all = {neg_inf(), 0.0f};
  for (int i = lane; i < ranks * kWarps; i += kWarp)
    all = merge(all, stats[i]);
  return warp_merge(all);
}

}  // namespace softmax

#endif
