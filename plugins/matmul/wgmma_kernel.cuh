// Matrix product on Hopper's tensor cores: bf16 and fp16, sums in fp32.
//
// A cluster of CTAs owns a block of tiles of c, and takes block after block until all are done. In each CTA one warp
// asks the copy engine for steps of 128 bytes of depth, as far ahead as the ring has stages; what CTAs of a cluster
// share, each of them fetches a part of and sends to all. Two warpgroups multiply: each a half of the tile
// ("together"), or each a tile of its own, so that one multiplies while the other stores ("by turns").
#ifndef MATMUL_WGMMA_KERNEL_CUH
#define MATMUL_WGMMA_KERNEL_CUH

#include "../shared/hopper.cuh"
#include "tile.cuh"

namespace matmul {

using namespace hopper;

enum wgmma_groups { kAlone, kTogether, kByTurns };

// ROWS x COLUMNS is the tile of a CTA, DOWN x ACROSS are the CTAs of a cluster. In the LAST steps a warpgroup
// multiplies one half of its results after the other, so that it stores the first half meanwhile.
template <int ROWS, int COLUMNS, int STAGES, int DOWN, int ACROSS, wgmma_groups GROUPS, int LAST = 0>
struct wgmma_shape {
  static constexpr int rows = ROWS, columns = COLUMNS, stages = STAGES, down = DOWN, across = ACROSS, last = LAST;
  static constexpr bool turns = GROUPS == kByTurns;
  static constexpr int groups = GROUPS == kAlone ? 1 : 2;  // warpgroups that multiply
  static constexpr int ctas = DOWN * ACROSS;
  static constexpr int group_rows = GROUPS == kTogether ? ROWS / 2 : ROWS;  // of a warpgroup
  static constexpr int parts = group_rows / 64;
  static constexpr int a_bytes = ROWS * kRowBytes;
  static constexpr int stage_bytes = a_bytes + COLUMNS * kRowBytes;
  static constexpr int box_a = ROWS / ACROSS, box_b = COLUMNS / DOWN;  // rows that one CTA fetches
  // Warpgroups that read a stage in all CTAs that this one sends to.
  static constexpr int readers = (GROUPS == kTogether ? 2 : 1) * (DOWN + ACROSS - 1);
  static constexpr int out_bytes = 16 * kRowBytes;  // 16 rows of 64 results, of a warp
  static constexpr int ring_bytes = STAGES * stage_bytes;
  static constexpr int bytes = 1024 + ring_bytes + groups * 4 * 2 * out_bytes + 2 * STAGES * 8;
  static_assert(bytes <= 232448, "what a block may have on compute capability 9.0");
  static_assert(box_a % 8 == 0 && box_b % 8 == 0, "the swizzle repeats every eight rows");
  static_assert(LAST <= STAGES, "the last steps are in the ring all at once");
  static_assert(LAST == 0 || (GROUPS == kTogether && parts == 2), "halves");
};

struct wgmma_arguments {
  void *c;
  int m, n, k;
  int blocks_down, blocks_across;  // of ROWS * DOWN x COLUMNS * ACROSS
  int band;                        // so many block rows at a time
};

constexpr int kWgmmaThreads = 384;

struct wgmma_place {
  int row0, column0;
};

// Block number to tile: down the rows of a band, then to the next column, so that blocks in flight share rows of a and
// of b in the L2 cache.
template <typename S>
__device__ __forceinline__ wgmma_place wgmma_place_of(const wgmma_arguments &arg, int block, int down, int across) {
  const int band = block / (arg.band * arg.blocks_across);
  const int height = min(arg.band, arg.blocks_down - band * arg.band);
  const int left = block - band * arg.band * arg.blocks_across;
  const int row = band * arg.band + left % height, column = left / height;
  wgmma_place p;
  p.row0 = (row * S::down + down) * S::rows;
  p.column0 = (column * S::across + across) * S::columns;
  return p;
}

// Where in the ring: a tile's first step is at stage 0 whatever was before, so that stages are constants of unrolled
// loops and descriptors stay in uniform registers. Stages that the last round of a tile still uses are used more often
// than the others: two parities.
template <typename S>
struct wgmma_ring {
  int steps, rest;  // of a tile, at least S::last: behind k are zeros; of its last round, if not all
  unsigned often = 0, less = 0;
  __device__ __forceinline__ explicit wgmma_ring(int k) : steps(max((k + 63) / 64, S::last)), rest(steps % S::stages) {}
  // In a round of this tile.
  __device__ __forceinline__ unsigned parity(int stage, int round) const {
    return ((stage < rest ? often : less) ^ static_cast<unsigned>(round)) & 1;
  }
  __device__ __forceinline__ void end_tile() {
    const unsigned rounds = static_cast<unsigned>(steps / S::stages);
    often ^= rounds + 1;
    less ^= rounds;
  }
};

// Where everything is in shared memory: at the same addresses in every CTA of a cluster.
template <typename S>
struct wgmma_memory {
  uint32_t ring, out;  // out: two buffers of each warp
  uint64_t *full, *empty;
  __device__ __forceinline__ explicit wgmma_memory(uint8_t *memory) {
    const uint32_t start = bulk::shared_address(memory);
    ring = (start + 1023) & ~1023u;
    out = ring + S::ring_bytes;
    full = reinterpret_cast<uint64_t *>(memory + (out - start) + S::groups * 4 * 2 * S::out_bytes);
    empty = full + S::stages;
  }
  __device__ __forceinline__ void make_barriers() const {
    for (int i = 0; i < S::stages; ++i) {
      bulk::barrier_init(full + i, 1);
      bulk::barrier_init(empty + i, S::readers);
    }
    bulk::barriers_ready();
  }
};

template <typename S>
__device__ __forceinline__ void wgmma_fetch(const CUtensorMap *a, const CUtensorMap *b, const wgmma_arguments &arg,
                                            const wgmma_memory<S> &at, int down, int across, int block, int blocks,
                                            int stride) {
  uint16_t of_row = 0, of_column = 0;
#pragma unroll
  for (int i = 0; i < S::across; ++i)
    of_row |= static_cast<uint16_t>(1u << (down + i * S::down));
#pragma unroll
  for (int i = 0; i < S::down; ++i)
    of_column |= static_cast<uint16_t>(1u << (across * S::down + i));
  wgmma_ring<S> turn(arg.k);
  for (; block < blocks; block += stride) {
    const wgmma_place place = wgmma_place_of<S>(arg, block, down, across);
    const int row = place.row0 + across * S::box_a, column = place.column0 + down * S::box_b;
    for (int step = 0, stage = 0, round = 0; step < turn.steps; ++step) {
      bulk::wait(at.empty + stage, turn.parity(stage, round) ^ 1);
      uint64_t *barrier = at.full + stage;
      bulk::arrive_and_expect(barrier, S::stage_bytes);
      const uint32_t start = at.ring + static_cast<uint32_t>(stage) * S::stage_bytes;
      const uint32_t to_a = start + static_cast<uint32_t>(across) * S::box_a * kRowBytes;
      const uint32_t to_b = start + S::a_bytes + static_cast<uint32_t>(down) * S::box_b * kRowBytes;
      if (S::across > 1)
        load_tile_to(of_row, to_a, a, step * 64, row, barrier);
      else
        load_tile(to_a, a, step * 64, row, barrier);
      if (S::down > 1)
        load_tile_to(of_column, to_b, b, step * 64, column, barrier);
      else
        load_tile(to_b, b, step * 64, column, barrier);
      if (++stage == S::stages) {
        stage = 0;
        ++round;
      }
    }
    turn.end_tile();
  }
  // Who leaves before all have told it that they read its last stages would take their barrier away.
  if (S::ctas > 1)
    for (int stage = 0; stage < S::stages; ++stage)
      bulk::wait(at.empty + stage, turn.parity(stage, 0) ^ 1);
}

// Tells all CTAs that write to this one that this warpgroup has read a stage; for one of its warps. Products of a
// warpgroup are one operation, and what waited for them in one warp holds for all four.
template <typename S>
__device__ __forceinline__ void wgmma_release(uint64_t *empty, int lane, int down, int across) {
  if (S::ctas == 1) {
    if (lane == 0) asm volatile("mbarrier.arrive.shared.b64 _, [%0];\n" ::"r"(bulk::shared_address(empty)) : "memory");
  } else if (lane < S::down) {
    arrive_at(empty, static_cast<unsigned>(across * S::down + lane));
  } else if (lane < S::down + S::across - 1) {
    const int i = lane - S::down;
    arrive_at(empty, static_cast<unsigned>(down + (i + (i >= across ? 1 : 0)) * S::down));
  }
}

template <typename T>
__device__ __forceinline__ uint32_t wgmma_pair(float low, float high);

template <>
__device__ __forceinline__ uint32_t wgmma_pair<__nv_bfloat16>(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<const uint32_t *>(&pair);
}

template <>
__device__ __forceinline__ uint32_t wgmma_pair<__half>(float low, float high) {
  const __half2 pair = __floats2half2_rn(low, high);
  return *reinterpret_cast<const uint32_t *>(&pair);
}

// One row of `columns` results, which are a row of `from`, to `out`, which may start at any element: 16 bytes of a lane
// from two chunks of shared memory, shifted so that they are aligned, and the results at both ends by themselves.
template <typename S>
__device__ __forceinline__ void wgmma_store_row(uint32_t from, int row, uint16_t *out, int columns, int lane) {
  constexpr int kLast = S::columns / 8 - 1;
  const int shift = -static_cast<int>(reinterpret_cast<uintptr_t>(out) >> 1) & 7;  // results before aligned ones
  const uint32_t start = from + row * S::columns * 2;
  uint32_t word[8];
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int chunk = min(lane + i, kLast) ^ row;
    asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];\n"
                 : "=r"(word[4 * i]), "=r"(word[4 * i + 1]), "=r"(word[4 * i + 2]), "=r"(word[4 * i + 3])
                 : "r"(start + chunk * 16)
                 : "memory");
  }
#pragma unroll
  for (int i = 0; i < 6; ++i)
    word[i] = shift & 4 ? word[i + 2] : word[i];
#pragma unroll
  for (int i = 0; i < 5; ++i)
    word[i] = shift & 2 ? word[i + 1] : word[i];
  const unsigned halves = shift & 1 ? 0x5432 : 0x3210;
  const int at = 8 * lane + shift;
  if (at + 8 <= columns)
    *reinterpret_cast<uint4 *>(out + at) =
        make_uint4(__byte_perm(word[0], word[1], halves), __byte_perm(word[1], word[2], halves),
                   __byte_perm(word[2], word[3], halves), __byte_perm(word[3], word[4], halves));
  const int aligned = columns > shift ? (columns - shift) & ~7 : 0;
  const int end = lane < 8 ? lane : shift + aligned + lane - 8;
  if (end < columns && (lane < 8 ? lane < shift : lane < 16)) {
    uint16_t one;
    asm volatile("ld.shared.u16 %0, [%1];\n"
                 : "=h"(one)
                 : "r"(start + ((end >> 3) ^ row) * 16 + (end & 7) * 2)
                 : "memory");
    out[end] = one;
  }
}

// The 16 rows of a warp where rows of c are not multiples of 16 bytes: eight at a time through both buffers.
template <typename T, typename S>
__device__ __forceinline__ void wgmma_store_plain(const float (&sum)[S::columns / 2], const wgmma_arguments &arg,
                                                  uint32_t buffers, int row0, int column0, int lane) {
  static_assert(8 * S::columns * 2 <= 2 * S::out_bytes, "eight rows fit into the buffers");
  const int columns = min(S::columns, arg.n - column0);
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    __syncwarp();
#pragma unroll
    for (int j = 0; j < S::columns / 32; ++j) {
      const float *x = sum + j * 16 + half * 2;
      const int row = lane & 7, chunk = (4 * j + (lane >> 3)) ^ row;
      store_matrices(buffers + row * S::columns * 2 + chunk * 16, wgmma_pair<T>(x[0], x[1]), wgmma_pair<T>(x[4], x[5]),
                     wgmma_pair<T>(x[8], x[9]), wgmma_pair<T>(x[12], x[13]));
    }
    __syncwarp();
    const int first = row0 + half * 8, rows = min(8, arg.m - first);
    uint16_t *out = static_cast<uint16_t *>(arg.c) + static_cast<int64_t>(first) * arg.n + column0;
#pragma unroll 4
    for (int row = 0; row < rows; ++row, out += arg.n)
      wgmma_store_row<S>(buffers, row, out, columns, lane);
  }
}

// The 16 rows of a warp, 64 columns at a time through one of two buffers, `half` bytes into them.
template <typename T, typename S>
__device__ __forceinline__ void wgmma_store(const float (&sum)[S::columns / 2], const CUtensorMap *c, uint32_t buffers,
                                            uint32_t &half, int row0, int column0, int lane) {
  const uint32_t to = start_a(buffers, lane);
#pragma unroll
  for (int chunk = 0; chunk < S::columns / 64; ++chunk, half ^= S::out_bytes) {
    if (lane == 0) bulk::wait_read<1>();
    __syncwarp();
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const float *x = sum + chunk * 32 + j * 8;
      store_matrices((to ^ (j * 32)) + half, wgmma_pair<T>(x[0], x[1]), wgmma_pair<T>(x[2], x[3]),
                     wgmma_pair<T>(x[4], x[5]), wgmma_pair<T>(x[6], x[7]));
    }
    fence_for_copies();
    __syncwarp();
    if (lane == 0) {
      store_tile(c, column0 + chunk * 64, row0, buffers + half);
      bulk::commit();
    }
  }
}

// The last steps, one half of the rows after the other; ends when the first half is there.
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

// PLAIN: rows of c are not multiples of 16 bytes, and there is no tensor map for it.
template <typename T, typename S, bool PLAIN>
__device__ __forceinline__ void wgmma_multiply(const CUtensorMap *c, const wgmma_arguments &arg,
                                               const wgmma_memory<S> &at, int group, int down, int across, int block,
                                               int blocks, int stride) {
  constexpr int kLast = PLAIN ? 0 : S::last;
  const int warp = static_cast<int>(threadIdx.x) / 32 % 4, lane = static_cast<int>(threadIdx.x) % 32;
  const int of_group = S::turns ? 0 : group;
  const uint64_t start_a = descriptor(at.ring + static_cast<uint32_t>(of_group) * S::group_rows * kRowBytes);
  const uint64_t start_b = descriptor(at.ring + S::a_bytes);
  const uint32_t buffers = at.out + static_cast<uint32_t>(group * 4 + warp) * 2 * S::out_bytes;
  uint32_t half = 0;
  wgmma_ring<S> turn(arg.k);
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
    // The other group has seen all of its stages filled: a barrier's parity tells apart but two phases.
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
            product<T, S::columns>(sum[part], a + part * (64 * kRowBytes / 16) + i * 2, b + i * 2, step | stage | i);
        products_commit();
        products_wait<1>();
        if (warp == 0 && step + stage > 0)
          wgmma_release<S>(at.empty + (stage + S::stages - 1) % S::stages, lane, down, across);
      }
    }
    if constexpr (kLast > 0) {
      wgmma_last_steps<T, S>(sum, at, turn, start_a, start_b, warp, lane, down, across);
      wgmma_store<T, S>(sum[0], c, buffers, half, row0, place.column0, lane);
      products_wait<0>();
      if (warp == 0)
        for (int step = early; step < turn.steps; ++step)
          wgmma_release<S>(at.empty + step % S::stages, lane, down, across);
      wgmma_store<T, S>(sum[1], c, buffers, half, row0 + 64, place.column0, lane);
    } else {
      if (S::turns && block + stride < blocks) pair_arrive(2 - group);
      products_wait<0>();
      if (warp == 0) wgmma_release<S>(at.empty + (turn.rest > 0 ? turn.rest : S::stages) - 1, lane, down, across);
#pragma unroll
      for (int part = 0; part < S::parts; ++part)
        if constexpr (PLAIN)
          wgmma_store_plain<T, S>(sum[part], arg, buffers, row0 + part * 64, place.column0, lane);
        else
          wgmma_store<T, S>(sum[part], c, buffers, half, row0 + part * 64, place.column0, lane);
    }
    turn.end_tile();
    if (S::turns) turn.end_tile();  // that of the other group
  }
  if (lane == 0) bulk::wait_read<0>();
}

// To be launched in clusters of S::ctas.
template <typename T, typename S, bool PLAIN>
__global__ void __launch_bounds__(kWgmmaThreads, 1)
    wgmma_kernel(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                 const __grid_constant__ CUtensorMap c, const __grid_constant__ wgmma_arguments arg) {
  static_assert(S::ctas > 1 && S::groups == 2, "clusters, two warpgroups that multiply");
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ uint8_t memory[];
  const wgmma_memory<S> at(memory);
  const int rank = static_cast<int>(cluster_rank()), down = rank % S::down, across = rank / S::down;
  const int block = static_cast<int>(blockIdx.x) / S::ctas, stride = static_cast<int>(gridDim.x) / S::ctas;
  const int blocks = arg.blocks_down * arg.blocks_across;
  if (threadIdx.x == 0) {
    at.make_barriers();
    prefetch_map(&a);
    prefetch_map(&b);
    prefetch_map(&c);
  }
  __syncwarp();
  bulk::cluster_arrive();
  bulk::cluster_wait();
  if (threadIdx.x < 128) {
    fewer_registers<40>();
    if (threadIdx.x == 0) wgmma_fetch<S>(&a, &b, arg, at, down, across, block, blocks, stride);
  } else {
    more_registers<232>();
    const int group = __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x) / 128, 0) - 1;  // known to be uniform
    wgmma_multiply<T, S, PLAIN>(&c, arg, at, group, down, across, block, blocks, stride);
  }
#endif
}

// ---- A tile a CTA --------------------------------------------------------------------------------------------------

// For problems of no more tiles than multiprocessors, where start and end count. S is of one CTA, not as a cluster: as
// one of its own it gets less from the L2 cache. A last warp fetches; it asks for the first steps before anything is
// synchronised.
template <typename S>
__device__ __forceinline__ void wgmma_fetch_step(const CUtensorMap *a, const CUtensorMap *b, const wgmma_place &place,
                                                 const wgmma_memory<S> &at, int step) {
  const int stage = step % S::stages;
  const uint32_t to = at.ring + static_cast<uint32_t>(stage) * S::stage_bytes;
  bulk::arrive_and_expect(at.full + stage, S::stage_bytes);
  load_tile(to, a, step * 64, place.row0, at.full + stage);
  load_tile(to + S::a_bytes, b, step * 64, place.column0, at.full + stage);
}

template <typename S>
constexpr int wgmma_single_threads() {
  return S::groups * 128 + 32;
}

template <typename T, typename S>
__global__ void __launch_bounds__(wgmma_single_threads<S>(), 1)
    wgmma_single(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                 const __grid_constant__ CUtensorMap c, const __grid_constant__ wgmma_arguments arg) {
  static_assert(S::ctas == 1 && !S::turns, "one CTA, one tile");
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ uint8_t memory[];
  const wgmma_memory<S> at(memory);
  const int group = __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x) / 128, 0);  // known to be uniform
  const int block = static_cast<int>(blockIdx.x), steps = wgmma_ring<S>(arg.k).steps;
  const wgmma_place place = wgmma_place_of<S>(arg, block, 0, 0);
  const bool fetches = threadIdx.x == S::groups * 128;
  if (fetches) {
    prefetch_map(&a);
    prefetch_map(&b);
    at.make_barriers();
    for (int step = 0; step < min(S::stages, steps); ++step)
      wgmma_fetch_step<S>(&a, &b, place, at, step);
    prefetch_map(&c);
  }
  __syncwarp();
  __syncthreads();
  if (group < S::groups) {
    wgmma_multiply<T, S, false>(&c, arg, at, group, 0, 0, block, block + 1, 1);
  } else if (fetches) {
    for (int step = S::stages; step < steps; ++step) {
      bulk::wait(at.empty + step % S::stages, static_cast<unsigned>(step / S::stages - 1) & 1);
      wgmma_fetch_step<S>(&a, &b, place, at, step);
    }
  }
#endif
}

}  // namespace matmul
#endif
