// The variant `flash` of "backward", bf16 on tensor cores by mma.sync, from compute capability 8.0 on. P and dS are
// computed once, so that one pass needs five products: S, dP, dV, dK and dQ.
//
// A CTA of four warps owns 64 keys of one head, 16 for each warp, and goes over the queries that see them, 64 at a
// time, of every head that shares the keys. Scores have a row for each key, so that P^T and dS^T in registers are left
// operands of dV and dK. dS^T is also written to shared memory, from where each warp computes 16 rows of dQ and adds
// them to sums in global memory. The next block of queries is copied while dQ and dK are multiplied.
#include <cuda_runtime.h>
#include <stdlib.h>

#include "backward_workspace.cuh"
#include "flash.h"
#include "tile.cuh"

namespace attention {
namespace {

constexpr int kKeys = 64;
constexpr int kQueries = 64;
constexpr int kThreads = 128;
constexpr int kTiles = kQueries / 8;

template <int D>
struct layout {
  static constexpr uint32_t tile_bytes = kKeys * D * 2;
  static constexpr uint32_t k = 0, v = tile_bytes, q = 2 * tile_bytes, d_o = 4 * tile_bytes, ds = 5 * tile_bytes,
                            numbers = ds + kKeys * kQueries * 2;
  static constexpr int bytes = numbers + 2 * 2 * kQueries * 4;
};

struct flash_arguments {
  const __nv_bfloat16 *q, *k, *v, *d_o;
  __nv_bfloat16 *dk, *dv;
  backward_workspace work;
  backward_order order;
  int group, s;
  float scale, scale_log2;
};

// A warp's scores as accumulators of mma: a row for each of its 16 keys, a column for each of the 64 queries of a
// block.
typedef float score_tiles[kTiles][4];

// Computes c = a b^T over a depth of D, for the 16 rows of `a` that belong to the warp, and 64 rows of b.
template <int D>
__device__ __forceinline__ void multiply_scores(score_tiles &c, uint32_t a_start, uint32_t b_start) {
#pragma unroll
  for (int n = 0; n < kTiles; ++n)
    c[n][0] = c[n][1] = c[n][2] = c[n][3] = 0.0f;
#pragma unroll 4  // with more, registers are spilled
  for (int i = 0; i < D / 16; ++i) {
    uint32_t a[4];
    load_matrices(a, a_start ^ (i * 32));
#pragma unroll
    for (int n = 0; n < kTiles; n += 2) {
      uint32_t b[4];
      load_matrices(b, (b_start ^ (i * 32)) + n * 8 * tile<D>::row_bytes);
      mma<__nv_bfloat16>(c[n], a, b[0], b[1]);
      mma<__nv_bfloat16>(c[n + 1], a, b[2], b[3]);
    }
  }
}

// Computes sum += a b over 64 rows of b; `a` holds the fragments of the left operand.
template <int D>
__device__ __forceinline__ void accumulate(float (&sum)[D / 8][4], const uint32_t (&a)[kTiles / 2][4],
                                           uint32_t b_start) {
#pragma unroll
  for (int i = 0; i < kTiles / 2; ++i) {
#pragma unroll
    for (int n = 0; n < D / 8; n += 2) {
      uint32_t b[4];
      load_matrices_transposed(b, (b_start ^ (n * 16)) + i * 16 * tile<D>::row_bytes);
      mma<__nv_bfloat16>(sum[n], a[i], b[0], b[1]);
      mma<__nv_bfloat16>(sum[n + 1], a[i], b[2], b[3]);
    }
  }
}

__device__ __forceinline__ void to_fragments(uint32_t (&to)[kTiles / 2][4], const score_tiles &from) {
#pragma unroll
  for (int i = 0; i < kTiles; ++i) {
    to[i / 2][i % 2 * 2] = pack_bf16(from[i][0], from[i][1]);
    to[i / 2][i % 2 * 2 + 1] = pack_bf16(from[i][2], from[i][3]);
  }
}

template <int D, bool CAUSAL>
struct warp_state {
  const flash_arguments &arg;
  uint32_t start;
  const float *numbers;  // lse and delta of the queries in the ring: [stage][lse, delta][queries]
  int tile_of_keys, warp, lane;
  float dk[D / 8][4], dv[D / 8][4];

  __device__ __forceinline__ void load_queries(int head, int block, int stage) const {
    const int64_t first = (static_cast<int64_t>(head) * arg.s + block * kQueries) * D;
    const int valid = arg.s - block * kQueries;
    tile<D>::template load<kQueries, kThreads>(start + layout<D>::q + stage * layout<D>::tile_bytes, arg.q + first, D,
                                               valid);
    tile<D>::template load<kQueries, kThreads>(start + layout<D>::d_o, arg.d_o + first, D, valid);
    const int i = static_cast<int>(threadIdx.x);
    if (i < 32) {
      const int64_t at = head * arg.work.padded + block * kQueries + i % 16 * 4;
      copy16(start + layout<D>::numbers + stage * 512 + i * 16, (i < 16 ? arg.work.lse : arg.work.delta) + at, true);
    }
    copy_commit();
  }

  // Turns the scores of queries of block number `block` into P = exp(score - lse), 0 where the mask hides a key.
  __device__ __forceinline__ void weigh(score_tiles &c, const float *lse, int block) const {
    const int key = tile_of_keys * kKeys + warp * 16 + lane / 4, query = block * kQueries + lane % 4 * 2;
    const bool masked = (CAUSAL && block == tile_of_keys) || (tile_of_keys + 1) * kKeys > arg.s;
#pragma unroll
    for (int n = 0; n < kTiles; ++n) {
      const float2 less = *reinterpret_cast<const float2 *>(lse + n * 8 + lane % 4 * 2);
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const int row = key + e / 2 * 8;
        const float weight = exp2_fast(fmaf(c[n][e], arg.scale_log2, e % 2 ? -less.y : -less.x));
        const bool hidden = masked && (row >= arg.s || (CAUSAL && row > query + n * 8 + e % 2));
        c[n][e] = hidden ? 0.0f : weight;
      }
    }
  }

  // Computes dS = P * (dP - delta), packed to bf16 in the register layout of a left operand of mma.
  __device__ __forceinline__ void differentiate(uint32_t (&ds)[kTiles / 2][4], const score_tiles &p,
                                                const score_tiles &dp, const float *delta) const {
#pragma unroll
    for (int n = 0; n < kTiles; ++n) {
      const float2 less = *reinterpret_cast<const float2 *>(delta + n * 8 + lane % 4 * 2);
#pragma unroll
      for (int half = 0; half < 2; ++half)
        ds[n / 2][n % 2 * 2 + half] =
            pack_bf16(p[n][half * 2] * (dp[n][half * 2] - less.x), p[n][half * 2 + 1] * (dp[n][half * 2 + 1] - less.y));
    }
  }

  __device__ __forceinline__ void store_ds(unsigned char *memory, const uint32_t (&from)[kTiles / 2][4]) const {
    unsigned char *to = memory + layout<D>::ds;
#pragma unroll
    for (int i = 0; i < kTiles; ++i) {
#pragma unroll
      for (int half = 0; half < 2; ++half)
        *reinterpret_cast<uint32_t *>(to + tile<64>::offset(warp * 16 + half * 8 + lane / 4, i) + lane % 4 * 4) =
            from[i / 2][i % 2 * 2 + half];
    }
  }

  // Computes dQ = dS K of this warp's 16 queries and adds it to the sums in global memory. It does 64 columns at a
  // time, because there are no registers for more sums.
  __device__ __forceinline__ void add_dq(int head, int block) const {
    const int64_t at = (head * (arg.work.padded / kSumRows) + block) * (D / 8);
    float *to = arg.work.dq + at * 512 + threadIdx.x * 4;
#pragma unroll 1
    for (int part = 0; part < D / 64; ++part)
      add_dq_columns(to + part * 8 * 512, part * 64);
  }

  __device__ __forceinline__ void add_dq_columns(float *to, int column) const {
    float dq[8][4];
#pragma unroll
    for (int n = 0; n < 8; ++n)
      dq[n][0] = dq[n][1] = dq[n][2] = dq[n][3] = 0.0f;
    const int row = (lane & 7) + (lane >> 4) * 8, chunk = warp * 2 + (lane >> 3 & 1);
    const uint32_t ds = start + layout<D>::ds + tile<64>::offset(row, chunk);
    const uint32_t k = tile<D>::start_rows(start + layout<D>::k, lane);
#pragma unroll
    for (int i = 0; i < kKeys / 16; ++i) {
      uint32_t a[4];
      load_matrices_transposed(a, ds + i * 16 * tile<64>::row_bytes);
#pragma unroll
      for (int n = 0; n < 8; n += 2) {
        uint32_t b[4];
        load_matrices_transposed(b, (k ^ (column * 2 + n * 16)) + i * 16 * tile<D>::row_bytes);
        mma<__nv_bfloat16>(dq[n], a, b[0], b[1]);
        mma<__nv_bfloat16>(dq[n + 1], a, b[2], b[3]);
      }
    }
#pragma unroll
    for (int n = 0; n < 8; ++n)
      add_four(to + n * 512, dq[n][0], dq[n][1], dq[n][2], dq[n][3]);
  }

  // Stores a warp's 16 rows to `to`. They pass through the shared memory at `at`, whose old contents no warp needs any
  // more.
  __device__ __forceinline__ void store_rows(unsigned char *memory, uint32_t at, const float (&sum)[D / 8][4],
                                             __nv_bfloat16 *to, float scale) const {
    unsigned char *rows = memory + at + warp * 16 * tile<D>::row_bytes;
#pragma unroll
    for (int n = 0; n < D / 8; ++n) {
#pragma unroll
      for (int half = 0; half < 2; ++half)
        *reinterpret_cast<uint32_t *>(rows + tile<D>::offset(half * 8 + lane / 4, n) + lane % 4 * 4) =
            pack_bf16(sum[n][half * 2] * scale, sum[n][half * 2 + 1] * scale);
    }
    __syncwarp();
    const int valid = arg.s - tile_of_keys * kKeys - warp * 16;
#pragma unroll
    for (int i = lane; i < 16 * tile<D>::chunks; i += 32) {
      const int row = i / tile<D>::chunks, chunk = i % tile<D>::chunks;
      if (row < valid)
        *reinterpret_cast<uint4 *>(to + (warp * 16 + row) * D + chunk * 8) =
            *reinterpret_cast<const uint4 *>(rows + tile<D>::offset(row, chunk));
    }
  }
};

template <int D, bool CAUSAL>
__global__ void __launch_bounds__(kThreads) backward_kernel(const flash_arguments arg) {
  extern __shared__ __align__(1024) unsigned char memory[];
  typedef layout<D> at;
  const backward_place place = backward_place_of(arg.order, blockIdx.x);
  warp_state<D, CAUSAL> state = {arg,
                                 shared_address(memory),
                                 reinterpret_cast<const float *>(memory + at::numbers),
                                 place.tile,
                                 static_cast<int>(threadIdx.x) / 32,
                                 static_cast<int>(threadIdx.x) % 32};
#pragma unroll
  for (int n = 0; n < D / 8; ++n) {
#pragma unroll
    for (int e = 0; e < 4; ++e)
      state.dk[n][e] = state.dv[n][e] = 0.0f;
  }
  const uint32_t start = state.start;
  const int64_t first_key = (static_cast<int64_t>(place.head) * arg.s + static_cast<int64_t>(place.tile) * kKeys) * D;
  tile<D>::template load<kKeys, kThreads>(start + at::k, arg.k + first_key, D, arg.s - place.tile * kKeys);
  tile<D>::template load<kKeys, kThreads>(start + at::v, arg.v + first_key, D, arg.s - place.tile * kKeys);
  const int first = CAUSAL ? place.tile : 0, last = (arg.s + kQueries - 1) / kQueries;
  const int turns = arg.group * (last - first);
  int head = place.head * arg.group;
  int block = first;
  state.load_queries(head, block, 0);
  const uint32_t row = state.warp * 16 * tile<D>::row_bytes;
  const uint32_t k_rows = tile<D>::start_rows(start + at::k + row, state.lane);
  const uint32_t v_rows = tile<D>::start_rows(start + at::v + row, state.lane);
  for (int turn = 0; turn < turns; ++turn) {
    const int stage = turn & 1;
    const uint32_t q = start + at::q + stage * at::tile_bytes, d_o = start + at::d_o;
    const float *numbers = state.numbers + stage * 2 * kQueries;
    score_tiles p, dp;
    uint32_t left[kTiles / 2][4];
    copy_wait<0>();
    __syncthreads();  // this block of queries has arrived, and every warp has read dS of the preceding one
    multiply_scores<D>(p, k_rows, tile<D>::start_columns(q, state.lane));
    state.weigh(p, numbers, block);
    to_fragments(left, p);
    accumulate<D>(state.dv, left, tile<D>::start_rows(d_o, state.lane));
    multiply_scores<D>(dp, v_rows, tile<D>::start_columns(d_o, state.lane));
    state.differentiate(left, p, dp, numbers + kQueries);
    state.store_ds(memory, left);
    __syncthreads();  // dS is complete, and every warp has finished reading dO
    int next_head = head;
    int next = block + 1;
    if (next == last) next = first, ++next_head;
    if (turn + 1 < turns) state.load_queries(next_head, next, stage ^ 1);
    accumulate<D>(state.dk, left, tile<D>::start_rows(q, state.lane));
    state.add_dq(head, block);
    head = next_head;
    block = next;
  }
  __syncthreads();  // every warp has finished reading K
  state.store_rows(memory, at::k, state.dk, arg.dk + first_key, arg.scale);
  state.store_rows(memory, at::v, state.dv, arg.dv + first_key, 1.0f);
}

typedef void (*flash_function)(const flash_arguments);

flash_function kernel_of(const backward_problem *p) {
  if (p->d == 64) return p->causal ? backward_kernel<64, true> : backward_kernel<64, false>;
  return p->causal ? backward_kernel<128, true> : backward_kernel<128, false>;
}

int bytes_of(const backward_problem *p) {
  return p->d == 64 ? layout<64>::bytes : layout<128>::bytes;
}

flash_arguments arguments_of(const backward_problem *p) {
  flash_arguments arg = {};
  arg.q = static_cast<const __nv_bfloat16 *>(p->q);
  arg.k = static_cast<const __nv_bfloat16 *>(p->k);
  arg.v = static_cast<const __nv_bfloat16 *>(p->v);
  arg.d_o = static_cast<const __nv_bfloat16 *>(p->d_o);
  arg.dk = static_cast<__nv_bfloat16 *>(p->dk);
  arg.dv = static_cast<__nv_bfloat16 *>(p->dv);
  arg.work = backward_workspace_of(p);
  arg.order = backward_order_of(p, kKeys);
  arg.group = p->group;
  arg.s = p->s;
  arg.scale_log2 = flash_scale_log2(p->d);
  arg.scale = p->d == 64 ? 0.125f : 0.08838834764831845f;
  return arg;
}

}  // namespace
}  // namespace attention

using namespace attention;

int backward_flash_open(const struct backward_problem *p, void **plan) {
  backward_problem *copy = static_cast<backward_problem *>(malloc(sizeof *copy));
  if (copy == nullptr) return cudaErrorMemoryAllocation;
  *copy = *p;
  *plan = copy;
  return cudaFuncSetAttribute(kernel_of(p), cudaFuncAttributeMaxDynamicSharedMemorySize, bytes_of(p));
}

int backward_flash_run(const void *plan, struct CUstream_st *stream) {
  const backward_problem *p = static_cast<const backward_problem *>(plan);
  const flash_arguments arg = arguments_of(p);
  int code = backward_before(p, stream);
  if (code != cudaSuccess) return code;
  const unsigned ctas = arg.order.heads * arg.order.tiles;
  kernel_of(p)<<<ctas, kThreads, static_cast<size_t>(bytes_of(p)), stream>>>(arg);
  code = cudaPeekAtLastError();
  return code == cudaSuccess ? backward_after(p, stream) : code;
}
