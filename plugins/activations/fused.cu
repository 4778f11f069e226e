// LayerNorm, RMSNorm and LayerNorm with GELU for CUDA, with a single read of x: the row stays in the registers of a
// warp, a block or a cluster of blocks. This file does not use the plugin interface.
#include <cooperative_groups.h>

#include "norm.cuh"

namespace cg = cooperative_groups;

namespace activations {
namespace {

constexpr int kPerThread = 32;  // the most elements of a row that a thread holds in registers
constexpr int kRowsPerBlock = 4;
constexpr int kMaxRanks = 8;  // blocks of a cluster: the highest number that every device with clusters supports

template <typename T, typename Norm, typename Finish, int E>
__global__ void __launch_bounds__(kRowsPerBlock *kWarp) fused_warp(const Rows<T> rows) {
  const int64_t row = int64_t(blockIdx.x) * kRowsPerBlock + threadIdx.x / kWarp;
  if (row >= rows.m) return;
  const int64_t start = row * rows.n;
  Slice<T, E> slice(rows.x + start, rows.n, threadIdx.x % kWarp, kWarp, 0, 1);
  slice.load(rows.x + start);
  const Moments all = Norm::of(slice);
  slice.template write<Norm::kBeta, Finish>(rows.y + start, rows.gamma, rows.beta, all.mean, scale_of(all, rows.n));
}

template <typename T, typename Norm, typename Finish, int Threads, int E>
__global__ void __launch_bounds__(Threads, 1024 / Threads) fused_block(const Rows<T> rows) {
  constexpr int kWarps = Threads / kWarp;
  __shared__ Moments part[kWarps];
  const int64_t start = int64_t(blockIdx.x) * rows.n;
  const int lane = threadIdx.x % kWarp;
  Slice<T, E> slice(rows.x + start, rows.n, threadIdx.x, Threads, 0, 1);
  slice.load(rows.x + start);
  const Moments mine = Norm::of(slice);
  if (lane == 0) part[threadIdx.x / kWarp] = mine;
  __syncthreads();
  const Moments all = Norm::merge(lane < kWarps ? part[lane] : Moments{0.0f, 0.0f, 0.0f});
  slice.template write<Norm::kBeta, Finish>(rows.y + start, rows.gamma, rows.beta, all.mean, scale_of(all, rows.n));
}

// Normalises one row per cluster, whose blocks share the row. Each warp writes the mean and the sum of squared
// deviations of its elements to the shared memory of all blocks. A single cluster barrier between the loads and the
// stores is then enough.
template <typename T, typename Norm, typename Finish, int Threads, int E>
__global__ void __launch_bounds__(Threads, 1024 / Threads) fused_cluster(const Rows<T> rows) {
#if __CUDA_ARCH__ >= 900
  constexpr int kWarps = Threads / kWarp;
  __shared__ Moments part[kMaxRanks * kWarps];
  cg::cluster_group cluster = cg::this_cluster();
  const int ranks = cluster.num_blocks();
  const int rank = cluster.block_rank();
  const int lane = threadIdx.x % kWarp;
  const int64_t start = int64_t(blockIdx.x / ranks) * rows.n;

  // Every block arrives here and waits below, because the shared memory of a block must not be written before that
  // block runs.
  cluster.barrier_arrive();
  Slice<T, E> slice(rows.x + start, rows.n, threadIdx.x, Threads, rank, ranks);
  slice.load(rows.x + start);
  const Moments mine = Norm::of(slice);
  cluster.barrier_wait();
  if (lane < ranks) *cluster.map_shared_rank(part + rank * kWarps + threadIdx.x / kWarp, lane) = mine;
  cluster.sync();

  // Each lane merges the moments of some warps of the cluster. Then the results of all lanes are merged.
  float count = 0.0f, sum = 0.0f, m2 = 0.0f;
  for (int i = lane; i < ranks * kWarps; i += kWarp)
    count += part[i].count, sum += part[i].count * part[i].mean;
  const float mean = mean_of(sum, count);
  for (int i = lane; i < ranks * kWarps; i += kWarp) {
    const float d = part[i].mean - mean;
    m2 += part[i].m2 + part[i].count * d * d;
  }
  const Moments all = Norm::merge({count, mean, m2});
  slice.template write<Norm::kBeta, Finish>(rows.y + start, rows.gamma, rows.beta, all.mean, scale_of(all, rows.n));
#endif
}

// ---- Launch --------------------------------------------------------------------------------------------------------

template <typename T, typename Norm, typename Finish, int E>
int launch_warp(const Rows<T> &rows, cudaStream_t stream) {
  const unsigned blocks = unsigned((rows.m + kRowsPerBlock - 1) / kRowsPerBlock);
  fused_warp<T, Norm, Finish, E><<<blocks, kRowsPerBlock * kWarp, 0, stream>>>(rows);
  return cudaGetLastError();
}

template <typename T, typename Norm, typename Finish, int Threads, int E>
int launch_block(const Rows<T> &rows, cudaStream_t stream) {
  fused_block<T, Norm, Finish, Threads, E><<<unsigned(rows.m), Threads, 0, stream>>>(rows);
  return cudaGetLastError();
}

template <typename T, typename Norm, typename Finish>
int launch_cluster(const Rows<T> &rows, int ranks, cudaStream_t stream) {
  constexpr int kThreads = 512;
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = unsigned(ranks), attribute.val.clusterDim.y = 1, attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(unsigned(rows.m * ranks)), config.blockDim = dim3(kThreads), config.stream = stream;
  config.attrs = &attribute, config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, fused_cluster<T, Norm, Finish, kThreads, kPerThread>, rows);
}

// The longest rows that fit the registers of a block and of a cluster. The elements of an unaligned row that are before
// its first or after its last 16-byte boundary are held in addition to these.
constexpr int64_t kBlockLimit = 512 * kPerThread;
constexpr int64_t kClusterLimit = kMaxRanks * kBlockLimit;

// Gives each short row a warp, each longer row a block, and each row that is too long for a block a cluster of blocks.
template <typename T, typename Norm, typename Finish>
int launch_fused(const activations_call &call) {
  const Rows<T> rows = rows_of<T>(call);
  const int64_t n = call.n;
  if (n <= 256) return launch_warp<T, Norm, Finish, 8>(rows, call.stream);
  if (n <= 1024) return launch_warp<T, Norm, Finish, 32>(rows, call.stream);
  if (n <= 2048) return launch_block<T, Norm, Finish, 128, 16>(rows, call.stream);
  if (n <= 4096) return launch_block<T, Norm, Finish, 128, 32>(rows, call.stream);
  if (n <= 8192) return launch_block<T, Norm, Finish, 256, 32>(rows, call.stream);
  if (n <= kBlockLimit) return launch_block<T, Norm, Finish, 512, 32>(rows, call.stream);
  const int ranks = n <= 2 * kBlockLimit ? 2 : n <= 4 * kBlockLimit ? 4 : 8;
  return launch_cluster<T, Norm, Finish>(rows, ranks, call.stream);
}

}  // namespace
}  // namespace activations

using namespace activations;

int64_t activations_cuda_fused_limit(int64_t compute_capability) {
  return compute_capability >= 90 ? kClusterLimit : kBlockLimit;
}

int activations_cuda_layernorm_fused(const activations_call *call) {
  return ACTIVATIONS_DISPATCH(launch_fused, Layer, Plain);
}

int activations_cuda_rmsnorm_fused(const activations_call *call) {
  return ACTIVATIONS_DISPATCH(launch_fused, Rms, Plain);
}

int activations_cuda_layernorm_gelu_fused(const activations_call *call) {
  return ACTIVATIONS_DISPATCH(launch_fused, Layer, Gelu);
}

int activations_cuda_layernorm_gelu_unfused(const activations_call *call) {
  activations_call norm = *call, gelu = *call;
  norm.y = call->middle;
  gelu.x = call->middle;
  gelu.form = ACTIVATIONS_ERF;
  const int code = activations_cuda_layernorm_fused(&norm);
  return code != cudaSuccess ? code : activations_cuda_gelu_fast(&gelu);
}
