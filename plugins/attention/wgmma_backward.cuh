// The kernel of "backward" for Hopper, bf16. P and dS are computed once, so that one pass needs five products: S, dP,
// dV, dK and dQ.
//
// A CTA takes blocks of 128 keys of a head, one after the other, and goes over the queries that see them, of every head
// that shares the keys. Two warps request Q and dO with their lse and delta from the copy engine (TMA), two blocks
// ahead, and the keys and values of the next block of keys. Two warpgroups of 64 keys each multiply. S^T and dP^T have
// a row for each key, so that P^T and dS^T in registers are left operands of dV and dK. dS^T is also written to shared
// memory, from where each warpgroup multiplies one half of dQ and adds it to sums in global memory.
#ifndef ATTENTION_WGMMA_BACKWARD_CUH
#define ATTENTION_WGMMA_BACKWARD_CUH

#include <cuda_bf16.h>

#include "tile.cuh"
#include "wgmma_backward_fetch.cuh"

namespace attention {

// Computes sum = a b^T over a depth of D, for the 64 rows of `a` that belong to the warpgroup, and N rows of b.
template <int D, int N>
__device__ __forceinline__ void multiply(float (&sum)[N / 2], uint32_t a, uint32_t b) {
  typedef backward_shape<D> shape;
#pragma unroll
  for (int i = 0; i < D / 16; ++i) {
    const uint64_t of_a = descriptor(a + i / 4 * shape::key_panel) + i % 4 * 2;
    const uint64_t of_b = descriptor(b + i / 4 * shape::query_panel) + i % 4 * 2;
    if (i == 0)
      product_begun(sum, of_a, of_b);
    else
      product_more(sum, of_a, of_b);
  }
}

// Stores a warp's fragments, 16 rows by 16 * COUNT columns from row `row` on, to panels of 128-byte rows with the
// 128-byte swizzle.
template <int COUNT>
__device__ __forceinline__ void store_fragments(uint32_t to, uint32_t panel, int row,
                                                const uint32_t (&from)[COUNT][4]) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const uint32_t line = to + static_cast<uint32_t>(row + lane % 16) * 128;
#pragma unroll
  for (int i = 0; i < COUNT; ++i)
    store_matrices(line + i / 4 * panel + (((i % 4 * 2 + lane / 16) ^ (lane & 7)) << 4), from[i][0], from[i][1],
                   from[i][2], from[i][3]);
}

// Converts the sums of a wgmma to bf16 left operands of wgmmas of depth 16, which have the same layout in registers.
template <int N>
__device__ __forceinline__ void to_fragments(uint32_t (&to)[N / 8][4], const float (&from)[N]) {
#pragma unroll
  for (int i = 0; i < N / 8; ++i) {
#pragma unroll
    for (int j = 0; j < 4; ++j)
      to[i][j] = pack_bf16(from[i * 8 + j * 2], from[i * 8 + j * 2 + 1]);
  }
}

// A warpgroup that multiplies: its sums, and how it processes a block of keys, turn by turn (a turn is one block of
// queries of one head).
template <int D, bool CAUSAL>
struct backward_group {
  typedef backward_shape<D> shape;
  static constexpr int N = shape::queries;
  const backward_memory<D> &memory;
  const backward_arguments &arg;
  backward_part part;
  uint32_t k, v;  // shared addresses of K and V of the current block of keys
  int group, warp, lane, turn;
  float dk[D / 2], dv[D / 2], scores[N / 2];

  __device__ __forceinline__ backward_group(const backward_memory<D> &m, const backward_arguments &a)
      : memory(m), arg(a), turn(0) {
    group = static_cast<int>(threadIdx.x) / 128 - 1;
    warp = static_cast<int>(threadIdx.x) / 32 % 4;
    lane = static_cast<int>(threadIdx.x) % 32;
  }

  __device__ __forceinline__ void multiply_scores(int stage) {
    multiply<D, N>(scores, k + group * 8192, memory.start + shape::q + stage * shape::query_bytes);
  }

  // Turns the scores of queries of block number `block` into P = exp(score - lse), 0 where the mask hides a key.
  __device__ __forceinline__ void weigh(int stage, int block) {
    const float2 *lse = reinterpret_cast<const float2 *>(memory.lse + stage * N) + lane % 4;
#pragma unroll
    for (int j = 0; j < N / 8; ++j) {
      const float2 less = lse[j * 4];
#pragma unroll
      for (int e = 0; e < 4; ++e)
        scores[j * 4 + e] = exp2_fast(fmaf(scores[j * 4 + e], arg.scale_log2, e % 2 ? -less.y : -less.x));
    }
    const int key0 = part.tile * kBackwardKeys, query0 = block * N;
    if ((CAUSAL && query0 < key0 + kBackwardKeys - 1) || key0 + kBackwardKeys > arg.s) {
      const int key = key0 + group * 64 + warp * 16 + lane / 4, query = query0 + lane % 4 * 2;
#pragma unroll
      for (int i = 0; i < N / 2; ++i) {
        const int row = key + i % 4 / 2 * 8, column = query + i / 4 * 8 + i % 2;
        if (row >= arg.s || (CAUSAL && row > column)) scores[i] = 0.0f;
      }
    }
  }

  // Computes dS = P * (dP - delta), packed to bf16 in the register layout of a left operand of wgmma.
  __device__ __forceinline__ void differentiate(uint32_t (&ds)[N / 16][4], const float (&dp)[N / 2], int stage) const {
    const float2 *delta = reinterpret_cast<const float2 *>(memory.delta + stage * N) + lane % 4;
#pragma unroll
    for (int j = 0; j < N / 8; ++j) {
      const float2 less = delta[j * 4];
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int i = j * 4 + half * 2;
        ds[j / 2][j % 2 * 2 + half] = pack_bf16(scores[i] * (dp[i] - less.x), scores[i + 1] * (dp[i + 1] - less.y));
      }
    }
  }

  // Computes sum += left * right, with `left` in registers. Used for dV += P^T dO and dK += dS^T Q.
  __device__ __forceinline__ void accumulate(float (&sum)[D / 2], const uint32_t (&left)[N / 16][4], uint32_t right) {
#pragma unroll
    for (int i = 0; i < N / 16; ++i)
      product_rows(sum, left[i], descriptor_across(right, shape::query_panel) + i * 128);
  }

  __device__ __forceinline__ void multiply_dv(uint32_t (&left)[N / 16][4], uint32_t d_o) {
    to_fragments(left, scores);
    products_begin();
    accumulate(dv, left, d_o);
    products_commit();
  }

  // Starts the products of this warpgroup's half of dQ = dS K: half of the columns if a block has 64 queries, else half
  // of the queries.
  __device__ __forceinline__ void multiply_dq(float (&dq)[32], uint32_t ds) const {
    const uint32_t half = static_cast<uint32_t>(group) * shape::key_panel;
    const uint64_t a = descriptor_across(ds + (D == 64 ? half : 0), 0);
    const uint64_t b = descriptor_across(k + (D == 64 ? 0 : half), 0);
    product_across_begun(dq, a, b);
#pragma unroll
    for (int i = 1; i < kBackwardKeys / 16; ++i)
      product_across_more(dq, a + i * 128, b + i * 128);
  }

  __device__ __forceinline__ void add_dq(const float (&dq)[32], int64_t head, int block) const {
    const int64_t tile = head * (arg.work.padded / kSumRows) + (D == 64 ? block * 2 + group : block);
    float *to = arg.work.dq + (tile * (D / 8) + (D == 64 ? 0 : group * 8)) * 512 + threadIdx.x % 128 * 4;
#pragma unroll
    for (int i = 0; i < 8; ++i)
      add_four(to + i * 512, dq[i * 4], dq[i * 4 + 1], dq[i * 4 + 2], dq[i * 4 + 3]);
  }

  // Processes a block of queries, whose scores the preceding call has computed; computes the scores of the next block
  // unless LAST. No wgmma is in flight between two calls, because ptxas cannot track it across them.
  template <bool LAST>
  __device__ __forceinline__ void block_of_queries(int64_t head, int block) {
    const backward_stage<D> stage(turn), next(turn + 1);
    const uint32_t q = memory.start + shape::q + stage.at * shape::query_bytes;
    const uint32_t d_o = memory.start + shape::d_o + stage.at * shape::query_bytes;
    const uint32_t ds = memory.start + shape::ds + (turn & 1) * shape::ds_bytes;
    float dp[N / 2];
    uint32_t left[N / 16][4], right[N / 16][4];
    bulk::wait(memory.o_full + stage.at, stage.parity);
    products_begin();
    multiply<D, N>(dp, v + group * 8192, d_o);
    products_commit();
    weigh(stage.at, block);
    if constexpr (shape::early) multiply_dv(left, d_o);
    products_wait<shape::early ? 1 : 0>();
    settle(dp);
    differentiate(right, dp, stage.at);
    if constexpr (!shape::early) multiply_dv(left, d_o);
    store_fragments(ds, shape::key_panel, group * 64 + warp * 16, right);
    fence_for_copies();
    pair_wait(1);
    products_wait<0>();  // frees the registers of the left operand, which dQ needs
    settle(dv);
    arrive(memory.o_empty + stage.at);
    float dq[32];
    products_begin();
    multiply_dq(dq, ds);
    products_commit();
    accumulate(dk, right, q);
    products_commit();
    if constexpr (!LAST) {
      bulk::wait(memory.q_full + next.at, next.parity);
      products_begin();
      multiply_scores(next.at);
      products_commit();
    }
    products_wait<LAST ? 1 : 2>();
    settle(dq);
    add_dq(dq, head, block);
    products_wait<0>();
    settle(scores);
    settle(dk);
    arrive(memory.q_empty + stage.at);
    ++turn;
  }

  // Stores dK and dV through the shared memory of K and V; rows past the end are not stored.
  __device__ __forceinline__ void store_keys(const backward_maps &maps) {
    products_wait<0>();
    settle(dk);
    settle(dv);
    uint32_t rows[D / 16][4];
    pair_wait(1);
#pragma unroll
    for (int i = 0; i < D / 2; ++i)
      dk[i] *= arg.scale;
    to_fragments(rows, dk);
    store_fragments(k, shape::key_panel, group * 64 + warp * 16, rows);
    to_fragments(rows, dv);
    store_fragments(v, shape::key_panel, group * 64 + warp * 16, rows);
    fence_for_copies();
    pair_wait(1);
    if (threadIdx.x % 128 != 0) return;
    const int row = part.tile * kBackwardKeys + group * 64;
    for (int i = 0; i < shape::panels; ++i) {
      const uint32_t at = i * shape::key_panel + group * 8192;
      store_tile(&maps.dk, i * 64, row, part.head, k + at);
      store_tile(&maps.dv, i * 64, row, part.head, v + at);
    }
    bulk::commit();
  }

  // Releases the shared memory of the preceding block of keys once TMA has read that block's dK and dV from it.
  __device__ __forceinline__ void release_keys(uint64_t *empty) const {
    if (threadIdx.x % 128 != 0) return;
    bulk::wait_read<0>();
    arrive(empty);
  }

  // Processes a block of keys, or, if SHARE, only `turns` of its turns from turn `first_turn` on. After the first turn
  // it releases the memory of the preceding block of keys, if there was one (`before`).
  template <bool SHARE = false>
  __device__ __forceinline__ void block_of_keys(const backward_stage<D> &stage, bool before, int first_turn = 0,
                                                int turns = 0) {
    k = memory.start + shape::k + stage.at * shape::key_bytes;
    v = memory.start + shape::v + stage.at * shape::key_bytes;
#pragma unroll
    for (int i = 0; i < D / 2; ++i)
      dk[i] = dv[i] = 0.0f;
    settle(dk);
    settle(dv);
    const backward_stage<D> first(turn);
    bulk::wait(memory.q_full + first.at, first.parity);
    products_begin();
    multiply_scores(first.at);
    products_commit();
    products_wait<0>();
    settle(scores);
    bulk::wait(memory.v_full + stage.at, stage.parity);
    int64_t head = static_cast<int64_t>(part.head) * arg.group;
    int block = part.first;
    if constexpr (SHARE) {
      head += first_turn / (part.last - part.first);
      block += first_turn % (part.last - part.first);
    }
    for (int left = (SHARE ? turns : arg.group * (part.last - part.first)) - 1; left > 0; --left) {
      block_of_queries<false>(head, block);
      if (before) release_keys(memory.k_empty + (stage.at ^ 1));
      before = false;
      if (++block < part.last) continue;
      block = part.first;
      ++head;
    }
    block_of_queries<true>(head, block);
    if (before) release_keys(memory.k_empty + (stage.at ^ 1));
  }

  __device__ __forceinline__ void all(const backward_maps &maps) {
    for (int number = 0;; ++number) {
      const backward_stage<D> stage(number);
      bulk::wait(memory.k_full + stage.at, stage.parity);
      const int keys = memory.keys[stage.at];
      if (keys < 0) break;
      part = backward_part_of<D, CAUSAL>(arg, keys);
      block_of_keys(stage, number > 0);
      store_keys(maps);
    }
    if (threadIdx.x % 128 == 0) bulk::wait_read<0>();
  }
};

template <int D, bool CAUSAL>
__global__ void __launch_bounds__(kBackwardThreads, 1)
    backward_wgmma_kernel(const __grid_constant__ backward_maps maps, const __grid_constant__ backward_arguments arg) {
  extern __shared__ __align__(1024) uint8_t bytes[];
  const backward_memory<D> memory(bytes);
  if (threadIdx.x == 0) memory.make_barriers();
  __syncthreads();
  if (threadIdx.x < 128) {
    fewer_registers<24>();
    if (threadIdx.x == 0) {
      backward_fetcher<D, CAUSAL, true> fetcher = {maps, arg, memory, 0};
      fetcher.take_all();
    } else if (threadIdx.x == 32) {
      backward_fetcher<D, CAUSAL, false> fetcher = {maps, arg, memory, 0};
      fetcher.follow();
    }
  } else {
    more_registers<240>();
    backward_group<D, CAUSAL> group(memory, arg);
    group.all(maps);
  }
}

}  // namespace attention
#endif
