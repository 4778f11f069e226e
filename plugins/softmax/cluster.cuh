// Merges the maximum and the sum of a row across the blocks of a cluster.
#ifndef SOFTMAX_CLUSTER_CUH
#define SOFTMAX_CLUSTER_CUH

#include <cooperative_groups.h>

#include "device.cuh"

namespace softmax {

constexpr int kMaxRanks = 16;  // more than 8 blocks are not portable, so that the launch must opt in

// Returns the maximum and the sum of exponentials of a row to all threads of the cluster that shares the row. Every
// warp writes its own pair (maximum, sum) to the shared memory of every block. `stats` has room for kMaxRanks * kWarps
// pairs. Each block must have arrived at the cluster's barrier before this call.
template <int kWarps>
__device__ __forceinline__ LogStat cluster_stat(LogStat mine, LogStat *stats, int rank, int ranks) {
  const int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
#if __CUDA_ARCH__ >= 900
  cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  cluster.barrier_wait();  // the shared memory of a block must not be written before the block runs
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
