// Decoding: a few queries at the end of a long sequence, bound by reading the cache of keys and values once.
//
// `split`: the keys of a unit, that is of one head of keys and values, are cut into shares, and a CTA takes one share
// for all rows that read it: queries of all heads that share these keys fill the 16 rows of a tensor core's tile, up to
// eight tiles. Blocks of 64 or 128 keys and values come through a ring filled by cp.async. The warps of a CTA divide
// rows, and where these are few, the keys of a block. What a share leaves of each row - its largest score, its sum and
// its output, not yet divided - goes to the workspace, and the CTA of a unit that comes last puts them together.
//
// `naive`: a CTA for each row.
#include "decode_kernels.h"

#include <cuda_runtime.h>

#include "../shared/l2.cuh"
#include "flash.h"
#include "tile.cuh"

namespace attention {
namespace {

constexpr unsigned kAll = 0xffffffffu;

// ---- What a row has taken so far ------------------------------------------------------------------------------------

// Scores are in units of log2: a weight is exp2(score - largest). A row that has seen no key has a largest of -inf.
struct softmax_state {
  float largest;
  float sum;
};

// What a score of -inf can be subtracted from.
__device__ __forceinline__ float finite(float largest) {
  return largest == -INFINITY ? 0.0f : largest;
}

// ---- split ----------------------------------------------------------------------------------------------------------

struct split_arguments {
  const __nv_bfloat16 *q;
  const __nv_bfloat16 *k;
  const __nv_bfloat16 *v;
  __nv_bfloat16 *o;
  unsigned *finished;           // [units][row blocks] shares that are; 0 before and after
  softmax_state *part_softmax;  // [units][shares][rows]
  float *part_o;                // [units][shares][rows][d]
  int rows;
  int block_rows;  // of a CTA: so many tiles of 16 that all CTAs have alike
  int s_q;
  int s;
  int shares;
  int share_keys;  // a multiple of the keys of a block
  float scale_log2;
};

// How a CTA of ROW_WARPS * KEY_GROUPS warps works on blocks of KEYS keys, and where things are in its shared memory.
template <int D, int ROW_WARPS, int KEY_GROUPS, int KEYS, int STAGES>
struct split_layout {
  static constexpr int rows = 16 * ROW_WARPS;
  static constexpr int threads = 32 * ROW_WARPS * KEY_GROUPS;
  static constexpr int keys = KEYS / KEY_GROUPS;  // of a warp in a block
  static constexpr int half = KEYS * tile<D>::row_bytes;
  static constexpr int stage = 2 * half;  // keys, then values
  static constexpr int pitch = D + 4;     // of the warps' outputs, in floats, over the ring when that is done with
  static constexpr int outputs = KEY_GROUPS * rows * pitch * 4;
  static constexpr int states = STAGES * stage > outputs ? STAGES *stage : outputs;  // behind both
  static constexpr int bytes = states + KEY_GROUPS * rows * static_cast<int>(sizeof(softmax_state));
};

// What a warp has of its rows: those of thread (g = lane / 4, t = lane % 4) are g and g + 8.
template <int D>
struct warp_rows {
  uint32_t q[D / 16][4];
  softmax_state softmax[2];  // its sum is of this thread's columns only
  float o[D / 8][4];
};

template <int D>
__device__ __forceinline__ void load_queries(uint32_t (&q)[D / 16][4], const __nv_bfloat16 *from, int row, int rows) {
  const int lane = static_cast<int>(threadIdx.x) & 31;
  const bool inside[2] = {row < rows, row + 8 < rows};
  from += static_cast<int64_t>(row) * D + (lane & 3) * 2;
#pragma unroll
  for (int kk = 0; kk < D / 16; ++kk) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const __nv_bfloat16 *pair = from + (i & 1) * 8 * D + kk * 16 + (i >> 1) * 8;
      q[kk][i] = inside[i & 1] ? *reinterpret_cast<const uint32_t *>(pair) : 0u;
    }
  }
}

template <int D, int TILES>
__device__ __forceinline__ void multiply_scores(float (&c)[TILES][4], const warp_rows<D> &w, uint32_t keys) {
#pragma unroll
  for (int n = 0; n < TILES; ++n)
    c[n][0] = c[n][1] = c[n][2] = c[n][3] = 0.0f;
#pragma unroll
  for (int kk = 0; kk < D / 16; ++kk) {
#pragma unroll
    for (int n = 0; n < TILES; n += 2) {
      uint32_t b[4];
      load_matrices(b, (keys ^ (kk * 32)) + n * 8 * tile<D>::row_bytes);
      mma<__nv_bfloat16>(c[n], w.q[kk], b[0], b[1]);
      mma<__nv_bfloat16>(c[n + 1], w.q[kk], b[2], b[3]);
    }
  }
}

// Turns scores into weights relative to the new maxima and brings sums and outputs to those.
template <int D, int TILES>
__device__ __forceinline__ void update_softmax(float (&c)[TILES][4], warp_rows<D> &w, float scale_log2) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float top = -INFINITY;
#pragma unroll
    for (int n = 0; n < TILES; ++n)
      top = fmaxf(top, fmaxf(c[n][half * 2], c[n][half * 2 + 1]));
    top = fmaxf(top, __shfl_xor_sync(kAll, top, 1));
    top = fmaxf(top, __shfl_xor_sync(kAll, top, 2));
    softmax_state &state = w.softmax[half];
    top = fmaxf(state.largest, top * scale_log2);
    const float shift = finite(top);
    const float rescale = exp2_fast(state.largest - shift);
    state.largest = top;
    state.sum *= rescale;
#pragma unroll
    for (int n = 0; n < TILES; ++n) {
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        float &x = c[n][half * 2 + e];
        x = exp2_fast(fmaf(x, scale_log2, -shift));
        state.sum += x;
      }
    }
#pragma unroll
    for (int n = 0; n < D / 8; ++n)
      w.o[n][half * 2] *= rescale, w.o[n][half * 2 + 1] *= rescale;
  }
}

template <int D, int TILES>
__device__ __forceinline__ void multiply_values(const float (&p)[TILES][4], warp_rows<D> &w, uint32_t values) {
#pragma unroll
  for (int kk = 0; kk < TILES / 2; ++kk) {
    const uint32_t a[4] = {pack_bf16(p[2 * kk][0], p[2 * kk][1]), pack_bf16(p[2 * kk][2], p[2 * kk][3]),
                           pack_bf16(p[2 * kk + 1][0], p[2 * kk + 1][1]),
                           pack_bf16(p[2 * kk + 1][2], p[2 * kk + 1][3])};
#pragma unroll
    for (int n = 0; n < D / 8; n += 2) {
      uint32_t b[4];
      load_matrices_transposed(b, (values ^ (n * 16)) + kk * 16 * tile<D>::row_bytes);
      mma<__nv_bfloat16>(w.o[n], a, b[0], b[1]);
      mma<__nv_bfloat16>(w.o[n + 1], a, b[2], b[3]);
    }
  }
}

// ---- Parts of a row put together ------------------------------------------------------------------------------------

// Of the states of a row's parts, `pitch` apart, `largest` becomes the weight of that part. What they come to all in
// all.
__device__ __forceinline__ softmax_state weigh(softmax_state *parts, int count, int pitch) {
  softmax_state all = {-INFINITY, 0.0f};
  for (int i = 0; i < count; ++i)
    all.largest = fmaxf(all.largest, parts[i * pitch].largest);
  const float shift = finite(all.largest);
  for (int i = 0; i < count; ++i) {
    softmax_state &part = parts[i * pitch];
    part.largest = exp2_fast(part.largest - shift);
    all.sum += part.largest * part.sum;
  }
  return all;
}

// The outputs of `rows` rows, each the sum of what output(part, row, column) gives by the weights of its parts. All
// threads of a CTA, each with several loads on the way.
template <int D, int THREADS, typename Output, typename Store>
__device__ __forceinline__ void add_parts(const softmax_state *parts, int count, int pitch, int rows, Output output,
                                          Store store) {
  constexpr int together = 4, columns = 4, of_row = D / columns;
  for (int first = static_cast<int>(threadIdx.x); first < rows * of_row; first += together * THREADS) {
    float4 sum[together] = {};
#pragma unroll 4
    for (int i = 0; i < count; ++i) {
#pragma unroll
      for (int j = 0; j < together; ++j) {
        const int at = first + j * THREADS;
        if (at >= rows * of_row) continue;
        const float weight = parts[i * pitch + at / of_row].largest;
        const float4 x = output(i, at / of_row, at % of_row * columns);
        sum[j].x += weight * x.x;
        sum[j].y += weight * x.y;
        sum[j].z += weight * x.z;
        sum[j].w += weight * x.w;
      }
    }
#pragma unroll
    for (int j = 0; j < together; ++j) {
      const int at = first + j * THREADS;
      if (at < rows * of_row) store(at / of_row, at % of_row * columns, sum[j]);
    }
  }
}

// Of one thread of the last CTA to come here, for all of them: what the others wrote is then seen.
__device__ __forceinline__ bool is_last(unsigned *finished, int shares) {
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    last = atomicAdd(finished, 1u) == static_cast<unsigned>(shares - 1);
    if (last) *finished = 0;
  }
  __syncthreads();
  __threadfence();
  return last;
}

template <int D, int ROW_WARPS, int KEY_GROUPS, int KEYS, int STAGES>
__global__ void __launch_bounds__(ROW_WARPS *KEY_GROUPS * 32, 1) split_kernel(const split_arguments arg) {
  using layout = split_layout<D, ROW_WARPS, KEY_GROUPS, KEYS, STAGES>;
  constexpr int tiles = layout::keys / 8;
  extern __shared__ __align__(1024) unsigned char memory[];
  const int warp = static_cast<int>(threadIdx.x) >> 5;
  const int lane = static_cast<int>(threadIdx.x) & 31;
  const int warp_row = warp % ROW_WARPS * 16;
  const int key_group = warp / ROW_WARPS;

  // Row blocks that read the same keys are neighbours, then come the shares of a unit.
  const int row_blocks = (arg.rows + arg.block_rows - 1) / arg.block_rows;
  const int row_block = static_cast<int>(blockIdx.x) % row_blocks;
  const int row0 = row_block * arg.block_rows;
  const int here = min(arg.block_rows, arg.rows - row0);
  const int share = static_cast<int>(blockIdx.x) / row_blocks % arg.shares;
  const int64_t unit = static_cast<int>(blockIdx.x) / row_blocks / arg.shares;
  const int begin = share * arg.share_keys;
  const int end = min(arg.s, begin + arg.share_keys);
  const __nv_bfloat16 *k = arg.k + unit * arg.s * D;
  const __nv_bfloat16 *v = arg.v + unit * arg.s * D;

  // Before the ring is asked for, behind all of which they would come.
  const int row = row0 + warp_row + (lane >> 2);
  warp_rows<D> w;
  load_queries<D>(w.q, arg.q + unit * arg.rows * D, row, arg.rows);
  w.softmax[0] = w.softmax[1] = {-INFINITY, 0.0f};
#pragma unroll
  for (int n = 0; n < D / 8; ++n)
    w.o[n][0] = w.o[n][1] = w.o[n][2] = w.o[n][3] = 0.0f;

  const uint32_t ring = shared_address(memory);
  const int blocks = (end - begin + KEYS - 1) / KEYS;
  const uint64_t policy = l2::evict_first();
  const auto stage_of = [](int block) { return static_cast<uint32_t>(block % STAGES * layout::stage); };
  const auto load_block = [&](int block) {
    const int first = begin + block * KEYS;
    const uint32_t to = ring + stage_of(block);
    if (block < blocks) {
      tile<D>::template load<KEYS, layout::threads>(to, k + static_cast<int64_t>(first) * D, D, end - first, policy);
      tile<D>::template load<KEYS, layout::threads>(to + layout::half, v + static_cast<int64_t>(first) * D, D,
                                                    end - first, policy);
    }
    copy_commit();
  };
#pragma unroll
  for (int block = 0; block < STAGES - 1; ++block)
    load_block(block);

  const int own = key_group * layout::keys;
  const uint32_t k_start = tile<D>::start_columns(ring + own * tile<D>::row_bytes, lane);
  const uint32_t v_start = tile<D>::start_rows(ring + layout::half + own * tile<D>::row_bytes, lane);
  const int seen_by_all = min(end, arg.s - arg.s_q + 1);
  for (int block = 0; block < blocks; ++block) {
    copy_wait<STAGES - 2>();
    __syncthreads();  // the block is complete, and every warp has left the one before, whose stage is filled next
    load_block(block + STAGES - 1);
    const int first = begin + block * KEYS + own;
    if (first >= end || warp_row >= here) continue;
    float c[tiles][4];
    multiply_scores<D, tiles>(c, w, k_start + stage_of(block));
    if (first + layout::keys > seen_by_all) {
#pragma unroll
      for (int i = 0; i < tiles * 4; ++i) {
        const int key = first + i / 4 * 8 + (lane & 3) * 2 + i % 2;
        const int query = (row + i % 4 / 2 * 8) % arg.s_q;
        if (key >= min(end, arg.s - arg.s_q + 1 + query)) c[i / 4][i % 4] = -INFINITY;
      }
    }
    update_softmax<D, tiles>(c, w, arg.scale_log2);
    multiply_values<D, tiles>(c, w, v_start + stage_of(block));
  }
  copy_wait<0>();
  __syncthreads();

  // The warps' parts in shared memory, put together to that of the share.
  float *outputs = reinterpret_cast<float *>(memory);
  softmax_state *states = reinterpret_cast<softmax_state *>(memory + layout::states);
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    softmax_state state = w.softmax[half];
    state.sum += __shfl_xor_sync(kAll, state.sum, 1);
    state.sum += __shfl_xor_sync(kAll, state.sum, 2);
    const int at = key_group * layout::rows + warp_row + half * 8 + (lane >> 2);
    if ((lane & 3) == 0) states[at] = state;
#pragma unroll
    for (int n = 0; n < D / 8; ++n) {
      float *to = outputs + at * layout::pitch + n * 8 + (lane & 3) * 2;
      *reinterpret_cast<float2 *>(to) = make_float2(w.o[n][half * 2], w.o[n][half * 2 + 1]);
    }
  }
  __syncthreads();
  const int64_t first_part = unit * arg.shares * arg.rows + row0;
  __nv_bfloat16 *o = arg.o + (unit * arg.rows + row0) * D;
  const auto finish = [&](int r, int column, float4 sum) {
    const float inverse = 1.0f / states[r].sum;
    *reinterpret_cast<uint2 *>(o + r * D + column) =
        make_uint2(pack_bf16(sum.x * inverse, sum.y * inverse), pack_bf16(sum.z * inverse, sum.w * inverse));
  };
  const auto output_here = [&](int i, int r, int column) {
    return *reinterpret_cast<const float4 *>(outputs + (i * layout::rows + r) * layout::pitch + column);
  };
  for (int r = static_cast<int>(threadIdx.x); r < here; r += layout::threads) {
    const softmax_state state = weigh(states + r, KEY_GROUPS, layout::rows);
    states[r].sum = state.sum;
    if (arg.shares > 1) arg.part_softmax[first_part + static_cast<int64_t>(share) * arg.rows + r] = state;
  }
  __syncthreads();
  if (arg.shares == 1) {
    add_parts<D, layout::threads>(states, KEY_GROUPS, layout::rows, here, output_here, finish);
    return;
  }
  float *part_o = arg.part_o + first_part * D;
  const int64_t part_pitch = static_cast<int64_t>(arg.rows) * D;
  add_parts<D, layout::threads>(states, KEY_GROUPS, layout::rows, here, output_here,
                                [&](int r, int column, float4 sum) {
                                  *reinterpret_cast<float4 *>(part_o + share * part_pitch + r * D + column) = sum;
                                });
  if (!is_last(arg.finished + unit * row_blocks + row_block, arg.shares)) return;

  // The shares' parts in the workspace, put together to the result.
  states = reinterpret_cast<softmax_state *>(memory);
  for (int x = static_cast<int>(threadIdx.x); x < arg.shares * here; x += layout::threads) {
    const int64_t part = first_part + static_cast<int64_t>(x / here) * arg.rows + x % here;
    const float2 state = __ldcg(reinterpret_cast<const float2 *>(arg.part_softmax + part));
    states[x] = {state.x, state.y};
  }
  __syncthreads();
  for (int r = static_cast<int>(threadIdx.x); r < here; r += layout::threads)
    states[r].sum = weigh(states + r, arg.shares, here).sum;
  __syncthreads();
  add_parts<D, layout::threads>(
      states, arg.shares, here, here,
      [&](int i, int r, int column) {
        return __ldcg(reinterpret_cast<const float4 *>(part_o + i * part_pitch + r * D + column));
      },
      finish);
}

// ---- Which kernel, and how many shares ------------------------------------------------------------------------------

constexpr int kStaticShared = 1024;  // what lies before the shared memory of a launch, which is aligned to this

struct plan {
  void (*kernel)(const split_arguments);
  int rows;     // of a CTA, of which a multiprocessor holds one
  int threads;  // of a CTA
  int keys;     // of a block
  int bytes;    // of shared memory
};

template <int D, int ROW_WARPS, int KEY_GROUPS, int KEYS, int STAGES>
plan plan_for() {
  using layout = split_layout<D, ROW_WARPS, KEY_GROUPS, KEYS, STAGES>;
  return {split_kernel<D, ROW_WARPS, KEY_GROUPS, KEYS, STAGES>, layout::rows, layout::threads, KEYS, layout::bytes};
}

// All have about 192 KiB of keys and values on the way into a multiprocessor.
template <int D>
plan plan_of_rows(int rows) {
  constexpr int stages = 384 / D;  // of 128 keys
  if (rows <= 16) return plan_for<D, 1, 8, 128, stages>();
  if (rows <= 32) return plan_for<D, 2, 4, 64, 2 * stages>();
  if (D == 64) return plan_for<D, 4, 2, 128, stages>();
  if (rows <= 64) return plan_for<D, 4, 2, 64, 2 * stages>();
  return plan_for<D, 8, 1, 64, 2 * stages>();
}

plan plan_of(const decode_problem *p) {
  return p->d == 64 ? plan_of_rows<64>(p->rows) : plan_of_rows<128>(p->rows);
}

int row_blocks_of(const decode_problem *p, const plan &how) {
  return (p->rows + how.rows - 1) / how.rows;
}

// Shares of a unit: so many that all multiprocessors are at work until the end, and no more, as each has a start and an
// end of its own, which take about as long as kCost keys. The states of all shares of a CTA's rows fit in shared
// memory.
constexpr int kCost = 192;

int share_keys_of(const decode_problem *p) {
  const plan how = plan_of(p);
  const int64_t blocks = (p->s + how.keys - 1) / how.keys;
  const int64_t ctas = p->units * row_blocks_of(p, how);  // of one share of every unit
  const int64_t at_once = static_cast<int64_t>(p->workers);
  int64_t best = blocks, best_time = INT64_MAX;
  for (int64_t shares = 1; shares <= blocks; ++shares) {
    const int64_t each = (blocks + shares - 1) / shares;
    const int64_t used = (blocks + each - 1) / each;
    const int64_t time = (ctas * used + at_once - 1) / at_once * (each * how.keys + kCost);
    if (time < best_time) best = each, best_time = time;
    if (ctas * shares > 16 * at_once || (shares + 1) * how.rows * sizeof(softmax_state) > how.bytes) break;
  }
  return static_cast<int>(best) * how.keys;
}

// The arguments of a launch, and how much of the workspace they take: counters, softmax states, outputs.
struct launch {
  plan how;
  split_arguments arg;
  uint64_t counters;  // bytes
  uint64_t workspace;
};

uint64_t aligned(uint64_t bytes) {
  return (bytes + 255) / 256 * 256;
}

launch launch_of(const decode_problem *p) {
  launch l = {};
  l.how = plan_of(p);
  split_arguments &arg = l.arg;
  arg.q = static_cast<const __nv_bfloat16 *>(p->q);
  arg.k = static_cast<const __nv_bfloat16 *>(p->k);
  arg.v = static_cast<const __nv_bfloat16 *>(p->v);
  arg.o = static_cast<__nv_bfloat16 *>(p->o);
  arg.rows = p->rows;
  const int blocks = row_blocks_of(p, l.how);
  arg.block_rows = ((p->rows + blocks - 1) / blocks + 15) / 16 * 16;
  arg.s_q = p->s_q;
  arg.s = p->s;
  arg.share_keys = p->share_keys;
  arg.shares = (p->s + arg.share_keys - 1) / arg.share_keys;
  arg.scale_log2 = flash_scale_log2(p->d);
  if (arg.shares == 1) return l;
  const uint64_t parts = static_cast<uint64_t>(p->units) * arg.shares * p->rows;
  l.counters = aligned(static_cast<uint64_t>(p->units) * row_blocks_of(p, l.how) * sizeof(unsigned));
  const uint64_t states = aligned(parts * sizeof(softmax_state));
  l.workspace = l.counters + states + parts * p->d * sizeof(float);
  unsigned char *at = static_cast<unsigned char *>(p->workspace);
  if (at == nullptr) return l;
  arg.finished = reinterpret_cast<unsigned *>(at);
  arg.part_softmax = reinterpret_cast<softmax_state *>(at + l.counters);
  arg.part_o = reinterpret_cast<float *>(at + l.counters + states);
  return l;
}

// ---- naive ----------------------------------------------------------------------------------------------------------

__device__ __forceinline__ float to_float(float x) {
  return x;
}

__device__ __forceinline__ float to_float(__nv_bfloat16 x) {
  return __bfloat162float(x);
}

__device__ __forceinline__ void store(float *to, float x) {
  *to = x;
}

__device__ __forceinline__ void store(__nv_bfloat16 *to, float x) {
  *to = __float2bfloat16_rn(x);
}

constexpr int kNaiveWarps = 8;

// A warp takes every eighth key, a thread of it D / 32 columns.
template <typename T, int D>
__global__ void __launch_bounds__(kNaiveWarps * 32)
    naive_kernel(const T *q, const T *k, const T *v, T *o, int rows, int s_q, int s, float scale_log2) {
  constexpr int columns = D / 32;
  __shared__ float outputs[kNaiveWarps][D];
  __shared__ softmax_state states[kNaiveWarps];
  const int64_t row = blockIdx.x;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int64_t first = row / rows * s * D + lane;
  const int end = s - s_q + static_cast<int>(row % rows) % s_q + 1;
  softmax_state state = {-INFINITY, 0.0f};
  float query[columns], sum[columns] = {};
#pragma unroll
  for (int i = 0; i < columns; ++i)
    query[i] = to_float(q[row * D + lane + i * 32]) * scale_log2;
  for (int key = warp; key < end; key += kNaiveWarps) {
    const int64_t at = first + static_cast<int64_t>(key) * D;
    float score = 0.0f;
#pragma unroll
    for (int i = 0; i < columns; ++i)
      score += query[i] * to_float(k[at + i * 32]);
#pragma unroll
    for (int lanes = 16; lanes > 0; lanes /= 2)
      score += __shfl_xor_sync(kAll, score, lanes);
    const float top = fmaxf(state.largest, score);
    const float rescale = exp2f(state.largest - top);
    const float weight = exp2f(score - top);
    state = {top, state.sum * rescale + weight};
#pragma unroll
    for (int i = 0; i < columns; ++i)
      sum[i] = sum[i] * rescale + weight * to_float(v[at + i * 32]);
  }
#pragma unroll
  for (int i = 0; i < columns; ++i)
    outputs[warp][lane + i * 32] = sum[i];
  if (lane == 0) states[warp] = state;
  __syncthreads();
  if (threadIdx.x == 0) states[0].sum = weigh(states, kNaiveWarps, 1).sum;
  __syncthreads();
  for (int column = static_cast<int>(threadIdx.x); column < D; column += kNaiveWarps * 32) {
    float all = 0.0f;
    for (int i = 0; i < kNaiveWarps; ++i)
      all += states[i].largest * outputs[i][column];
    store(o + row * D + column, all / states[0].sum);
  }
}

template <typename T>
int naive(const decode_problem *p, cudaStream_t stream) {
  const auto kernel = p->d == 64 ? naive_kernel<T, 64> : naive_kernel<T, 128>;
  kernel<<<static_cast<unsigned>(p->units * p->rows), kNaiveWarps * 32, 0, stream>>>(
      static_cast<const T *>(p->q), static_cast<const T *>(p->k), static_cast<const T *>(p->v), static_cast<T *>(p->o),
      p->rows, p->s_q, p->s, flash_scale_log2(p->d));
  return cudaPeekAtLastError();
}

}  // namespace
}  // namespace attention

using namespace attention;

int decode_cuda_naive_run(const struct decode_problem *p, struct CUstream_st *stream) {
  return p->bf16 ? naive<__nv_bfloat16>(p, stream) : naive<float>(p, stream);
}

int64_t decode_cuda_split_shared_memory(const struct decode_problem *p) {
  return plan_of(p).bytes + kStaticShared;
}

int32_t decode_cuda_split_share_keys(const struct decode_problem *p) {
  return share_keys_of(p);
}

uint64_t decode_cuda_split_workspace(const struct decode_problem *p) {
  return launch_of(p).workspace;
}

int decode_cuda_split_prepare(const struct decode_problem *p, struct CUstream_st *stream) {
  const launch l = launch_of(p);
  const cudaError_t status =
      cudaFuncSetAttribute(l.how.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, l.how.bytes);
  if (status != cudaSuccess || l.counters == 0) return status;
  return cudaMemsetAsync(p->workspace, 0, l.counters, stream);
}

int decode_cuda_split_run(const struct decode_problem *p, struct CUstream_st *stream) {
  const launch l = launch_of(p);
  const int64_t ctas = p->units * l.arg.shares * row_blocks_of(p, l.how);
  l.how.kernel<<<static_cast<unsigned>(ctas), static_cast<unsigned>(l.how.threads), static_cast<size_t>(l.how.bytes),
                 stream>>>(l.arg);
  return cudaPeekAtLastError();
}
