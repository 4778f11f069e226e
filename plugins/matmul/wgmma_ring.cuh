// Templates that describe the arithmetic and the tile shape of a wgmma kernel, and the ring of stages in shared memory
// through which its operands pass.
#ifndef MATMUL_WGMMA_RING_CUH
#define MATMUL_WGMMA_RING_CUH

#include "../shared/bands.h"
#include "../shared/hopper.cuh"
#include "tile.cuh"

namespace matmul {

using namespace hopper;

// The arithmetic of a kernel. IN and OUT are the types of the operands and of c, and DEPTH is the number of elements in
// a step of 128 bytes along k. If PROMOTED, the tensor cores add up only one or two steps, and ordinary instructions
// add these sums. If SPLIT, each operand is the sum of a large and a small part; one step loads the small part of a
// with the large part of b, the next step the large part of a with the small part of b.
template <typename IN, typename OUT, int DEPTH, bool PROMOTED = false, bool SPLIT = false, int EPILOGUE = 0>
struct wgmma_math {
  typedef IN in;
  typedef OUT out;
  static constexpr int depth = DEPTH, epilogue = EPILOGUE;  // epilogue: MATMUL_PLAIN, ...
  static constexpr bool promoted = PROMOTED, split = SPLIT;
  static __host__ __device__ constexpr int steps(int k) {
    return (k + DEPTH - 1) / DEPTH * (SPLIT ? 2 : 1);
  }
};

typedef wgmma_math<__nv_bfloat16, __nv_bfloat16, 64> math_bf16;
typedef wgmma_math<__half, __half, 64> math_fp16;
typedef wgmma_math<tf32, float, 32> math_tf32;
typedef wgmma_math<tf32, float, 32, true, true> math_3xtf32;
typedef wgmma_math<e4m3, __nv_bfloat16, 128> math_e4m3_fast;
typedef wgmma_math<e4m3, __nv_bfloat16, 128, true> math_e4m3;

enum wgmma_groups { kAlone, kTogether, kByTurns, kAlternating };

// A tile shape. ROWS x COLUMNS is the tile of a CTA, DOWN x ACROSS the CTAs of a cluster. In the LAST steps of a tile,
// a warpgroup completes one half of its results before the other, so that it can store the first half while it
// multiplies the second.
template <int ROWS, int COLUMNS, int STAGES, int DOWN, int ACROSS, wgmma_groups GROUPS, int LAST = 0>
struct wgmma_shape {
  static constexpr int rows = ROWS, columns = COLUMNS, stages = STAGES, down = DOWN, across = ACROSS, last = LAST;
  static constexpr bool turns = GROUPS == kByTurns, alternating = GROUPS == kAlternating;
  static constexpr bool together = GROUPS == kTogether || alternating;
  static constexpr int groups = GROUPS == kAlone ? 1 : 2;  // warpgroups that multiply
  static constexpr int ctas = DOWN * ACROSS;
  static constexpr int group_rows = together ? ROWS / 2 : ROWS;  // rows of one warpgroup
  static constexpr int parts = group_rows / 64;
  static constexpr int a_bytes = ROWS * kRowBytes;
  static constexpr int stage_bytes = a_bytes + COLUMNS * kRowBytes;
  static constexpr int box_a = ROWS / ACROSS, box_b = COLUMNS / DOWN;  // rows of a and b that one CTA fetches in a step
  // Number of warpgroups that read a stage, in all CTAs to which this one sends.
  static constexpr int readers = (together ? 2 : 1) * (DOWN + ACROSS - 1);
  static constexpr int out_bytes = 16 * kRowBytes;  // bytes of a buffer for results of a warp: 16 rows
  static constexpr int ring_bytes = STAGES * stage_bytes;
  static constexpr int bytes = 1024 + ring_bytes + groups * 4 * 2 * out_bytes + 2 * STAGES * 8;
  static_assert(bytes <= 232448, "what a block may have on compute capability 9.0");
  static_assert(box_a % 8 == 0 && box_b % 8 == 0, "the swizzle repeats every eight rows");
  static_assert(LAST <= STAGES, "the last steps are in the ring all at once");
  static_assert(LAST == 0 || (GROUPS == kTogether && parts == 2), "halves");
};

struct wgmma_arguments {
  const void *a, *b;  // the matrices that the tensor maps describe
  void *c;
  int m, n, k;
  bands blocks;  // the order of the blocks of c, which have ROWS * DOWN x COLUMNS * ACROSS elements each
};

constexpr int kWgmmaThreads = 384;

struct wgmma_place {
  int row0, column0;
};

// Returns the place of the only tile of a CTA, or of a cluster of SPLIT CTAs. It follows from the indices of the grid
// without divisions, which would delay the first copy.
template <typename S, int SPLIT>
__device__ __forceinline__ wgmma_place wgmma_only_place() {
  return {static_cast<int>(blockIdx.z * (gridDim.x / SPLIT) + blockIdx.x / SPLIT) * S::rows,
          static_cast<int>(blockIdx.y) * S::columns};
}

// Maps a block number to its tile. Blocks that run at the same time share rows of a and of b in the L2 cache.
template <typename S>
__device__ __forceinline__ wgmma_place wgmma_place_of(const wgmma_arguments &arg, int block, int down, int across) {
  if constexpr (S::ctas == 1) {
    return wgmma_only_place<S, 1>();
  } else {
    const bands_place place = bands_at(&arg.blocks, static_cast<unsigned>(block));
    return {(static_cast<int>(place.row) * S::down + down) * S::rows,
            (static_cast<int>(place.column) * S::across + across) * S::columns};
  }
}

// The phase parities of the ring's barriers. Each tile starts at stage 0, so that stages are constants in unrolled
// loops and descriptors stay in uniform registers. If the number of steps is not a multiple of the number of stages,
// the first `rest` stages are used once more per tile than the others. Therefore two parities are kept: `often` for the
// first `rest` stages, `less` for the others.
template <typename S>
struct wgmma_ring {
  // `steps` is the number of steps of a tile, at least S::last; steps beyond k read zeros. `rest` is the number of
  // stages that a tile's last round uses, 0 if it uses all.
  int steps, rest;
  unsigned often = 0, less = 0;
  __device__ __forceinline__ explicit wgmma_ring(int steps_) : steps(max(steps_, S::last)), rest(steps % S::stages) {}
  // Returns the parity of a stage in the given round of this tile.
  __device__ __forceinline__ unsigned parity(int stage, int round) const {
    return ((stage < rest ? often : less) ^ static_cast<unsigned>(round)) & 1;
  }
  __device__ __forceinline__ void end_tile() {
    const unsigned rounds = static_cast<unsigned>(steps / S::stages);
    often ^= rounds + 1;
    less ^= rounds;
  }
};

// Layout of shared memory, at the same addresses in every CTA of a cluster.
template <typename S>
struct wgmma_memory {
  uint32_t ring, out;  // out: two buffers per warp
  uint64_t *full, *empty;
  __device__ __forceinline__ explicit wgmma_memory(uint8_t *memory)
      : wgmma_memory(memory, (bulk::shared_address(memory) + 1023) & ~1023u) {}
  // Lays out memory whose ring begins at an address that is already a multiple of 1024.
  __device__ __forceinline__ wgmma_memory(uint8_t *memory, uint32_t ring_) : ring(ring_), out(ring_ + S::ring_bytes) {
    full =
        reinterpret_cast<uint64_t *>(memory + (out - bulk::shared_address(memory)) + S::groups * 4 * 2 * S::out_bytes);
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

// The tensor maps of the operands, and of their small parts if they are split.
struct wgmma_maps {
  const CUtensorMap *a, *b, *small_a, *small_b;
};

template <typename M, typename S>
__device__ __forceinline__ void wgmma_fetch(const wgmma_maps &from, const wgmma_arguments &arg,
                                            const wgmma_memory<S> &at, int down, int across, int block, int blocks,
                                            int stride) {
  uint16_t of_row = 0, of_column = 0;
#pragma unroll
  for (int i = 0; i < S::across; ++i)
    of_row |= static_cast<uint16_t>(1u << (down + i * S::down));
#pragma unroll
  for (int i = 0; i < S::down; ++i)
    of_column |= static_cast<uint16_t>(1u << (across * S::down + i));
  wgmma_ring<S> turn(M::steps(arg.k));
  for (; block < blocks; block += stride) {
    const wgmma_place place = wgmma_place_of<S>(arg, block, down, across);
    const int row = place.row0 + across * S::box_a, column = place.column0 + down * S::box_b;
    for (int step = 0, stage = 0, round = 0; step < turn.steps; ++step) {
      bulk::wait(at.empty + stage, turn.parity(stage, round) ^ 1);
      uint64_t *barrier = at.full + stage;
      bulk::arrive_and_expect(barrier, S::stage_bytes);
      const CUtensorMap *a = M::split && step % 2 == 0 ? from.small_a : from.a;
      const CUtensorMap *b = M::split && step % 2 == 1 ? from.small_b : from.b;
      const int x = (M::split ? step / 2 : step) * M::depth;
      const uint32_t start = at.ring + static_cast<uint32_t>(stage) * S::stage_bytes;
      const uint32_t to_a = start + static_cast<uint32_t>(across) * S::box_a * kRowBytes;
      const uint32_t to_b = start + S::a_bytes + static_cast<uint32_t>(down) * S::box_b * kRowBytes;
      if (S::across > 1)
        load_tile_to(of_row, to_a, a, x, row, barrier);
      else
        load_tile(to_a, a, x, row, barrier);
      if (S::down > 1)
        load_tile_to(of_column, to_b, b, x, column, barrier);
      else
        load_tile(to_b, b, x, column, barrier);
      if (++stage == S::stages) {
        stage = 0;
        ++round;
      }
    }
    turn.end_tile();
  }
  // A CTA must not exit before all readers of its last stages have arrived at its barriers, which are in its shared
  // memory.
  if (S::ctas > 1)
    for (int stage = 0; stage < S::stages; ++stage)
      bulk::wait(at.empty + stage, turn.parity(stage, 0) ^ 1);
}

// Tells all CTAs that write to this one that this warpgroup has read a stage. Only one of its warps calls this: wgmma
// groups belong to the whole warpgroup, so that a wait in one warp holds for all four.
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

}  // namespace matmul
#endif
