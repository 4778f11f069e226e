// Matrix product on Hopper's tensor cores with one tile per CTA, for problems with about as many tiles as
// multiprocessors, where start and end of a kernel matter. The first steps are requested before anything is
// synchronised. A CTA belongs to no cluster: a cluster of one CTA gets less bandwidth from the L2 cache, and a cluster
// of two starts later.
#ifndef MATMUL_WGMMA_SINGLE_CUH
#define MATMUL_WGMMA_SINGLE_CUH

#include "wgmma_kernel.cuh"

namespace matmul {

template <typename M, typename S>
__device__ __forceinline__ void wgmma_fetch_step(const CUtensorMap *a, const CUtensorMap *b, const wgmma_place &place,
                                                 const wgmma_memory<S> &at, int step) {
  const int stage = step % S::stages;
  const uint32_t to = at.ring + static_cast<uint32_t>(stage) * S::stage_bytes;
  bulk::arrive_and_expect(at.full + stage, S::stage_bytes);
  load_tile(to, a, step * M::depth, place.row0, at.full + stage);
  load_tile(to + S::a_bytes, b, step * M::depth, place.column0, at.full + stage);
}

// ---- Two warpgroups ------------------------------------------------------------------------------------------------

constexpr int kSingleThreads = 288;

// The kernel with two warpgroups that multiply, and one more warp, which requests the copies.
template <typename M, typename S>
__global__ void __launch_bounds__(kSingleThreads, 1)
    wgmma_single(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                 const __grid_constant__ CUtensorMap c, const __grid_constant__ wgmma_arguments arg) {
  static_assert(S::groups == 2 && S::ctas == 1 && !S::turns && !M::promoted, "one CTA, one tile");
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ uint8_t memory[];
  const wgmma_memory<S> at(memory);
  // The shuffle tells the compiler that all threads of a warp have the same `group`.
  const int group = __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x) / 128, 0);
  const int steps = wgmma_ring<S>(M::steps(arg.k)).steps;
  const wgmma_place place = wgmma_place_of<S>(arg, 0, 0, 0);
  const bool fetches = threadIdx.x == S::groups * 128;
  if (fetches) {
    prefetch_map(&a);
    prefetch_map(&b);
    at.make_barriers();
    for (int step = 0; step < min(S::stages, steps); ++step)
      wgmma_fetch_step<M, S>(&a, &b, place, at, step);
    prefetch_map(&c);
  }
  __syncwarp();
  __syncthreads();
  if (group < S::groups) {
    wgmma_multiply<M, S, false>(&c, arg, at, group, 0, 0, 0, 1, 1);
  } else if (fetches) {
    for (int step = S::stages; step < steps; ++step) {
      bulk::wait(at.empty + step % S::stages, static_cast<unsigned>(step / S::stages - 1) & 1);
      wgmma_fetch_step<M, S>(&a, &b, place, at, step);
    }
  }
#endif
}

// ---- One warpgroup -------------------------------------------------------------------------------------------------

constexpr int kAloneThreads = 128;

// Prefetches data of the first step into the L2 cache. Several CTAs read the same rows of a or of b, so that each
// prefetches only a share of them, eight rows of each, one per thread. When the copy engine requests the rows a little
// later, their pages are in the TLB and the data is already on its way.
template <typename M, typename S>
__device__ __forceinline__ void alone_ask_ahead(const wgmma_arguments &arg, const wgmma_place &place, int lane) {
  constexpr int kEach = 8;
  const bool of_a = lane < kEach;
  const int share = (of_a ? place.column0 / S::columns : place.row0 / S::rows) * kEach + lane % kEach;
  const int row = (of_a ? place.row0 : place.column0) + share;
  if (lane >= 2 * kEach || share >= (of_a ? S::rows : S::columns) || row >= (of_a ? arg.m : arg.n)) return;
  const auto *of = static_cast<const uint8_t *>(of_a ? arg.a : arg.b);
  asm volatile("prefetch.global.L2 [%0];\n" ::"l"(of + static_cast<int64_t>(row) * arg.k * (kRowBytes / M::depth)));
}

// Multiplies all steps of the tile. A wgmma-group belongs to the warpgroup (PTX ISA, wgmma.commit_group): when one warp
// has seen it complete, no other warp still reads its operands. The thread that fetches therefore needs no signal from
// the others.
template <typename M, typename S>
__device__ __forceinline__ void alone_multiply(float (&sum)[S::columns / 2], const CUtensorMap *a, const CUtensorMap *b,
                                               const wgmma_place &place, const wgmma_memory<S> &at, int steps,
                                               bool fetches) {
  const uint64_t start_a = descriptor(at.ring), start_b = descriptor(at.ring + S::a_bytes);
  for (int step0 = 0, round = 0; step0 < steps; step0 += S::stages, ++round) {
#pragma unroll
    for (int stage = 0; stage < S::stages; ++stage) {
      const int step = step0 + stage;
      if (stage > 0 && step >= steps) break;
      bulk::wait(at.full + stage, static_cast<unsigned>(round) & 1);
      const uint64_t at_stage = stage * (S::stage_bytes / 16);
      products_begin();
#pragma unroll
      for (int i = 0; i < 4; ++i)
        product<typename M::in, S::columns>(sum, start_a + at_stage + i * 2, start_b + at_stage + i * 2,
                                            step0 | stage | i);
      products_commit();
      // Refills the stage of step - 2, while the tensor cores still have two steps to do.
      const int next = step - 2 + S::stages;
      if (fetches && step >= 2 && next < steps) wgmma_fetch_step<M, S>(a, b, place, at, next);
      __syncwarp();
      products_wait<1>();
    }
  }
  products_wait<0>();
}

// The kernel with one warpgroup. One of its own threads requests the copies, so that no barrier must signal that a
// stage is free.
template <typename M, typename S>
__global__ void __launch_bounds__(kAloneThreads, 1)
    wgmma_alone(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                const __grid_constant__ CUtensorMap c, const __grid_constant__ wgmma_arguments arg) {
  static_assert(S::groups == 1 && S::rows == 64 && S::ctas == 1 && !M::promoted, "one warpgroup, one CTA, one tile");
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ __align__(1024) uint8_t aligned[];
  const wgmma_memory<S> at(aligned, bulk::shared_address(aligned));
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int steps = M::steps(arg.k);
  const wgmma_place place = wgmma_only_place<S, 1>();
  const bool fetches = threadIdx.x == 0;
  if (fetches) {
    prefetch_map(&a);
    prefetch_map(&b);
    bulk::barrier_init(at.full, 1);  // the other barriers are initialised while the first step is being copied
    bulk::barriers_ready();
    wgmma_fetch_step<M, S>(&a, &b, place, at, 0);
    for (int i = 1; i < S::stages; ++i)
      bulk::barrier_init(at.full + i, 1);
    bulk::barriers_ready();
    for (int step = 1; step < min(S::stages, steps); ++step)
      wgmma_fetch_step<M, S>(&a, &b, place, at, step);
    prefetch_map(&c);
  } else if (warp == 1) {
    alone_ask_ahead<M, S>(arg, place, lane);
  }
  __syncwarp();
  __syncthreads();
  float sum[S::columns / 2];
  alone_multiply<M, S>(sum, &a, &b, place, at, steps, fetches);
  uint32_t half = 0;
  wgmma_store<typename M::out, S, true>(sum, &c, at.out + static_cast<uint32_t>(warp) * 2 * S::out_bytes, half,
                                        place.row0 + warp * 16, place.column0, lane);
  if (lane == 0) bulk::wait_read<0>();
#endif
}

}  // namespace matmul
#endif
