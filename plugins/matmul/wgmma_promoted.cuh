// Products whose partial sums leave the tensor cores and are added by ordinary instructions, which round less: the
// tensor cores keep only 14 bits of a sum of e4m3 products.
#ifndef MATMUL_WGMMA_PROMOTED_CUH
#define MATMUL_WGMMA_PROMOTED_CUH

#include "wgmma_store.cuh"

namespace matmul {

// One warpgroup should add its partial sums while the other one multiplies. In shapes where they alternate
// (S::alternating), a warpgroup begins its turn when the other one has kHandedOver wgmma instructions of its turn left.
// In other shapes both multiply at the same time and finish together, so that the tensor cores are idle while both add.
constexpr int kHandedOver = 2;

template <typename S>
__device__ __forceinline__ void wgmma_begin_turn(bool waits, int group) {
  if (S::alternating && waits) pair_wait(1 + group);
  products_begin();
}

// Ends a warpgroup's turn (the steps that it multiplies before it adds the partial sums): lets the other warpgroup
// begin if that has another turn (`more`), and waits for the products.
template <typename S>
__device__ __forceinline__ void wgmma_end_turn(bool more, int group) {
  if (S::alternating) products_wait<1>();
  if (S::alternating && more) pair_arrive(2 - group);
  products_wait<0>();
}

// Issues the products of a step. The last kHandedOver products before the sums are added form a separate wgmma-group:
// the other warpgroup begins to multiply when all groups but this one are complete.
template <typename M, typename S>
__device__ __forceinline__ void wgmma_step(float (&sum)[S::columns / 2], uint64_t a, uint64_t b, bool adds, bool ends) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (S::alternating && ends && i == 4 - kHandedOver) products_commit();
    product<typename M::in, S::columns>(sum, a + i * 2, b + i * 2, adds || i > 0);
  }
  products_commit();
}

template <typename M, typename S, bool PLAIN>
__device__ __forceinline__ void wgmma_multiply_promoted(const CUtensorMap *c, const wgmma_arguments &arg,
                                                        const wgmma_memory<S> &at, int group, int down, int across,
                                                        int block, int blocks, int stride) {
  constexpr int kSteps = M::split ? 2 : 1;  // steps in a turn
  constexpr uint64_t kNext = S::stage_bytes / 16;
  static_assert(S::together && S::parts == 1 && S::last == 0, "two warpgroups, which share each stage");
  static_assert(S::stages % kSteps == 0 && (S::alternating || !M::split), "a turn's stages are constants");
  const int warp = static_cast<int>(threadIdx.x) / 32 % 4, lane = static_cast<int>(threadIdx.x) % 32;
  const uint64_t start_a = descriptor(at.ring + static_cast<uint32_t>(group) * S::group_rows * kRowBytes);
  const uint64_t start_b = descriptor(at.ring + S::a_bytes);
  const uint32_t buffers = at.out + static_cast<uint32_t>(group * 4 + warp) * 2 * S::out_bytes;
  uint32_t half = 0;
  wgmma_ring<S> turn(M::steps(arg.k));
  bool waits = group == 1;
  for (; block < blocks; block += stride) {
    const wgmma_place place = wgmma_place_of<S>(arg, block, down, across);
    float sum[S::columns / 2] = {}, recent[S::columns / 2];
    for (int step = 0, round = 0; step < turn.steps; step += S::stages, ++round) {
#pragma unroll
      for (int stage = 0; stage < S::stages; stage += kSteps) {
        if (stage > 0 && step + stage >= turn.steps) break;
        const uint64_t a = start_a + stage * kNext, b = start_b + stage * kNext;
        const bool more = group == 0 || step + stage + kSteps < turn.steps || block + stride < blocks;
        bulk::wait(at.full + stage, turn.parity(stage, round));
        if (M::split) bulk::wait(at.full + stage + 1, turn.parity(stage + 1, round));
        wgmma_begin_turn<S>(waits, group);
        waits = true;
        wgmma_step<M, S>(recent, a, b, false, !M::split);
        if constexpr (M::split) {
          wgmma_step<M, S>(recent, a + kNext, b, true, false);
          wgmma_step<M, S>(recent, a + kNext, b + kNext, true, true);
          products_wait<2>();
          if (warp == 0) wgmma_release<S>(at.empty + stage, lane, down, across);
        }
        wgmma_end_turn<S>(more, group);
        settle(recent);
        if (warp == 0) wgmma_release<S>(at.empty + stage + kSteps - 1, lane, down, across);
#pragma unroll
        for (int i = 0; i < S::columns / 2; ++i)
          sum[i] += recent[i];
      }
    }
    wgmma_store_any<M, S, PLAIN>(sum, c, arg, buffers, half, place.row0 + group * S::group_rows + warp * 16,
                                 place.column0, lane);
    turn.end_tile();
  }
  if (lane == 0) bulk::wait_read<0>();
}

}  // namespace matmul
#endif
