// Matrix product on Hopper's tensor cores: bf16, fp16, fp32 as one or three tf32 products, and e4m3, with fp32 sums.
//
// A cluster of CTAs owns a block of tiles of c, and takes block after block until all are done. In each CTA one warp
// requests copies in steps of 128 bytes along k, as far ahead as the ring has stages. Data that CTAs of a cluster share
// is fetched in parts: each CTA fetches one part and sends it to all. Two warpgroups multiply: each one half of the
// tile ("together"), or each a whole tile, so that one multiplies while the other stores ("by turns").
#ifndef MATMUL_WGMMA_KERNEL_CUH
#define MATMUL_WGMMA_KERNEL_CUH

#include "wgmma_epilogue.cuh"
#include "wgmma_promoted.cuh"

namespace matmul {

// Multiplies the last S::last steps, first for one half of the rows and then for the other half. Returns when the first
// half is complete, so that it can be stored while the second half is multiplied.
template <typename T, typename S>
__device__ __forceinline__ void wgmma_last_steps(float (&sum)[S::parts][S::columns / 2], const wgmma_memory<S> &at,
                                                 const wgmma_ring<S> &turn, uint64_t start_a, uint64_t start_b,
                                                 int warp, int lane, int down, int across) {
  const int early = turn.steps - S::last;
#pragma unroll
  for (int part = 0; part < S::parts; ++part)
#pragma unroll
    for (int i = 0; i < S::last; ++i) {
      const int step = early + i, stage = step % S::stages;
      if (part == 0) bulk::wait(at.full + stage, turn.parity(stage, step / S::stages));
      const uint64_t a = start_a + stage * (S::stage_bytes / 16) + part * (64 * kRowBytes / 16);
      const uint64_t b = start_b + stage * (S::stage_bytes / 16);
      products_begin();
#pragma unroll
      for (int j = 0; j < 4; ++j)
        product<T, S::columns>(sum[part], a + j * 2, b + j * 2, step | j);
      products_commit();
      if (part > 0 || i > 0) continue;
      products_wait<1>();
      if (warp == 0 && early > 0) wgmma_release<S>(at.empty + (early - 1) % S::stages, lane, down, across);
    }
  products_wait<S::last>();
}

// The work of a warpgroup that multiplies: computes and stores tile after tile. If PLAIN, c has no tensor map, because
// its rows are not multiples of 16 bytes.
template <typename M, typename S, bool PLAIN>
__device__ __forceinline__ void wgmma_multiply(const CUtensorMap *c, const wgmma_arguments &arg,
                                               const wgmma_memory<S> &at, int group, int down, int across, int block,
                                               int blocks, int stride, wgmma_extra<M::epilogue> extra = {}) {
  constexpr int kLast = PLAIN ? 0 : S::last;
  const int warp = static_cast<int>(threadIdx.x) / 32 % 4, lane = static_cast<int>(threadIdx.x) % 32;
  const int of_group = S::turns ? 0 : group;
  const uint64_t start_a = descriptor(at.ring + static_cast<uint32_t>(of_group) * S::group_rows * kRowBytes);
  const uint64_t start_b = descriptor(at.ring + S::a_bytes);
  const uint32_t buffers = at.out + static_cast<uint32_t>(group * 4 + warp) * 2 * S::out_bytes;
  uint32_t half = 0;
  if constexpr (M::epilogue == MATMUL_ADD) extra.barriers += 2 * (group * 4 + warp);
  wgmma_ring<S> turn(M::steps(arg.k));
  const int early = turn.steps - kLast;
  bool first = true;
  if (S::turns && group == 1) {
    turn.end_tile();
    block += stride;
    first = false;
  }
  for (; block < blocks; block += S::turns ? 2 * stride : stride) {
    const wgmma_place place = wgmma_place_of<S>(arg, block, down, across);
    const int row0 = place.row0 + of_group * S::group_rows + warp * 16;
    float sum[S::parts][S::columns / 2];
    if constexpr (M::epilogue == MATMUL_ADD) wgmma_foresee<S>(extra, row0, place.column0, lane);
    // Waits until the other warpgroup has seen every stage of its tile filled. Before that, this warpgroup could take
    // an older phase of a stage's barrier for its own, because a parity distinguishes only two phases.
    if (S::turns && !first) pair_wait(1 + group);
    first = false;
    for (int step = 0, round = 0; step < early; step += S::stages, ++round) {
#pragma unroll
      for (int stage = 0; stage < S::stages; ++stage) {
        if (stage > 0 && step + stage >= early) break;
        bulk::wait(at.full + stage, turn.parity(stage, round));
        const uint64_t a = start_a + stage * (S::stage_bytes / 16), b = start_b + stage * (S::stage_bytes / 16);
        products_begin();
#pragma unroll
        for (int i = 0; i < 4; ++i)
#pragma unroll
          for (int part = 0; part < S::parts; ++part)
            product<typename M::in, S::columns>(sum[part], a + part * (64 * kRowBytes / 16) + i * 2, b + i * 2,
                                                step | stage | i);
        products_commit();
        products_wait<1>();
        if (warp == 0 && step + stage > 0)
          wgmma_release<S>(at.empty + (stage + S::stages - 1) % S::stages, lane, down, across);
      }
    }
    if constexpr (M::epilogue == MATMUL_ADD) wgmma_begin_extra<S>(extra, buffers, half, row0, place.column0, lane);
    if constexpr (kLast > 0) {
      wgmma_last_steps<typename M::in, S>(sum, at, turn, start_a, start_b, warp, lane, down, across);
      wgmma_finish<M, S, false>(sum[0], c, arg, extra, buffers, half, row0, place.column0, lane, true);
      products_wait<0>();
      if (warp == 0)
        for (int step = early; step < turn.steps; ++step)
          wgmma_release<S>(at.empty + step % S::stages, lane, down, across);
      wgmma_finish<M, S, false>(sum[1], c, arg, extra, buffers, half, row0 + 64, place.column0, lane, false);
    } else {
      if (S::turns && block + stride < blocks) pair_arrive(2 - group);
      products_wait<0>();
      if (warp == 0) wgmma_release<S>(at.empty + (turn.rest > 0 ? turn.rest : S::stages) - 1, lane, down, across);
#pragma unroll
      for (int part = 0; part < S::parts; ++part)
        wgmma_finish<M, S, PLAIN>(sum[part], c, arg, extra, buffers, half, row0 + part * 64, place.column0, lane,
                                  part == 0);
    }
    turn.end_tile();
    if (S::turns) turn.end_tile();  // advances the parities past the tile of the other warpgroup
  }
  if (lane == 0) bulk::wait_read<0>();
}

// ---- Kernels -------------------------------------------------------------------------------------------------------

template <typename M, typename S, bool PLAIN>
__device__ __forceinline__ void wgmma_tiles(const wgmma_maps &from, const CUtensorMap *c, const wgmma_arguments &arg,
                                            uint8_t *memory, wgmma_extra<M::epilogue> extra = {}) {
  static_assert(S::ctas > 1 && S::groups == 2, "clusters, two warpgroups that multiply");
  const wgmma_memory<S> at(memory);
  const int rank = static_cast<int>(cluster_rank()), down = rank % S::down, across = rank / S::down;
  const int block = static_cast<int>(blockIdx.x) / S::ctas, stride = static_cast<int>(gridDim.x) / S::ctas;
  const int blocks = static_cast<int>(arg.blocks.rows * arg.blocks.columns);
  if constexpr (M::epilogue == MATMUL_ADD) extra.barriers = at.empty + S::stages;
  if (threadIdx.x == 0) {
    if constexpr (M::epilogue == MATMUL_ADD)
      for (int i = 0; i < 2 * 8; ++i)
        bulk::barrier_init(extra.barriers + i, 1);
    at.make_barriers();
    prefetch_map(from.a);
    prefetch_map(from.b);
    prefetch_map(c);
  }
  __syncwarp();
  bulk::cluster_arrive();
  bulk::cluster_wait();
  if (threadIdx.x < 128) {
    fewer_registers<40>();
    if (threadIdx.x == 0) wgmma_fetch<M, S>(from, arg, at, down, across, block, blocks, stride);
  } else {
    more_registers<232>();
    // The shuffle tells the compiler that all threads of a warp have the same `group`.
    const int group = __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x) / 128, 0) - 1;
    if constexpr (M::promoted)
      wgmma_multiply_promoted<M, S, PLAIN>(c, arg, at, group, down, across, block, blocks, stride);
    else
      wgmma_multiply<M, S, PLAIN>(c, arg, at, group, down, across, block, blocks, stride, extra);
  }
}

// The kernel for plain products. Must be launched in clusters of S::ctas CTAs.
template <typename M, typename S, bool PLAIN>
__global__ void __launch_bounds__(kWgmmaThreads, 1)
    wgmma_kernel(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                 const __grid_constant__ CUtensorMap c, const __grid_constant__ wgmma_arguments arg) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ uint8_t memory[];
  wgmma_tiles<M, S, PLAIN>({&a, &b, nullptr, nullptr}, &c, arg, memory);
#endif
}

// The kernel for products with an epilogue, which uses either `r` or `bias`.
template <typename M, typename S>
__global__ void __launch_bounds__(kWgmmaThreads, 1)
    wgmma_kernel_epilogue(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                          const __grid_constant__ CUtensorMap c, const __grid_constant__ wgmma_arguments arg,
                          const __grid_constant__ CUtensorMap r, const void *bias) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ uint8_t memory[];
  wgmma_extra<M::epilogue> extra = {};
  if constexpr (M::epilogue == MATMUL_ADD)
    extra.r = &r;
  else
    extra.bias = bias;
  wgmma_tiles<M, S, false>({&a, &b, nullptr, nullptr}, &c, arg, memory, extra);
#endif
}

// The kernel for split operands (3xtf32).
template <typename M, typename S, bool PLAIN>
__global__ void __launch_bounds__(kWgmmaThreads, 1)
    wgmma_kernel_split(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                       const __grid_constant__ CUtensorMap c, const __grid_constant__ wgmma_arguments arg,
                       const __grid_constant__ CUtensorMap small_a, const __grid_constant__ CUtensorMap small_b) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ uint8_t memory[];
  wgmma_tiles<M, S, PLAIN>({&a, &b, &small_a, &small_b}, &c, arg, memory);
#endif
}

}  // namespace matmul
#endif
