// The kernel of "decode" for Hopper, bf16: many rows of queries share one head of keys and values (a unit), so that
// each key and value is read once for all of them.
//
// A CTA takes shares of the keys of units, one after the other.
// One warp requests blocks of 128 keys or values from the copy engine (TMA), as many blocks ahead as the ring holds,
// also those of the next share; another warp requests the queries.
// A warpgroup has 64 rows. Their scores stay in registers and become weights there, the left operands of the products
// with values.
// The result of a share goes to the workspace as in decode_split.cuh, and the last CTA of a unit to finish merges the
// results.
// If a unit has 2, 4 or 8 shares and every CTA has one share, the CTAs of a unit form a cluster instead: each CTA
// merges a part of the columns, which the other CTAs send to it.
#ifndef ATTENTION_WGMMA_DECODE_CUH
#define ATTENTION_WGMMA_DECODE_CUH

#include "decode_parts.cuh"
#include "wgmma_products.cuh"

namespace attention {

// GROUPS warpgroups multiply; one more warpgroup contains the two warps that fetch.
template <int D, int GROUPS>
struct wgmma_decode_shape {
  static constexpr int keys = 128;  // keys in a block of keys
  static constexpr int rows = 64 * GROUPS;
  static constexpr int consumers = 128 * GROUPS, threads = consumers + 128;
  static constexpr int panels = D / 64;
  // Bytes of a panel of a warpgroup's queries, and of all its queries.
  static constexpr uint32_t query_panel = 64 * 128, query_bytes = panels * query_panel;
  static constexpr uint32_t panel = keys * 128, slot_bytes = panels * panel;
  static constexpr int slots = 12 / panels;  // stages of the ring, which hold 192 KiB of keys and values
  static constexpr int box = 32;             // keys that one TMA copy fetches
  static constexpr uint32_t queries = slots * slot_bytes, barriers = queries + GROUPS * query_bytes;
  static constexpr uint32_t exchange = barriers + 256;
  // The most shared memory of a CTA on compute capability 9.0.
  static constexpr int bytes = 232448;
  static_assert(exchange <= bytes, "all but what comes from other CTAs");

  // Returns the bytes that a CTA gets from each other CTA of a cluster of this size, if each has `warps` warps with
  // rows of queries.
  __host__ __device__ static constexpr int from_each(int cluster, int warps) {
    return warps * 32 * 16 * (D / 8 / cluster + 1);
  }
};

struct wgmma_decode_maps {
  CUtensorMap q;     // [units][rows][d], in boxes of 64 columns by 64 rows
  CUtensorMap k, v;  // [units][s][d], in boxes of 64 columns by shape::box keys
};

struct wgmma_decode_arguments {
  __nv_bfloat16 *o;
  share_parts parts;
  unsigned items;  // number of shares of all units and row blocks
  int rows, row_blocks;
  int block_rows;  // rows of a CTA, a multiple of 16; the last CTA of a unit may have fewer
  int s_q, s;
  int share_keys;  // keys of a share, a multiple of the keys of a block
  int cluster;     // CTAs of a cluster, which take the shares of one unit: 2, 4 or 8; else 1
  float scale_log2;
};

// The item of work that a CTA takes at a time: one share of the keys of a unit, for one block of rows. Item numbers
// count row blocks fastest, because these read the same keys, then the shares of a unit, then units.
struct wgmma_decode_item {
  int unit, share, row_block, row0;
  int begin, blocks;  // the first key, and the number of blocks of keys

  __device__ __forceinline__ wgmma_decode_item(const wgmma_decode_arguments &arg, unsigned item, int keys) {
    const unsigned row_blocks = static_cast<unsigned>(arg.row_blocks), shares = static_cast<unsigned>(arg.parts.shares);
    row_block = static_cast<int>(item % row_blocks);
    share = static_cast<int>(item / row_blocks % shares);
    unit = static_cast<int>(item / row_blocks / shares);
    row0 = row_block * arg.block_rows;
    begin = share * arg.share_keys;
    blocks = (min(arg.s - begin, arg.share_keys) + keys - 1) / keys;
  }
};

// Returns how many warps of a CTA have rows of queries. Requires that the CTA has all rows of a unit.
__device__ __forceinline__ int active_warps(const wgmma_decode_arguments &arg) {
  return (arg.rows + 15) / 16;
}

template <int D, int GROUPS>
struct wgmma_decode_memory {
  typedef wgmma_decode_shape<D, GROUPS> shape;
  uint32_t start;
  uint64_t *full, *empty, *q_full, *q_empty, *exchanged;
  bool *last;
  // Data that the other CTAs of the cluster send: [cluster - 1][groups of 8 columns, then the softmax state][threads].
  float4 *exchange;

  __device__ __forceinline__ explicit wgmma_decode_memory(uint8_t *memory) {
    start = bulk::shared_address(memory);
    full = reinterpret_cast<uint64_t *>(memory + shape::barriers);
    empty = full + shape::slots;
    q_full = empty + shape::slots;
    q_empty = q_full + 1;
    exchanged = q_empty + 1;
    last = reinterpret_cast<bool *>(exchanged + 1);
    exchange = reinterpret_cast<float4 *>(memory + shape::exchange);
  }

  // Each warp that multiplies arrives once for the memory that it has read, hence 4 * GROUPS arrivals at `empty`.
  __device__ __forceinline__ void make_barriers() const {
    for (int i = 0; i < shape::slots; ++i) {
      bulk::barrier_init(full + i, 1);
      bulk::barrier_init(empty + i, 4 * GROUPS);
    }
    bulk::barrier_init(q_full, 1);
    bulk::barrier_init(q_empty, 4 * GROUPS);
    bulk::barrier_init(exchanged, 1);
    bulk::barriers_ready();
  }
};

// The current slot of the ring, and the parity of the slot's barriers.
template <int SLOTS>
struct ring_place {
  int at = 0;
  unsigned parity = 0;

  __device__ __forceinline__ void next() {
    if (++at < SLOTS) return;
    at = 0;
    parity ^= 1;
  }
};

// ---- The warps that fetch ------------------------------------------------------------------------------------------

__device__ __forceinline__ void load_tile_once(uint32_t to, const CUtensorMap *map, int x, int row, int head,
                                               uint64_t *barrier, uint64_t policy) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1, {%2, "
      "%3, %4}], [%5], %6;\n" ::"r"(to),
      "l"(map), "r"(x), "r"(row), "r"(head), "r"(bulk::shared_address(barrier)), "l"(policy)
      : "memory");
}

// Fetches blocks in the order in which they are multiplied: keys one block ahead of values.
template <int D, int GROUPS>
__device__ __forceinline__ void fetch_keys(const wgmma_decode_maps &maps, const wgmma_decode_arguments &arg,
                                           const wgmma_decode_memory<D, GROUPS> &memory) {
  typedef wgmma_decode_shape<D, GROUPS> shape;
  const uint64_t policy = l2::evict_first();
  ring_place<shape::slots> slot;
  const auto fetch = [&](const CUtensorMap *map, int first, int unit) {
    const uint32_t to = memory.start + slot.at * shape::slot_bytes;
    bulk::wait(memory.empty + slot.at, slot.parity ^ 1);
    bulk::arrive_and_expect(memory.full + slot.at, shape::slot_bytes);
#pragma unroll
    for (int row = 0; row < shape::keys; row += shape::box) {
#pragma unroll
      for (int i = 0; i < shape::panels; ++i)
        load_tile_once(to + i * shape::panel + row * 128, map, i * 64, first + row, unit, memory.full + slot.at,
                       policy);
    }
    slot.next();
  };
  for (unsigned number = blockIdx.x; number < arg.items; number += gridDim.x) {
    const wgmma_decode_item item(arg, number, shape::keys);
    for (int block = 0; block <= item.blocks; ++block) {
      const int first = item.begin + block * shape::keys;
      if (block < item.blocks) fetch(&maps.k, first, item.unit);
      if (block > 0) fetch(&maps.v, first - shape::keys, item.unit);
    }
  }
}

template <int D, int GROUPS>
__device__ __forceinline__ void fetch_queries(const wgmma_decode_maps &maps, const wgmma_decode_arguments &arg,
                                              const wgmma_decode_memory<D, GROUPS> &memory) {
  typedef wgmma_decode_shape<D, GROUPS> shape;
  unsigned parity = 1;
  for (unsigned number = blockIdx.x; number < arg.items; number += gridDim.x, parity ^= 1) {
    const wgmma_decode_item item(arg, number, shape::keys);
    bulk::wait(memory.q_empty, parity);
    bulk::arrive_and_expect(memory.q_full, GROUPS * shape::query_bytes);
#pragma unroll
    for (int i = 0; i < GROUPS * shape::panels; ++i)
      load_tile(memory.start + shape::queries + i * shape::query_panel, &maps.q, i % shape::panels * 64,
                item.row0 + i / shape::panels * 64, item.unit, memory.q_full);
  }
}

// ---- A warpgroup that multiplies -----------------------------------------------------------------------------------

template <int THREADS>
__device__ __forceinline__ void consumers_sync() {
  asm volatile("barrier.cta.sync 1, %0;\n" ::"n"(THREADS) : "memory");
}

// Writes four floats to the shared memory of CTA `rank`, at the address that `to` has there, and reports these 16 bytes
// to that CTA's mbarrier at the address of `barrier`.
__device__ __forceinline__ void send_four(float4 *to, float4 x, uint64_t *barrier, int rank) {
  asm volatile(
      "{\n"
      ".reg .b32 there, then;\n"
      "mapa.shared::cluster.u32 there, %0, %6;\n"
      "mapa.shared::cluster.u32 then, %1, %6;\n"
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [there], {%2, %3, %4, %5}, [then];\n"
      "}\n" ::"r"(bulk::shared_address(to)),
      "r"(bulk::shared_address(barrier)), "f"(x.x), "f"(x.y), "f"(x.z), "f"(x.w), "r"(rank)
      : "memory");
}

// A warpgroup that multiplies. Thread (g = lane / 4, t = lane % 4) has rows g and g + 8 of its warp's 16 rows, and for
// each group j of eight columns the columns 8 j + 2 t and 8 j + 2 t + 1.
template <int D, int GROUPS>
struct wgmma_decode_group {
  typedef wgmma_decode_shape<D, GROUPS> shape;
  static constexpr int K = shape::keys;
  const wgmma_decode_memory<D, GROUPS> &memory;
  const wgmma_decode_arguments &arg;
  ring_place<shape::slots> slot;
  unsigned q_parity;
  int lane, warp_row;  // warp_row: the warp's first row within the row block
  bool working;        // true if any of the warp's rows exists
  uint32_t q;
  int limit[2];            // the end of the keys that each row sees
  softmax_state state[2];  // of each row; `sum` covers this thread's columns only
  float scores[K / 2], o[D / 2];

  __device__ __forceinline__ wgmma_decode_group(const wgmma_decode_memory<D, GROUPS> &m,
                                                const wgmma_decode_arguments &a)
      : memory(m), arg(a), q_parity(0) {
    const int warp = static_cast<int>(threadIdx.x) / 32;
    lane = static_cast<int>(threadIdx.x) % 32;
    warp_row = warp * 16;
    q = memory.start + shape::queries + warp / 4 * shape::query_bytes;
  }

  __device__ __forceinline__ void release(uint64_t *empty) const {
    if (lane == 0) arrive(empty);
  }

  __device__ __forceinline__ void multiply_scores(uint32_t keys) {
#pragma unroll
    for (int i = 0; i < D / 16; ++i) {
      const uint64_t a = descriptor(q + i / 4 * shape::query_panel) + i % 4 * 2;
      const uint64_t b = descriptor(keys + i / 4 * shape::panel) + i % 4 * 2;
      if (i == 0)
        product_begun(scores, a, b);
      else
        product_more(scores, a, b);
    }
  }

  __device__ __forceinline__ void multiply_values(const uint32_t (&weights)[K / 16][4], uint32_t values) {
#pragma unroll
    for (int i = 0; i < K / 16; ++i)
      product_rows(o, weights[i], descriptor_across(values, shape::panel) + i * 128);
  }

  // Turns the scores of keys from `first` on into weights relative to the new maxima, and rescales sums and outputs to
  // these.
  __device__ __forceinline__ void weigh(int first) {
    if (first + K > arg.s - arg.s_q + 1) {
#pragma unroll
      for (int i = 0; i < K / 2; ++i)
        if (first + i / 4 * 8 + lane % 4 * 2 + i % 2 >= limit[i % 4 / 2]) scores[i] = -INFINITY;
    }
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float top[2] = {-INFINITY, -INFINITY}, sum[2] = {};
#pragma unroll
      for (int j = 0; j < K / 8; ++j)
        top[j % 2] = fmaxf(top[j % 2], fmaxf(scores[j * 4 + half * 2], scores[j * 4 + half * 2 + 1]));
      top[0] = fmaxf(top[0], top[1]);
      top[0] = fmaxf(top[0], __shfl_xor_sync(kAll, top[0], 1));
      top[0] = fmaxf(top[0], __shfl_xor_sync(kAll, top[0], 2));
      softmax_state &row = state[half];
      const float largest = fmaxf(row.largest, top[0] * arg.scale_log2);
      const float shift = finite(largest), rescale = exp2_fast(row.largest - shift);
#pragma unroll
      for (int j = 0; j < K / 8; ++j) {
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          float &x = scores[j * 4 + half * 2 + e];
          x = exp2_fast(fmaf(x, arg.scale_log2, -shift));
          sum[e] += x;
        }
      }
      row = {largest, row.sum * rescale + (sum[0] + sum[1])};
#pragma unroll
      for (int j = 0; j < D / 8; ++j)
        o[j * 4 + half * 2] *= rescale, o[j * 4 + half * 2 + 1] *= rescale;
    }
  }

  // Processes a block of keys, whose scores the preceding call has computed; computes the scores of the next block
  // unless LAST.
  template <bool LAST>
  __device__ __forceinline__ void take_block(int first) {
    uint32_t weights[K / 16][4] = {};
    if (working) {
      weigh(first);
#pragma unroll
      for (int i = 0; i < K / 4; ++i)
        weights[i / 4][i % 4] = pack_bf16(scores[i * 2], scores[i * 2 + 1]);
    }
    const int of_keys = slot.at;
    if constexpr (!LAST) {
      bulk::wait(memory.full + slot.at, slot.parity);
      products_begin();
      multiply_scores(memory.start + slot.at * shape::slot_bytes);
      products_commit();
      slot.next();
    }
    bulk::wait(memory.full + slot.at, slot.parity);
    products_begin();
    multiply_values(weights, memory.start + slot.at * shape::slot_bytes);
    products_commit();
    if constexpr (!LAST) {
      products_wait<1>();
      settle(scores);
      release(memory.empty + of_keys);
    }
    products_wait<0>();
    settle(o);
    release(memory.empty + slot.at);
    slot.next();
  }

  __device__ __forceinline__ void take_item(const wgmma_decode_item &item) {
    working = warp_row < min(arg.block_rows, arg.rows - item.row0);
    const int row = item.row0 + warp_row + lane / 4;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      limit[half] = arg.s - arg.s_q + 1 + (row + half * 8) % arg.s_q;
      state[half] = {-INFINITY, 0.0f};
    }
#pragma unroll
    for (int i = 0; i < D / 2; ++i)
      o[i] = 0.0f;
    settle(o);
    bulk::wait(memory.q_full, q_parity);
    q_parity ^= 1;
    bulk::wait(memory.full + slot.at, slot.parity);
    products_begin();
    multiply_scores(memory.start + slot.at * shape::slot_bytes);
    products_commit();
    products_wait<0>();
    settle(scores);
    release(memory.empty + slot.at);
    slot.next();
    int first = item.begin;
    for (int left = item.blocks - 1; left > 0; --left, first += K)
      take_block<false>(first);
    release(memory.q_empty);
    take_block<true>(first);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      state[half].sum += __shfl_xor_sync(kAll, state[half].sum, 1);
      state[half].sum += __shfl_xor_sync(kAll, state[half].sum, 2);
    }
    if (arg.cluster > 1)
      exchange(item);
    else if (arg.parts.shares > 1)
      put_together(item);
    else
      store(item, o);
  }

  __device__ __forceinline__ bool has(const wgmma_decode_item &item, int half) const {
    const int row = warp_row + half * 8 + lane / 4;
    return row < min(arg.block_rows, arg.rows - item.row0);
  }

  // Stores `count` groups of eight columns, from group `first` on.
  __device__ __forceinline__ void store(const wgmma_decode_item &item, const float (&sum)[D / 2], int first = 0,
                                        int count = D / 8) const {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      if (!has(item, half)) continue;
      const int64_t row = static_cast<int64_t>(item.unit) * arg.rows + item.row0 + warp_row + half * 8 + lane / 4;
      uint32_t *to = reinterpret_cast<uint32_t *>(arg.o + row * D) + lane % 4;
      const float inverse = 1.0f / state[half].sum;
#pragma unroll
      for (int j = 0; j < D / 8; ++j)
        if (j >= first && j < first + count)
          to[j * 4] = pack_bf16(sum[j * 4 + half * 2] * inverse, sum[j * 4 + half * 2 + 1] * inverse);
    }
  }

  // Merges the results of the shares, of which each CTA of the cluster has one. Threads with the same index in
  // different CTAs have the same rows and columns. The columns are divided among the CTAs, in groups of eight: a CTA
  // receives the results of the other CTAs for its columns and all rows. They are added in the order of the shares, so
  // that the sums do not depend on timing.
  __device__ __forceinline__ void exchange(const wgmma_decode_item &item) {
    bulk::cluster_wait();
    const int threads = active_warps(arg) * 32, thread = static_cast<int>(threadIdx.x);
    const int each = D / 8 / arg.cluster, log2_each = 31 - __clz(each), from_each = (each + 1) * threads;
    if (!working) return;
    const auto place_of = [&](int from, int to) { return memory.exchange + (from - (from > to)) * from_each + thread; };
    for (int to = 0; to < arg.cluster; ++to)
      if (to != item.share)
        send_four(place_of(item.share, to) + each * threads,
                  make_float4(state[0].largest, state[0].sum, state[1].largest, state[1].sum), memory.exchanged, to);
#pragma unroll
    for (int j = 0; j < D / 8; ++j) {
      const int to = j >> log2_each;
      if (to != item.share)
        send_four(place_of(item.share, to) + (j & (each - 1)) * threads,
                  make_float4(o[j * 4], o[j * 4 + 1], o[j * 4 + 2], o[j * 4 + 3]), memory.exchanged, to);
    }
    bulk::wait(memory.exchanged, 0);
    const float4 own = make_float4(state[0].largest, state[0].sum, state[1].largest, state[1].sum);
    float4 sum[D / 8] = {};
    state[0] = state[1] = {-INFINITY, 0.0f};
    for (int from = 0; from < arg.cluster; ++from) {
      const bool other = from != item.share;
      const float4 *place = place_of(from, item.share);
      const float4 there = other ? place[each * threads] : own;
      const softmax_state of[2] = {{there.x, there.y}, {there.z, there.w}};
      float before[2], more[2];
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const float largest = fmaxf(state[half].largest, of[half].largest), shift = finite(largest);
        before[half] = exp2_fast(state[half].largest - shift), more[half] = exp2_fast(of[half].largest - shift);
        state[half] = {largest, state[half].sum * before[half] + of[half].sum * more[half]};
      }
#pragma unroll
      for (int j = 0; j < D / 8; ++j) {
        if (j >> log2_each != item.share) continue;
        const float4 x =
            other ? place[(j & (each - 1)) * threads] : make_float4(o[j * 4], o[j * 4 + 1], o[j * 4 + 2], o[j * 4 + 3]);
        sum[j].x = sum[j].x * before[0] + x.x * more[0];
        sum[j].y = sum[j].y * before[0] + x.y * more[0];
        sum[j].z = sum[j].z * before[1] + x.z * more[1];
        sum[j].w = sum[j].w * before[1] + x.w * more[1];
      }
    }
#pragma unroll
    for (int j = 0; j < D / 8; ++j)
      o[j * 4] = sum[j].x, o[j * 4 + 1] = sum[j].y, o[j * 4 + 2] = sum[j].z, o[j * 4 + 3] = sum[j].w;
    store(item, o, item.share * each, each);
  }

  // Returns the index in the workspace of the result that share number `share` has for a row of this thread.
  __device__ __forceinline__ int64_t part_of(const wgmma_decode_item &item, int share, int half) const {
    return (static_cast<int64_t>(item.unit) * arg.parts.shares + share) * arg.rows + item.row0 + warp_row + half * 8 +
           lane / 4;
  }

  // Writes the result of the CTA's share to the workspace; the last CTA of a unit merges all shares. It has its own
  // share still in registers, but adds it in the order of shares, so that the output is the same whichever CTA is last.
  __device__ __forceinline__ void put_together(const wgmma_decode_item &item) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      if (!has(item, half)) continue;
      const int64_t part = part_of(item, item.share, half);
      if (lane % 4 == 0) arg.parts.softmax[part] = state[half];
      float2 *to = reinterpret_cast<float2 *>(arg.parts.o + part * D) + lane % 4;
#pragma unroll
      for (int j = 0; j < D / 8; ++j)
        __stcg(to + j * 4, make_float2(o[j * 4 + half * 2], o[j * 4 + half * 2 + 1]));
    }
    unsigned *finished = arg.parts.finished + static_cast<int64_t>(item.unit) * arg.row_blocks + item.row_block;
    if (!is_last(finished, arg.parts.shares, memory.last, [] { consumers_sync<shape::consumers>(); })) return;
    const softmax_state own[2] = {state[0], state[1]};
    float sum[D / 2] = {};
    state[0] = state[1] = {-INFINITY, 0.0f};
    for (int share = 0; share < arg.parts.shares; ++share) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        if (!has(item, half)) continue;
        const int64_t part = part_of(item, share, half);
        softmax_state other = own[half];
        float2 from[D / 8];
        if (share != item.share) {
          const float2 *at = reinterpret_cast<const float2 *>(arg.parts.o + part * D) + lane % 4;
#pragma unroll
          for (int j = 0; j < D / 8; ++j)
            from[j] = __ldcg(at + j * 4);
          const float2 there = __ldcg(reinterpret_cast<const float2 *>(arg.parts.softmax + part));
          other = {there.x, there.y};
        } else {
#pragma unroll
          for (int j = 0; j < D / 8; ++j)
            from[j] = make_float2(o[j * 4 + half * 2], o[j * 4 + half * 2 + 1]);
        }
        softmax_state &all = state[half];
        const float largest = fmaxf(all.largest, other.largest), shift = finite(largest);
        const float before = exp2_fast(all.largest - shift), more = exp2_fast(other.largest - shift);
        all = {largest, all.sum * before + other.sum * more};
#pragma unroll
        for (int j = 0; j < D / 8; ++j) {
          float &x = sum[j * 4 + half * 2], &y = sum[j * 4 + half * 2 + 1];
          x = x * before + from[j].x * more;
          y = y * before + from[j].y * more;
        }
      }
    }
    store(item, sum);
  }
};

template <int D, int GROUPS>
__global__ void __launch_bounds__(wgmma_decode_shape<D, GROUPS>::threads, 1)
    decode_wgmma_kernel(const __grid_constant__ wgmma_decode_maps maps,
                        const __grid_constant__ wgmma_decode_arguments arg) {
  typedef wgmma_decode_shape<D, GROUPS> shape;
  extern __shared__ __align__(1024) uint8_t bytes[];
  const wgmma_decode_memory<D, GROUPS> memory(bytes);
  if (threadIdx.x == 0) {
    memory.make_barriers();
    if (arg.cluster > 1)
      bulk::arrive_and_expect(memory.exchanged, (arg.cluster - 1) * shape::from_each(arg.cluster, active_warps(arg)));
  }
  __syncthreads();
  if (arg.cluster > 1) bulk::cluster_arrive();
  if (threadIdx.x < shape::consumers) {
    if constexpr (GROUPS == 2) more_registers<240>();
    wgmma_decode_group<D, GROUPS> group(memory, arg);
    for (unsigned number = blockIdx.x; number < arg.items; number += gridDim.x)
      group.take_item(wgmma_decode_item(arg, number, shape::keys));
  } else {
    if constexpr (GROUPS == 2) fewer_registers<24>();
    if (threadIdx.x == shape::consumers) fetch_keys(maps, arg, memory);
    if (threadIdx.x == shape::consumers + 32) fetch_queries(maps, arg, memory);
    __syncwarp();
    if (arg.cluster > 1) bulk::cluster_wait();
  }
}

}  // namespace attention
#endif
