// Matrix product on Hopper's tensor cores: bf16 and fp16, sums in fp32.
//
// A cluster of CTAs owns a block of tiles of c, and takes block after block until all are done. In each CTA one warp
// asks the copy engine for steps of 128 bytes of depth, as far ahead as the ring has stages; what CTAs of a cluster
// share, each of them fetches a part of and sends to all. Two warpgroups multiply: each a half of the tile
// ("together"), or each a tile of its own, so that one multiplies while the other stores ("by turns").
#ifndef MATMUL_WGMMA_KERNEL_CUH
#define MATMUL_WGMMA_KERNEL_CUH

#include "hopper.cuh"
#include "tile.cuh"

namespace matmul {

// ROWS x COLUMNS is the tile of a CTA, DOWN x ACROSS are the CTAs of a cluster.
template <int ROWS, int COLUMNS, int STAGES, int DOWN, int ACROSS, bool TURNS>
struct wgmma_shape {
  static constexpr int rows = ROWS, columns = COLUMNS, stages = STAGES, down = DOWN, across = ACROSS;
  static constexpr bool turns = TURNS;
  static constexpr int ctas = DOWN * ACROSS;
  static constexpr int group_rows = TURNS ? ROWS : ROWS / 2;  // of a warpgroup
  static constexpr int parts = group_rows / 64;
  static constexpr int a_bytes = ROWS * kRowBytes;
  static constexpr int stage_bytes = a_bytes + COLUMNS * kRowBytes;
  static constexpr int box_a = ROWS / ACROSS, box_b = COLUMNS / DOWN;  // rows that one CTA fetches
  static constexpr int groups = TURNS ? 1 : 2;                         // that read a stage
  static constexpr int readers = groups * (DOWN + ACROSS - 1);         // in all CTAs that this one sends to
  static constexpr int out_bytes = 16 * kRowBytes;                     // 16 rows of 64 results, of a warp
  static constexpr int ring_bytes = STAGES * stage_bytes;
  static constexpr int bytes = 1024 + ring_bytes + 8 * 2 * out_bytes + 2 * STAGES * 8;
  static_assert(bytes <= 232448, "what a block may have on compute capability 9.0");
  static_assert(box_a % 8 == 0 && box_b % 8 == 0, "the swizzle repeats every eight rows");
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
  int steps, rest;  // of a tile; of its last round, if not all
  unsigned often = 0, less = 0;
  __device__ __forceinline__ explicit wgmma_ring(int k) : steps((k + 63) / 64), rest(steps % S::stages) {}
  __device__ __forceinline__ unsigned parity(int stage) const {
    return stage < rest ? often : less;
  }
  // After the round that began with `step`.
  __device__ __forceinline__ void end_round(int step) {
    often ^= 1;
    if (step + S::stages <= steps) less ^= 1;
  }
  __device__ __forceinline__ void skip_tile() {
    const unsigned rounds = static_cast<unsigned>(steps / S::stages);
    often ^= (rounds + 1) & 1;
    less ^= rounds & 1;
  }
};

template <typename S>
__device__ __forceinline__ void wgmma_fetch(const CUtensorMap *a, const CUtensorMap *b, const wgmma_arguments &arg,
                                            uint32_t ring, uint64_t *full, uint64_t *empty, int down, int across,
                                            int block, int blocks, int stride) {
  uint16_t of_row = 0, of_column = 0;
#pragma unroll
  for (int i = 0; i < S::across; ++i)
    of_row |= static_cast<uint16_t>(1u << (down + i * S::down));
#pragma unroll
  for (int i = 0; i < S::down; ++i)
    of_column |= static_cast<uint16_t>(1u << (across * S::down + i));
  wgmma_ring<S> turn(arg.k);
  for (; block < blocks; block += stride) {
    const wgmma_place at = wgmma_place_of<S>(arg, block, down, across);
    const int row = at.row0 + across * S::box_a, column = at.column0 + down * S::box_b;
    for (int step = 0, stage = 0; step < turn.steps; ++step) {
      bulk::wait(empty + stage, turn.parity(stage) ^ 1);
      uint64_t *barrier = full + stage;
      bulk::arrive_and_expect(barrier, S::stage_bytes);
      const uint32_t start = ring + static_cast<uint32_t>(stage) * S::stage_bytes;
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
      if (++stage == S::stages || step + 1 == turn.steps) {
        turn.end_round(step + 1 - stage);
        stage = 0;
      }
    }
  }
  // Who leaves before all have told it that they read its last stages would take their barrier away.
  if (S::ctas > 1)
    for (int stage = 0; stage < S::stages; ++stage)
      bulk::wait(empty + stage, turn.parity(stage) ^ 1);
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
template <typename T, typename S, bool PLAIN>
__device__ __forceinline__ void wgmma_store(const float (&sum)[S::columns / 2], const CUtensorMap *c,
                                            const wgmma_arguments &arg, uint32_t buffers, uint32_t &half, int row0,
                                            int column0, int lane) {
  if (PLAIN) {
    wgmma_store_plain<T, S>(sum, arg, buffers, row0, column0, lane);
    return;
  }
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

template <typename T, typename S, bool PLAIN>
__device__ __forceinline__ void wgmma_multiply(const CUtensorMap *c, const wgmma_arguments &arg, uint32_t ring,
                                               uint32_t out, uint64_t *full, uint64_t *empty, int down, int across,
                                               int block, int blocks, int stride) {
  const int group = __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x) / 128, 0) - 1;  // known to be uniform
  const int warp = static_cast<int>(threadIdx.x) / 32 % 4, lane = static_cast<int>(threadIdx.x) % 32;
  const int of_group = S::turns ? 0 : group;
  const uint64_t start_a = descriptor(ring + static_cast<uint32_t>(of_group) * S::group_rows * kRowBytes);
  const uint64_t start_b = descriptor(ring + S::a_bytes);
  const uint32_t buffers = out + static_cast<uint32_t>(group * 4 + warp) * 2 * S::out_bytes;
  uint32_t half = 0;
  wgmma_ring<S> turn(arg.k);
  bool first = true;
  if (S::turns && group == 1) {
    turn.skip_tile();
    block += stride;
    first = false;
  }
  for (; block < blocks; block += S::turns ? 2 * stride : stride) {
    float sum[S::parts][S::columns / 2];
    // The other group has seen all of its stages filled: a barrier's parity tells apart but two phases.
    if (S::turns && !first) pair_wait(1 + group);
    first = false;
    for (int step = 0; step < turn.steps; step += S::stages) {
#pragma unroll
      for (int stage = 0; stage < S::stages; ++stage) {
        if (stage > 0 && step + stage >= turn.steps) break;
        bulk::wait(full + stage, turn.parity(stage));
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
          wgmma_release<S>(empty + (stage + S::stages - 1) % S::stages, lane, down, across);
      }
      turn.end_round(step);
    }
    if (S::turns && block + stride < blocks) pair_arrive(2 - group);
    products_wait<0>();
    if (warp == 0) wgmma_release<S>(empty + (turn.rest > 0 ? turn.rest : S::stages) - 1, lane, down, across);
    const wgmma_place at = wgmma_place_of<S>(arg, block, down, across);
#pragma unroll
    for (int part = 0; part < S::parts; ++part)
      wgmma_store<T, S, PLAIN>(sum[part], c, arg, buffers, half,
                               at.row0 + of_group * S::group_rows + part * 64 + warp * 16, at.column0, lane);
    if (S::turns) turn.skip_tile();
  }
  if (lane == 0) bulk::wait_read<0>();
}

// PLAIN: rows of c are not multiples of 16 bytes, and there is no tensor map for it. To be launched in clusters of
// S::ctas; where that is 1, in none: as a cluster of its own a CTA gets less from the L2 cache.
template <typename T, typename S, bool PLAIN>
__global__ void __launch_bounds__(kWgmmaThreads, 1)
    wgmma_kernel(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                 const __grid_constant__ CUtensorMap c, const __grid_constant__ wgmma_arguments arg) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ uint8_t memory[];
  // Every CTA of a cluster has its ring at the same address.
  const uint32_t ring = (bulk::shared_address(memory) + 1023) & ~1023u;
  const uint32_t out = ring + S::ring_bytes;
  uint64_t *full = reinterpret_cast<uint64_t *>(memory + (out - bulk::shared_address(memory)) + 16 * S::out_bytes);
  uint64_t *empty = full + S::stages;
  const int rank = S::ctas > 1 ? static_cast<int>(cluster_rank()) : 0;
  const int down = rank % S::down, across = rank / S::down;
  const int block = static_cast<int>(blockIdx.x) / S::ctas, stride = static_cast<int>(gridDim.x) / S::ctas;
  const int blocks = arg.blocks_down * arg.blocks_across;
  if (threadIdx.x == 0) {
    for (int i = 0; i < S::stages; ++i) {
      bulk::barrier_init(full + i, 1);
      bulk::barrier_init(empty + i, S::readers);
    }
    bulk::barriers_ready();
    prefetch_map(&a);
    prefetch_map(&b);
    prefetch_map(&c);
  }
  __syncwarp();
  if (S::ctas > 1) {
    bulk::cluster_arrive();
    bulk::cluster_wait();
  } else {
    __syncthreads();
  }
  if (threadIdx.x < 128) {
    fewer_registers<40>();
    if (threadIdx.x == 0) wgmma_fetch<S>(&a, &b, arg, ring, full, empty, down, across, block, blocks, stride);
  } else {
    more_registers<232>();
    wgmma_multiply<T, S, PLAIN>(&c, arg, ring, out, full, empty, down, across, block, blocks, stride);
  }
#endif
}

// ---- A tile a CTA --------------------------------------------------------------------------------------------------

// For problems of no more tiles than multiprocessors, where most of the time is start and end. One warpgroup multiplies
// and the fifth warp fetches; it asks for the first steps before anything is synchronised. S is of one CTA, whose
// groups have tiles of their own.
constexpr int kSingleThreads = 160;

template <typename S>
__device__ __forceinline__ void wgmma_fetch_step(const CUtensorMap *a, const CUtensorMap *b, const wgmma_place &at,
                                                 uint32_t ring, uint64_t *full, int step) {
  const int stage = step % S::stages;
  const uint32_t to = ring + static_cast<uint32_t>(stage) * S::stage_bytes;
  bulk::arrive_and_expect(full + stage, S::stage_bytes);
  load_tile(to, a, step * 64, at.row0, full + stage);
  load_tile(to + S::a_bytes, b, step * 64, at.column0, full + stage);
}

template <typename T, typename S>
__device__ __forceinline__ void wgmma_multiply_one(float (&sum)[S::columns / 2], uint32_t ring, uint64_t *full,
                                                   uint64_t *empty, int steps, int warp, int lane) {
  const uint64_t start_a = descriptor(ring), start_b = descriptor(ring + S::a_bytes);
  for (int step = 0; step < steps; step += S::stages) {
#pragma unroll
    for (int stage = 0; stage < S::stages; ++stage) {
      if (stage > 0 && step + stage >= steps) break;
      bulk::wait(full + stage, static_cast<unsigned>(step / S::stages) & 1);
      const uint64_t a = start_a + stage * (S::stage_bytes / 16), b = start_b + stage * (S::stage_bytes / 16);
      products_begin();
#pragma unroll
      for (int i = 0; i < 4; ++i)
        product<T, S::columns>(sum, a + i * 2, b + i * 2, step | stage | i);
      products_commit();
      products_wait<1>();
      if (warp == 0 && step + stage > 0) wgmma_release<S>(empty + (stage + S::stages - 1) % S::stages, lane, 0, 0);
    }
  }
  products_wait<0>();
}

template <typename T, typename S>
__global__ void __launch_bounds__(kSingleThreads, 1)
    wgmma_single(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                 const __grid_constant__ CUtensorMap c, const __grid_constant__ wgmma_arguments arg) {
  static_assert(S::ctas == 1 && S::turns && S::parts == 1, "one CTA, one warpgroup");
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ uint8_t memory[];
  const uint32_t ring = (bulk::shared_address(memory) + 1023) & ~1023u;
  const uint32_t out = ring + S::ring_bytes;
  uint64_t *full = reinterpret_cast<uint64_t *>(memory + (out - bulk::shared_address(memory)) + 16 * S::out_bytes);
  uint64_t *empty = full + S::stages;
  const int warp = __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x) / 32, 0);  // known to be uniform
  const int lane = static_cast<int>(threadIdx.x) % 32, steps = (arg.k + 63) / 64;
  const wgmma_place at = wgmma_place_of<S>(arg, static_cast<int>(blockIdx.x), 0, 0);
  if (warp == 4 && lane == 0) {
    prefetch_map(&a);
    prefetch_map(&b);
    for (int i = 0; i < S::stages; ++i) {
      bulk::barrier_init(full + i, 1);
      bulk::barrier_init(empty + i, S::readers);
    }
    bulk::barriers_ready();
    for (int step = 0; step < min(S::stages, steps); ++step)
      wgmma_fetch_step<S>(&a, &b, at, ring, full, step);
    prefetch_map(&c);
  }
  __syncwarp();
  __syncthreads();
  if (warp < 4) {
    float sum[S::columns / 2];
    uint32_t half = 0;
    wgmma_multiply_one<T, S>(sum, ring, full, empty, steps, warp, lane);
    wgmma_store<T, S, false>(sum, &c, arg, out + static_cast<uint32_t>(warp) * 2 * S::out_bytes, half,
                             at.row0 + warp * 16, at.column0, lane);
    if (lane == 0) bulk::wait_read<0>();
  } else if (lane == 0) {
    for (int step = S::stages; step < steps; ++step) {
      bulk::wait(empty + step % S::stages, static_cast<unsigned>(step / S::stages - 1) & 1);
      wgmma_fetch_step<S>(&a, &b, at, ring, full, step);
    }
  }
#endif
}

}  // namespace matmul
#endif
