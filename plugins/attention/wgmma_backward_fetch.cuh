// Part of the kernel of "backward" for Hopper: its layout of shared memory, the blocks that it works on, and the warps
// that fetch these blocks.
#ifndef ATTENTION_WGMMA_BACKWARD_FETCH_CUH
#define ATTENTION_WGMMA_BACKWARD_FETCH_CUH

#include "backward_workspace.cuh"
#include "wgmma_products.cuh"

namespace attention {

constexpr int kBackwardKeys = 128;
constexpr int kBackwardThreads = 384;

template <int D>
struct backward_shape {
  static constexpr int queries = D == 64 ? 128 : 64;  // queries of a block; more would need too many registers
  static constexpr int panels = D / 64;
  static constexpr bool early = D == 128;  // true: dV is multiplied while dS is computed, which takes more registers
  static constexpr int stages = 2;
  static constexpr uint32_t key_panel = kBackwardKeys * 128, query_panel = queries * 128;
  static constexpr uint32_t key_bytes = panels * key_panel, query_bytes = panels * query_panel;
  static constexpr uint32_t ds_bytes = kBackwardKeys * queries * 2;
  static constexpr uint32_t number_bytes = queries * 4;
  static constexpr uint32_t k = 0, v = k + stages * key_bytes, q = v + stages * key_bytes,
                            d_o = q + stages * query_bytes, ds = d_o + stages * query_bytes,
                            numbers = ds + 2 * ds_bytes, barriers = numbers + 2 * stages * number_bytes;
  static constexpr int bytes = barriers + 256;
  static_assert(bytes <= 232448, "what a block may have on compute capability 9.0");
};

struct backward_maps {
  CUtensorMap q, d_o;  // boxes of 64 columns by a block of queries
  CUtensorMap k, v;    // boxes of 64 columns by 128 keys
  CUtensorMap dk, dv;  // boxes of 64 columns by 64 keys
};

struct backward_arguments {
  backward_workspace work;
  backward_order order;
  int group, s;
  float scale, scale_log2;
};

// Addresses in shared memory.
template <int D>
struct backward_memory {
  typedef backward_shape<D> shape;
  uint32_t start;
  float *lse, *delta;  // of the queries in each stage: [stages][queries]
  // One element per stage. `keys` is the number of the block of keys in the stage, -1 if there are no more blocks.
  uint64_t *k_full, *v_full, *k_empty, *q_full, *q_empty, *o_full, *o_empty;
  int *keys;

  __device__ __forceinline__ explicit backward_memory(uint8_t *memory) {
    start = bulk::shared_address(memory);
    lse = reinterpret_cast<float *>(memory + shape::numbers);
    delta = lse + shape::stages * shape::queries;
    k_full = reinterpret_cast<uint64_t *>(memory + shape::barriers);
    v_full = k_full + shape::stages;
    k_empty = v_full + shape::stages;
    q_full = k_empty + shape::stages;
    q_empty = q_full + shape::stages;
    o_full = q_empty + shape::stages;
    o_empty = o_full + shape::stages;
    keys = reinterpret_cast<int *>(o_empty + shape::stages);
  }

  __device__ __forceinline__ void make_barriers() const {
    for (int i = 0; i < shape::stages; ++i) {
      bulk::barrier_init(k_full + i, 1);
      bulk::barrier_init(v_full + i, 1);
      bulk::barrier_init(k_empty + i, 2);  // one arrival per warpgroup
      bulk::barrier_init(q_full + i, 1);
      bulk::barrier_init(o_full + i, 1);
      bulk::barrier_init(q_empty + i, 256);  // all reading threads arrive; one arrival per warp was no faster
      bulk::barrier_init(o_empty + i, 256);
    }
    bulk::barriers_ready();
  }
};

// A block of keys, number `tile` of its head, and the blocks of queries that see it: `first` to `last` - 1 of each head
// that shares the keys.
struct backward_part {
  int head, tile, first, last;
};

template <int D, bool CAUSAL>
__device__ __forceinline__ backward_part backward_part_of(const backward_arguments &arg, int keys) {
  constexpr int queries = backward_shape<D>::queries;
  const backward_place place = backward_place_of(arg.order, static_cast<unsigned>(keys));
  backward_part part;
  part.head = place.head;
  part.tile = place.tile;
  part.first = CAUSAL ? place.tile * kBackwardKeys / queries : 0;
  part.last = (arg.s + queries - 1) / queries;
  return part;
}

// The stage of the ring that a turn (one block of queries of one head) uses, and the parity of the stage's barriers.
template <int D>
struct backward_stage {
  int at;
  unsigned parity;
  __device__ __forceinline__ explicit backward_stage(int turn)
      : at(turn % backward_shape<D>::stages), parity(static_cast<unsigned>(turn / backward_shape<D>::stages) & 1) {}
};

// A warp that fetches. If OF_K, it fetches K and Q, and claims the blocks of keys. Otherwise it fetches V and dO.
template <int D, bool CAUSAL, bool OF_K>
struct backward_fetcher {
  typedef backward_shape<D> shape;
  const backward_maps &maps;
  const backward_arguments &arg;
  const backward_memory<D> &memory;
  int turn;

  __device__ __forceinline__ void fetch_keys(int stage, const backward_part &part) const {
    uint64_t *full = (OF_K ? memory.k_full : memory.v_full) + stage;
    const uint32_t to = memory.start + (OF_K ? shape::k : shape::v) + stage * shape::key_bytes;
    bulk::arrive_and_expect(full, shape::key_bytes);
#pragma unroll
    for (int i = 0; i < shape::panels; ++i)
      load_tile(to + i * shape::key_panel, OF_K ? &maps.k : &maps.v, i * 64, part.tile * kBackwardKeys, part.head,
                full);
  }

  // Fetches a block of queries. If EARLY, the kernel that computes lse and delta may still be running, and the warp
  // waits for it before it fetches lse and delta.
  template <bool EARLY = false>
  __device__ __forceinline__ void fetch_queries(int head, int block) const {
    const backward_stage<D> stage(turn);
    uint64_t *full = (OF_K ? memory.q_full : memory.o_full) + stage.at;
    const uint32_t to = memory.start + (OF_K ? shape::q : shape::d_o) + stage.at * shape::query_bytes;
    bulk::wait((OF_K ? memory.q_empty : memory.o_empty) + stage.at, stage.parity ^ 1);
    bulk::arrive_and_expect(full, shape::query_bytes + shape::number_bytes);
#pragma unroll
    for (int i = 0; i < shape::panels; ++i)
      load_tile(to + i * shape::query_panel, OF_K ? &maps.q : &maps.d_o, i * 64, block * shape::queries, head, full);
    if constexpr (EARLY) wait_for_kernel_before();
    bulk::load((OF_K ? memory.lse : memory.delta) + stage.at * shape::queries,
               (OF_K ? arg.work.lse : arg.work.delta) + head * arg.work.padded + block * shape::queries,
               shape::number_bytes, full);
  }

  __device__ __forceinline__ void fetch(int stage, int keys) {
    const backward_part part = backward_part_of<D, CAUSAL>(arg, keys);
    fetch_keys(stage, part);
    for (int head = part.head * arg.group, end = head + arg.group; head < end; ++head) {
      for (int block = part.first; block < part.last; ++block, ++turn)
        fetch_queries(head, block);
    }
  }

  // Claims blocks of keys until there are no more; the number -1 tells the other warps to end.
  __device__ __forceinline__ void take_all() {
    const unsigned count = arg.order.heads * arg.order.tiles;
    unsigned next = blockIdx.x;
    for (int number = 0;; ++number) {
      const backward_stage<D> stage(number);
      bulk::wait(memory.k_empty + stage.at, stage.parity ^ 1);
      memory.keys[stage.at] = next < count ? static_cast<int>(next) : -1;
      if (next >= count) {
        arrive(memory.k_full + stage.at);
        return;
      }
      fetch(stage.at, static_cast<int>(next));
      next = gridDim.x + atomicAdd(arg.work.taken, 1u);
    }
  }

  __device__ __forceinline__ void follow() {
    for (int number = 0;; ++number) {
      const backward_stage<D> stage(number);
      bulk::wait(memory.k_full + stage.at, stage.parity);
      const int keys = memory.keys[stage.at];
      if (keys < 0) return;
      fetch(stage.at, keys);
    }
  }
};

}  // namespace attention
#endif
