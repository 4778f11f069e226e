// "backward" for Hopper if there are fewer blocks of keys than SMs. The turns of a block of keys (one turn is a block
// of queries of one head that shares the keys) are cut into shares of equal size, one per CTA. A share writes its sums
// of dK and dV to the workspace; a last kernel adds up the shares of a block in order. Each of the three kernels begins
// while the preceding one ends (programmatic dependent launch).
#ifndef ATTENTION_WGMMA_BACKWARD_SHARES_CUH
#define ATTENTION_WGMMA_BACKWARD_SHARES_CUH

#include "backward_rows.cuh"
#include "wgmma_backward.cuh"

namespace attention {

// The greatest number of shares (parts of blocks of keys). Each share has one CTA on a separate SM, so that of a GPU
// with more SMs some stay unused.
constexpr int kMostShares = 144;

// How blocks of keys are cut into shares. `sums` is [shares][dk, dv][128 keys][d], in tiles like those of
// backward_workspace.dq.
struct backward_shares {
  float *sums;
  int count;                       // number of shares; 0: blocks are not cut
  int most;                        // turns of a share; the last share of a block may have fewer
  uint8_t first[kMostShares + 1];  // the first share of each block of keys
  uint8_t block[kMostShares];      // the block of keys of each share
};

struct backward_share {
  backward_part part;
  int turn, turns;  // the share's first turn within its block of keys, and its number of turns
};

template <int D, bool CAUSAL>
__device__ __forceinline__ backward_share backward_share_of(const backward_arguments &arg,
                                                            const backward_shares &shares) {
  const int block = shares.block[blockIdx.x];
  backward_share s;
  s.part = backward_part_of<D, CAUSAL>(arg, block);
  s.turn = (static_cast<int>(blockIdx.x) - shares.first[block]) * shares.most;
  s.turns = min(shares.most, arg.group * (s.part.last - s.part.first) - s.turn);
  return s;
}

// Returns true if the share of this CTA is a whole block of keys.
__device__ __forceinline__ bool backward_share_alone(const backward_shares &shares) {
  const int block = shares.block[blockIdx.x];
  return shares.first[block + 1] - shares.first[block] == 1;
}

// The number of floats of one share, which is the distance in `sums` from one share to the next.
template <int D>
constexpr int kShareFloats = 2 * kBackwardKeys *D;

template <int D, bool CAUSAL, bool OF_K>
__device__ __forceinline__ void fetch_share(const backward_maps &maps, const backward_arguments &arg,
                                            const backward_memory<D> &memory, const backward_share &share) {
  backward_fetcher<D, CAUSAL, OF_K> fetcher = {maps, arg, memory, 0};
  fetcher.fetch_keys(0, share.part);
  int head = share.part.head * arg.group, block = share.part.first;
  // Counts up to the first turn of the share instead of computing its head and block by a division, which saves
  // registers.
#pragma unroll 1
  for (int turn = -share.turn; fetcher.turn < share.turns; ++turn) {
    if (turn >= 0) {
      fetcher.template fetch_queries<true>(head, block);
      ++fetcher.turn;
    }
    if (++block < share.part.last) continue;
    block = share.part.first;
    ++head;
  }
}

template <int D, bool CAUSAL>
__device__ __forceinline__ void add_up_share(const backward_maps &maps, const backward_arguments &arg,
                                             const backward_memory<D> &memory, const backward_shares &shares) {
  const backward_share share = backward_share_of<D, CAUSAL>(arg, shares);
  const backward_stage<D> stage(0);
  backward_group<D, CAUSAL> group(memory, arg);
  group.part = share.part;
  wait_for_kernel_before();  // the preceding kernel zeroes the sums of dQ
  bulk::wait(memory.k_full, 0);
  group.template block_of_keys<true>(stage, false, share.turn, share.turns);
  let_next_kernel_begin();
  if (backward_share_alone(shares)) {
    group.store_keys(maps);
    if (threadIdx.x % 128 == 0) bulk::wait_read<0>();
    return;
  }
  float *to =
      shares.sums + static_cast<int64_t>(blockIdx.x) * kShareFloats<D> + group.group * 64 * D + threadIdx.x % 128 * 4;
  const auto store = [](float *at, const float(&sum)[D / 2]) {
#pragma unroll
    for (int i = 0; i < D / 8; ++i)
      *reinterpret_cast<float4 *>(at + i * 512) =
          make_float4(sum[i * 4], sum[i * 4 + 1], sum[i * 4 + 2], sum[i * 4 + 3]);
  };
  store(to, group.dk);
  store(to + kBackwardKeys * D, group.dv);
}

template <int D, bool CAUSAL>
__global__ void __launch_bounds__(kBackwardThreads, 1)
    backward_shares_kernel(const __grid_constant__ backward_maps maps, const __grid_constant__ backward_arguments arg,
                           const __grid_constant__ backward_shares shares) {
  extern __shared__ __align__(1024) uint8_t bytes[];
  const backward_memory<D> memory(bytes);
  if (threadIdx.x == 0) memory.make_barriers();
  __syncthreads();
  if (threadIdx.x < 128) {
    fewer_registers<24>();
    if (threadIdx.x == 0)
      fetch_share<D, CAUSAL, true>(maps, arg, memory, backward_share_of<D, CAUSAL>(arg, shares));
    else if (threadIdx.x == 32)
      fetch_share<D, CAUSAL, false>(maps, arg, memory, backward_share_of<D, CAUSAL>(arg, shares));
  } else {
    more_registers<240>();
    add_up_share<D, CAUSAL>(maps, arg, memory, shares);
  }
}

// ---- The kernels before and after the main one ---------------------------------------------------------------------

template <int D>
__global__ void __launch_bounds__(kRowsThreads) before_shares_kernel(const rows_arguments arg) {
  let_next_kernel_begin();
  begin_row<D>(arg, static_cast<int64_t>(blockIdx.x) * kRowsThreads + threadIdx.x);
}

struct shares_end {
  rows_arguments rows;
  backward_order order;
  __nv_bfloat16 *dk, *dv;
  unsigned row_ctas;  // CTAs that run end_rows(); the others add up dK and dV
};

// Adds up the shares of a block and stores dK or dV. Each thread adds up four elements: those that one thread of the
// main kernel held as accumulators of an mma of 16 rows by 8 columns.
template <int D>
__device__ __forceinline__ void add_shares(const shares_end &arg, const backward_shares &shares, int item) {
  constexpr int tiles = kBackwardKeys / kSumRows, of_matrix = kBackwardKeys * D / 4;
  const int block = item / (2 * of_matrix), within = item % (2 * of_matrix);
  const int first = shares.first[block], end = shares.first[block + 1];
  if (end - first == 1) return;  // the CTA of a single share has stored the result itself
  const float4 *from = reinterpret_cast<const float4 *>(shares.sums) + within;
  float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll 8
  for (int share = first; share < end; ++share) {
    const float4 x = __ldcs(from + static_cast<int64_t>(share) * (kShareFloats<D> / 4));
    sum = make_float4(sum.x + x.x, sum.y + x.y, sum.z + x.z, sum.w + x.w);
  }
  const bool of_dk = within < of_matrix;
  const float scale = of_dk ? arg.rows.scale : 1.0f;
  const int thread = within % 128, chunk = within / 128 % (D / 8), tile = within / (128 * D / 8) % tiles;
  const backward_place place = backward_place_of(arg.order, static_cast<unsigned>(block));
  const int row = place.tile * kBackwardKeys + tile * kSumRows + thread / 32 * 16 + thread % 32 / 4;
  __nv_bfloat16 *to = (of_dk ? arg.dk : arg.dv) + (static_cast<int64_t>(place.head) * arg.rows.s + row) * D +
                      chunk * 8 + thread % 4 * 2;
  if (row < arg.rows.s) *reinterpret_cast<uint32_t *>(to) = pack_bf16(sum.x * scale, sum.y * scale);
  if (row + 8 < arg.rows.s) *reinterpret_cast<uint32_t *>(to + 8 * D) = pack_bf16(sum.z * scale, sum.w * scale);
}

template <int D>
__global__ void __launch_bounds__(kRowsThreads)
    after_shares_kernel(const __grid_constant__ shares_end arg, const __grid_constant__ backward_shares shares) {
  wait_for_kernel_before();
  if (blockIdx.x < arg.row_ctas)
    end_rows<D>(arg.rows, static_cast<int64_t>(blockIdx.x) * kRowsThreads + threadIdx.x);
  else
    add_shares<D>(arg, shares, static_cast<int>((blockIdx.x - arg.row_ctas) * kRowsThreads + threadIdx.x));
}

}  // namespace attention
#endif
