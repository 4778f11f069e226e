// Part of the kernel of "forward" for Hopper: its layout of shared memory, the tiles that it works on, and the thread
// that fetches them.
#ifndef ATTENTION_WGMMA_FORWARD_FETCH_CUH
#define ATTENTION_WGMMA_FORWARD_FETCH_CUH

#include "../shared/bands.h"
#include "wgmma_products.cuh"

namespace attention {

// The sizes of a kernel: GROUPS warpgroups of 64 queries each, KEYS keys in a block, STAGES blocks of keys in flight,
// and BUFFERS buffers for tiles of queries. For e4m3 (`narrow`), another kernel transposes the values first
// (wgmma_forward_values.cuh), and results, which are bf16, do not fit into the memory of queries.
template <typename T, int D, int GROUPS, int KEYS, int STAGES, int BUFFERS>
struct forward_shape {
  typedef T type;
  static constexpr int d = D, groups = GROUPS, rows = GROUPS * 64, keys = KEYS, stages = STAGES, buffers = BUFFERS;
  static constexpr int threads = (GROUPS + 1) * 128;
  static constexpr bool narrow = std::is_same_v<T, e4m3>;
  static constexpr int width = narrow ? 1 : 2;                         // bytes of an element
  static constexpr int row_bytes = D * width < 128 ? D * width : 128;  // bytes of a row in a panel of shared memory
  static constexpr int panels = D * width / row_bytes, columns = row_bytes / width;
  static constexpr int o_panels = D / 64;
  // Keys in a row of transposed values.
  static constexpr int values_row = KEYS % 128 == 0 ? 128 : KEYS % 64 == 0 ? 64 : 32;
  static constexpr int few_registers = GROUPS == 3 ? 32 : 24, many_registers = GROUPS == 3 ? 160 : 240;
  static constexpr uint32_t q_panel = rows * row_bytes, key_panel = KEYS * row_bytes;
  static constexpr uint32_t o_panel = narrow ? 8192 : q_panel;
  static constexpr uint32_t q_bytes = panels * q_panel, key_bytes = panels * key_panel;
  static constexpr uint32_t q = 0, k = q + BUFFERS * q_bytes, v = k + STAGES * key_bytes,
                            o = narrow ? v + STAGES * key_bytes : 0,
                            barriers = narrow ? o + GROUPS * o_panels * o_panel : v + STAGES * key_bytes;
  static constexpr int bytes = barriers + 256;
  static_assert(bytes <= 232448, "what a block may have on compute capability 9.0");
};

struct forward_maps {
  CUtensorMap q;     // boxes of 64 columns by the queries of a tile
  CUtensorMap k, v;  // boxes of 64 columns by a block of keys
  CUtensorMap o;     // boxes of 64 columns by 64 queries
};

struct forward_arguments {
  // Two counters: tiles that CTAs have claimed beyond their first one, and CTAs that have ended.
  unsigned *taken;
  // Maps a tile's number to its head (a row of a grid of tiles) and its place in the head (a column). The grid is cut
  // into bands of several heads, which are worked on together.
  bands order;
  divisor group;  // heads of queries that share keys and values
  int s;
  float scale_log2;
  float slack;            // how much a row's maximum may grow before its sums are rescaled to it
  const uint8_t *values;  // only for e4m3: the transposed values
  int blocks;             // number of blocks of keys of a head
};

struct forward_place {
  int head, row;  // head is -1 if there are no more tiles
};

// Returns the head and the first query of tile number `number`. Tiles at the end of a head come first, because a causal
// mask makes them the longest.
template <typename S>
__device__ __forceinline__ forward_place forward_place_of(const forward_arguments &arg, unsigned number) {
  const bands_place place = bands_at(&arg.order, number);
  return {static_cast<int>(place.row), static_cast<int>(arg.order.columns - 1 - place.column) * S::rows};
}

// Returns the number of blocks of keys that a tile sees.
template <typename S, bool CAUSAL>
__device__ __forceinline__ int forward_blocks(const forward_arguments &arg, int row) {
  return ((CAUSAL ? min(arg.s, row + S::rows) : arg.s) + S::keys - 1) / S::keys;
}

// The buffer, one of COUNT, that the block or tile number `turn` uses, and the parity of the buffer's barriers.
template <int COUNT>
struct forward_turn {
  int at;
  unsigned parity;
  __device__ __forceinline__ explicit forward_turn(int turn)
      : at(turn % COUNT), parity(static_cast<unsigned>(turn / COUNT) & 1) {}
};

// Addresses in shared memory.
template <typename S>
struct forward_memory {
  uint32_t start;
  uint64_t *q_full, *q_empty, *k_full, *k_empty, *v_full, *v_empty;
  forward_place *places;  // the tile of each buffer of queries

  __device__ __forceinline__ explicit forward_memory(uint8_t *memory) {
    start = bulk::shared_address(memory);
    q_full = reinterpret_cast<uint64_t *>(memory + S::barriers);
    q_empty = q_full + S::buffers;
    k_full = q_empty + S::buffers;
    k_empty = k_full + S::stages;
    v_full = k_empty + S::stages;
    v_empty = v_full + S::stages;
    places = reinterpret_cast<forward_place *>(v_empty + S::stages);
  }

  __device__ __forceinline__ void make_barriers() const {
    for (int i = 0; i < S::buffers; ++i) {
      bulk::barrier_init(q_full + i, 1);
      bulk::barrier_init(q_empty + i, S::groups * 128);
    }
    for (int i = 0; i < S::stages; ++i) {
      bulk::barrier_init(k_full + i, 1);
      bulk::barrier_init(k_empty + i, S::groups);
      bulk::barrier_init(v_full + i, 1);
      bulk::barrier_init(v_empty + i, S::groups);
    }
    bulk::barriers_ready();
  }
};

template <typename S, bool CAUSAL>
struct forward_fetcher {
  const forward_maps &maps;
  const forward_arguments &arg;
  const forward_memory<S> &memory;

  __device__ __forceinline__ int key_head(const forward_place &place) const {
    return static_cast<int>(divide(static_cast<unsigned>(place.head), arg.group));
  }

  template <bool OF_K>
  __device__ __forceinline__ void fetch_keys(int turn, int head, int block) const {
    const forward_turn<S::stages> stage(turn);
    uint64_t *full = (OF_K ? memory.k_full : memory.v_full) + stage.at;
    const uint32_t to = memory.start + (OF_K ? S::k : S::v) + stage.at * S::key_bytes;
    bulk::wait((OF_K ? memory.k_empty : memory.v_empty) + stage.at, stage.parity ^ 1);
    bulk::arrive_and_expect(full, S::key_bytes);
    if constexpr (S::narrow && !OF_K) {
      load_bytes(to, arg.values + (static_cast<int64_t>(head) * arg.blocks + block) * S::key_bytes, S::key_bytes, full);
    } else {
#pragma unroll
      for (int i = 0; i < S::panels; ++i)
        load_tile(to + i * S::key_panel, OF_K ? &maps.k : &maps.v, i * S::columns, block * S::keys, head, full);
    }
  }

  __device__ __forceinline__ void fetch_queries(int buffer, const forward_place &place) const {
    bulk::arrive_and_expect(memory.q_full + buffer, S::q_bytes);
#pragma unroll
    for (int i = 0; i < S::panels; ++i)
      load_tile(memory.start + S::q + buffer * S::q_bytes + i * S::q_panel, &maps.q, i * S::columns, place.row,
                place.head, memory.q_full + buffer);
  }

  // The last CTA to end resets the counters for the next run.
  __device__ __forceinline__ void end() const {
    __threadfence();
    if (atomicInc(arg.taken + 1, gridDim.x - 1) == gridDim.x - 1) *arg.taken = 0;
  }

  __device__ __forceinline__ void all() const {
    if constexpr (S::narrow) wait_for_kernel_before();
    const unsigned count = arg.order.rows * arg.order.columns;
    const bool more = count > gridDim.x;  // true: there are more tiles than CTAs
    unsigned next = blockIdx.x;
    int turn = 0;
    for (int number = 0;; ++number) {
      const forward_turn<S::buffers> buffer(number);
      if (S::buffers == 1 && next < count) {  // the only query buffer is still in use: fetches keys first
        const forward_place place = forward_place_of<S>(arg, next);
        fetch_keys<true>(turn, key_head(place), forward_blocks<S, CAUSAL>(arg, place.row) - 1);
      }
      bulk::wait(memory.q_empty + buffer.at, buffer.parity ^ 1);
      if (next >= count) {
        memory.places[buffer.at].head = -1;
        arrive(memory.q_full + buffer.at);
        break;
      }
      const forward_place place = forward_place_of<S>(arg, next);
      memory.places[buffer.at] = place;
      fetch_queries(buffer.at, place);
      const int head = key_head(place), blocks = forward_blocks<S, CAUSAL>(arg, place.row);
      if (S::buffers > 1) fetch_keys<true>(turn, head, blocks - 1);
      next = more ? gridDim.x + atomicAdd(arg.taken, 1u) : count;
      for (int i = 1; i < blocks; ++i) {
        fetch_keys<true>(turn + i, head, blocks - 1 - i);
        fetch_keys<false>(turn + i - 1, head, blocks - i);
      }
      turn += blocks;
      fetch_keys<false>(turn - 1, head, 0);
    }
    if (more) end();
  }
};

}  // namespace attention
#endif
