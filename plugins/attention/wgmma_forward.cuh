// The kernel of "forward" for Hopper, bf16, fp16 and e4m3.
//
// A CTA takes tiles of 64, 128 or 192 queries of a head until there are no more. One thread requests queries, keys and
// values from the copy engine (TMA) ahead of time; warpgroups of 64 queries each multiply. Scores stay in registers,
// and become P, the left operand of the second product, there. While a warpgroup computes P of a block, the products of
// the preceding P are in flight; and warpgroups take turns, so that one multiplies while another computes its softmax.
// Blocks of keys are processed from the last to the first, so that only the first processed block that a warpgroup sees
// needs a mask, or the first two if the ends of blocks and of the warpgroup's 64 queries do not coincide.
//
// For e4m3, P is rounded to e4m3 as well, after scaling by 16; a row's maximum is updated before any P exceeds the
// range. The keys of transposed values are in the order in which a thread's scores form an operand.
#ifndef ATTENTION_WGMMA_FORWARD_CUH
#define ATTENTION_WGMMA_FORWARD_CUH

#include <cuda_bf16.h>

#include "tile.cuh"
#include "wgmma_forward_fetch.cuh"
#include "wgmma_forward_values.cuh"

namespace attention {

// Returns the thread's number in its warpgroup. The special register is read again in each call (asm volatile), so that
// values derived from the number occupy no registers in between.
__device__ __forceinline__ int forward_thread() {
  int thread;
  asm volatile("mov.u32 %0, %%tid.x;\n" : "=r"(thread));
  return thread % 128;
}

template <typename S, bool CAUSAL>
struct forward_group {
  typedef typename S::type T;
  typedef std::conditional_t<S::narrow, __nv_bfloat16, T> out;
  static constexpr int D = S::d, N = S::keys;
  // How many of the blocks of keys that this warpgroup sees may need a mask: the last one or the last two.
  static constexpr int masked = !CAUSAL || 64 % N == 0 || N % 64 == 0 ? 1 : 2;
  const forward_memory<S> &memory;
  const forward_arguments &arg;
  int group, turn;
  int first;   // the first query of this warpgroup
  uint32_t q;  // shared address of this warpgroup's queries
  float top[2], sum[2], factor[2];
  bool raised;
  float o[D / 2];
  uint32_t p[N * S::width / 32][4];

  __device__ __forceinline__ forward_group(const forward_memory<S> &m, const forward_arguments &a)
      : memory(m), arg(a), turn(0) {
    // The shuffle tells ptxas that `group`, and values derived from it, are the same in all threads of a warp.
    group = __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x) / 128 - 1, 0);
  }

  __device__ __forceinline__ bool leads() const {
    return forward_thread() == 0;
  }

  __device__ __forceinline__ void group_wait() const {
    asm volatile("barrier.cta.sync %0, 128;\n" ::"r"(1 + S::groups + group) : "memory");
  }

  __device__ __forceinline__ void release(uint64_t *empty) const {
    if (leads()) arrive(empty);
  }

  // ---- Products ----

  __device__ __forceinline__ void multiply_scores(float (&scores)[N / 2], int stage) const {
    const uint32_t k = memory.start + S::k + stage * S::key_bytes;
    constexpr int steps = S::row_bytes / 32;  // steps of 32 bytes in a panel
#pragma unroll
    for (int i = 0; i < S::panels * steps; ++i) {
      const uint64_t of_q = descriptor_rows<S::row_bytes>(q + i / steps * S::q_panel) + i % steps * 2;
      const uint64_t of_k = descriptor_rows<S::row_bytes>(k + i / steps * S::key_panel) + i % steps * 2;
      if constexpr (S::narrow) {
        if (i == 0)
          product_begun_e4m3(scores, of_q, of_k);
        else
          product_more_e4m3(scores, of_q, of_k);
      } else if (i == 0)
        product_begun<T>(scores, of_q, of_k);
      else
        product_more<T>(scores, of_q, of_k);
    }
    products_commit();
  }

  __device__ __forceinline__ void multiply_values(int stage) {
    const uint32_t at = memory.start + S::v + stage * S::key_bytes;
    if constexpr (S::narrow) {
      constexpr int row = S::values_row;
      const uint64_t v = descriptor_rows<row>(at);
#pragma unroll
      for (int i = 0; i < N / 32; ++i)
        product_rows_e4m3(o, p[i], v + (i * 32 / row * row * D + i * 32 % row) / 16);
    } else {
      const uint64_t v = descriptor_across(at, S::key_panel);
#pragma unroll
      for (int i = 0; i < N / 16; ++i)
        product_rows<T>(o, p[i], v + i * 128);
    }
    products_commit();
  }

  // ---- Softmax: a thread has scores of two rows, `half` 0 and 1; score number i is of row i % 4 / 2 ----

  __device__ __forceinline__ void mask(float (&scores)[N / 2], int block) const {
    const int thread = forward_thread();
    const int row = first + thread / 32 * 16 + thread % 32 / 4, column = block * N + thread % 4 * 2;
    const int end[2] = {(CAUSAL ? min(arg.s, row + 1) : arg.s) - column,
                        (CAUSAL ? min(arg.s, row + 9) : arg.s) - column};
#pragma unroll
    for (int i = 0; i < N / 2; ++i)
      if (i / 4 * 8 + i % 2 >= end[i % 4 / 2]) scores[i] = -INFINITY;
  }

  __device__ __forceinline__ void raise(const float (&scores)[N / 2]) {
    float most[2];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float a = fmaxf(top[half], scores[half * 2]), b = scores[half * 2 + 1];
#pragma unroll
      for (int i = 4; i < N / 2; i += 4) {
        a = fmaxf(a, scores[i + half * 2]);
        b = fmaxf(b, scores[i + half * 2 + 1]);
      }
      a = fmaxf(a, b);
      a = fmaxf(a, __shfl_xor_sync(0xffffffffu, a, 1));
      most[half] = fmaxf(a, __shfl_xor_sync(0xffffffffu, a, 2));
    }
    raised = __any_sync(0xffffffffu, most[0] > top[0] + arg.slack || most[1] > top[1] + arg.slack);
    if (!raised) return;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float before = top[half];
      top[half] = most[half];
      factor[half] = before == most[half] ? 1.0f : exp2_fast((before - most[half]) * arg.scale_log2);
      sum[half] *= factor[half];
    }
  }

  // Turns scores into weights, which round() converts to P. If MASKED, a row may have seen no key yet, and the columns
  // from `seen` on, which no row of the warp sees, get weight 0.
  template <bool MASKED>
  __device__ __forceinline__ void weigh(float (&scores)[N / 2], int seen) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float shift =
          MASKED && top[half] == -INFINITY ? 0.0f : top[half] * arg.scale_log2 - (S::narrow ? forward_raised : 0.0f);
      float a = sum[half], b = 0.0f;
#pragma unroll
      for (int i = half * 2; i < N / 2; i += 4) {
        if (MASKED && i / 4 * 8 >= seen) {
          scores[i] = scores[i + 1] = 0.0f;
          continue;
        }
        scores[i] = exp2_fast(fmaf(scores[i], arg.scale_log2, -shift));
        scores[i + 1] = exp2_fast(fmaf(scores[i + 1], arg.scale_log2, -shift));
        a += scores[i];
        b += scores[i + 1];
      }
      sum[half] = a + b;
    }
  }

  __device__ __forceinline__ void round(const float (&scores)[N / 2]) {
#pragma unroll
    for (int i = 0; i < N * S::width / 32; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        if constexpr (S::narrow) {
          const int at = i * 16 + j / 2 * 8 + j % 2 * 2;
          p[i][j] = pack_e4m3(scores[at], scores[at + 1], scores[at + 4], scores[at + 5]);
        } else {
          p[i][j] = pack<T>(scores[i * 8 + j * 2], scores[i * 8 + j * 2 + 1]);
        }
      }
  }

  __device__ __forceinline__ void rescale() {
#pragma unroll
    for (int i = 0; i < D / 2; ++i)
      o[i] *= factor[i % 4 / 2];
  }

  // ---- Processing a tile of queries ----

  __device__ __forceinline__ void wait_turn() const {
    pair_wait(1 + group);
  }

  __device__ __forceinline__ void pass_turn() const {
    pair_arrive(group + 1 == S::groups ? 1 : 2 + group);
  }

  // Returns the first column of a block that no row of this warp sees.
  __device__ __forceinline__ int seen_of(int block) const {
    const int last = first + forward_thread() / 32 * 16 + 15;
    return (CAUSAL ? min(arg.s, last + 1) : arg.s) - block * N;
  }

  // A tile has `blocks` blocks of keys. Returns how many of them, from block 0 on, this warpgroup sees. The blocks are
  // processed in descending order, so that those that it does not see come first.
  __device__ __forceinline__ int seen_blocks(int blocks) const {
    if (first >= arg.s) return 0;
    return CAUSAL ? min(blocks, (masked == 1 ? first : min(first + 63, arg.s - 1)) / N + 1) : blocks;
  }

  // Skips a block of keys that no row of this warpgroup sees, and releases its memory once all threads have waited for
  // its arrival. `turns` is false for the first block of a tile, in which warpgroups do not take turns.
  __device__ __forceinline__ void skip(bool turns) {
    const forward_turn<S::stages> stage(turn);
    if (turns) {
      wait_turn();
      pass_turn();
    }
    bulk::wait(memory.k_full + stage.at, stage.parity);
    bulk::wait(memory.v_full + stage.at, stage.parity);
    group_wait();
    release(memory.k_empty + stage.at);
    release(memory.v_empty + stage.at);
    ++turn;
  }

  // Processes the first block of a tile that this warpgroup sees; no product is in flight yet.
  __device__ __forceinline__ void begin(int block, bool turns) {
    const forward_turn<S::stages> stage(turn);
    float scores[N / 2];
    bulk::wait(memory.k_full + stage.at, stage.parity);
    if (turns) wait_turn();
    products_begin();
    multiply_scores(scores, stage.at);
    if (turns) pass_turn();
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      top[half] = -INFINITY;
      sum[half] = 0.0f;
    }
#pragma unroll
    for (int i = 0; i < D / 2; ++i)
      o[i] = 0.0f;
    products_wait<0>();
    settle(scores);
    release(memory.k_empty + stage.at);
    if ((block + 1) * N > (CAUSAL ? min(arg.s, first + 1) : arg.s)) mask(scores, block);
    raise(scores);
    weigh<true>(scores, seen_of(block));
    round(scores);
    ++turn;
  }

  // Processes one further block of the tile. Without MASKED, all rows see all keys of the block.
  template <bool MASKED>
  __device__ __forceinline__ void advance(int block) {
    const forward_turn<S::stages> stage(turn), before(turn - 1);
    float scores[N / 2];
    bulk::wait(memory.k_full + stage.at, stage.parity);
    wait_turn();
    products_begin();
    multiply_scores(scores, stage.at);
    bulk::wait(memory.v_full + before.at, before.parity);
    products_begin();
    multiply_values(before.at);
    pass_turn();
    products_wait<1>();
    settle(scores);
    release(memory.k_empty + stage.at);
    if (MASKED) mask(scores, block);
    raise(scores);
    weigh<MASKED>(scores, MASKED ? seen_of(block) : N);
    products_wait<0>();
    settle(o);
    release(memory.v_empty + before.at);
    round(scores);
    if (raised) rescale();
    ++turn;
  }

  // Finishes a tile and stores its results, through the shared memory of its queries if they fit there (not e4m3). Rows
  // past the end are not stored.
  __device__ __forceinline__ void end(const forward_maps &maps, const forward_place &at, uint64_t *queries) {
    const forward_turn<S::stages> before(turn - 1);
    bulk::wait(memory.v_full + before.at, before.parity);
    products_begin();
    multiply_values(before.at);
    float inverse[2];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      sum[half] += __shfl_xor_sync(0xffffffffu, sum[half], 1);
      sum[half] += __shfl_xor_sync(0xffffffffu, sum[half], 2);
      inverse[half] = 1.0f / sum[half];
    }
    products_wait<0>();
    settle(o);
    release(memory.v_empty + before.at);
    const int warp = forward_thread() / 32, lane = forward_thread() % 32;
    const forward_place place = at;
    const uint32_t results = S::narrow ? memory.start + S::o + group * (S::o_panels * S::o_panel) : q;
    const uint32_t line = results + static_cast<uint32_t>(warp * 16 + lane % 16) * 128;
    if (S::narrow) {
      arrive(queries);
      if (leads()) bulk::wait_read<0>();
      group_wait();
    }
#pragma unroll
    for (int i = 0; i < D / 16; ++i) {
      uint32_t x[4];
#pragma unroll
      for (int j = 0; j < 4; ++j)
        x[j] = pack<out>(o[i * 8 + j * 2] * inverse[j % 2], o[i * 8 + j * 2 + 1] * inverse[j % 2]);
      store_matrices(line + i / 4 * S::o_panel + (((i % 4 * 2 + lane / 16) ^ (lane & 7)) << 4), x[0], x[1], x[2], x[3]);
    }
    fence_for_copies();
    group_wait();
    if (!leads()) return;
#pragma unroll
    for (int i = 0; i < S::o_panels; ++i)
      store_tile(&maps.o, i * 64, place.row + group * 64, place.head, results + i * S::o_panel);
    bulk::commit();
  }

  // Ends a tile in which this warpgroup has no rows, because they are past the end.
  __device__ __forceinline__ void skip_end(uint64_t *queries) const {
    group_wait();
    if (S::narrow) arrive(queries);
  }

  // Releases the memory of a tile's queries and its entry in `places`. First waits until TMA has read the results from
  // that memory; e4m3 results lie elsewhere. Every thread arrives for itself instead of one per warp, because racecheck
  // (compute-sanitizer) knows an order only between threads that arrive and threads that wait.
  __device__ __forceinline__ void release_queries(int number) const {
    if (leads()) bulk::wait_read<0>();
    arrive(memory.q_empty + forward_turn<S::buffers>(number).at);
  }

  __device__ __forceinline__ void all(const forward_maps &maps) {
    if (group == S::groups - 1) pair_arrive(1);
    for (int number = 0;; ++number) {
      const forward_turn<S::buffers> buffer(number);
      bulk::wait(memory.q_full + buffer.at, buffer.parity);
      if (memory.places[buffer.at].head < 0) break;
      const int row = __shfl_sync(0xffffffffu, memory.places[buffer.at].row, 0);
      first = row + group * 64;
      q = memory.start + S::q + buffer.at * S::q_bytes + group * (64 * S::row_bytes);
      const int blocks = forward_blocks<S, CAUSAL>(arg, row), seen = seen_blocks(blocks);
      for (int i = 0; i < blocks - seen; ++i)
        skip(i > 0);
      if (seen > 0) begin(seen - 1, seen < blocks);
      if (!S::narrow && S::buffers > 1 && number > 0) release_queries(number - 1);
      if (masked > 1 && seen > 1) advance<true>(seen - 2);
      for (int left = seen; left > masked; --left)
        advance<false>(0);
      if (seen > 0)
        end(maps, memory.places[buffer.at], memory.q_empty + buffer.at);
      else
        skip_end(memory.q_empty + buffer.at);
      if (!S::narrow && S::buffers == 1) release_queries(number);
    }
    if (leads()) bulk::wait_read<0>();
  }
};

template <typename S, bool CAUSAL>
__global__ void __launch_bounds__(S::threads, 1)
    forward_wgmma_kernel(const __grid_constant__ forward_maps maps, const __grid_constant__ forward_arguments arg) {
  extern __shared__ __align__(1024) uint8_t bytes[];
  const forward_memory<S> memory(bytes);
  if (threadIdx.x == 0) memory.make_barriers();
  __syncthreads();
  if (threadIdx.x < 128) {
    fewer_registers<S::few_registers>();
    if (threadIdx.x == 0) {
      const forward_fetcher<S, CAUSAL> fetcher = {maps, arg, memory};
      fetcher.all();
    }
  } else {
    more_registers<S::many_registers>();
    forward_group<S, CAUSAL> group(memory, arg);
    group.all(maps);
  }
}

}  // namespace attention
#endif
