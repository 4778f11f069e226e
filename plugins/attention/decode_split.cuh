// The kernel `split` of "decode": a few queries at the end of a long sequence, limited by the time to read the cache of
// keys and values once. The keys of a unit, which is one head of keys and values, are cut into shares, and a CTA takes
// one share for all rows that read it. The queries of all heads that share these keys fill the 16 rows of a tensor
// core's tile, up to eight tiles. Blocks of 64 or 128 keys and values pass through a ring filled by cp.async. The warps
// of a CTA divide the rows, and, if there are few, the keys of a block. A share's result for each row - its largest
// score, its sum and its undivided output - goes to the workspace, and the last CTA of a unit to finish merges them.
#ifndef ATTENTION_DECODE_SPLIT_CUH
#define ATTENTION_DECODE_SPLIT_CUH

#include "../shared/l2.cuh"
#include "decode_parts.cuh"
#include "tile.cuh"

namespace attention {

struct split_arguments {
  const __nv_bfloat16 *q;
  const __nv_bfloat16 *k;
  const __nv_bfloat16 *v;
  __nv_bfloat16 *o;
  share_parts parts;
  int rows;
  int block_rows;  // rows of a CTA, a multiple of 16; the last CTA may have fewer
  int s_q;
  int s;
  int share_keys;  // keys of a share, a multiple of the keys of a block
  float scale_log2;
};

// How a CTA of ROW_WARPS * KEY_GROUPS warps works on blocks of KEYS keys, and the layout of its shared memory.
template <int D, int ROW_WARPS, int KEY_GROUPS, int KEYS, int STAGES>
struct split_layout {
  static constexpr int rows = 16 * ROW_WARPS;
  static constexpr int threads = 32 * ROW_WARPS * KEY_GROUPS;
  static constexpr int keys = KEYS / KEY_GROUPS;  // keys that a warp takes of each block of keys
  static constexpr int half = KEYS * tile<D>::row_bytes;
  static constexpr int stage = 2 * half;  // bytes of a stage, which holds keys, then values
  static constexpr int pitch = D + 4;     // floats of a row of the warps' outputs, which reuse the ring's memory
  static constexpr int outputs = KEY_GROUPS * rows * pitch * 4;
  static constexpr int states = STAGES * stage > outputs ? STAGES *stage : outputs;  // offset of the softmax states
  static constexpr int bytes = states + KEY_GROUPS * rows * static_cast<int>(sizeof(softmax_state));
};

// A warp's state of its rows; thread (g = lane / 4, t = lane % 4) has rows g and g + 8.
template <int D>
struct warp_rows {
  uint32_t q[D / 16][4];
  softmax_state softmax[2];  // of each row; `sum` covers this thread's columns only
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

// Turns scores into weights relative to the new maxima, and rescales sums and outputs to these.
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

// ---- Merging partial results ----------------------------------------------------------------------------------------

// Computes the outputs of `rows` rows and passes them to `store`: each is the sum over the parts of output(part, row,
// column) times the weight of the part. All threads of a CTA take part, each with several loads in flight.
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

template <int D, int ROW_WARPS, int KEY_GROUPS, int KEYS, int STAGES>
__global__ void __launch_bounds__(ROW_WARPS *KEY_GROUPS * 32, 1) split_kernel(const split_arguments arg) {
  using layout = split_layout<D, ROW_WARPS, KEY_GROUPS, KEYS, STAGES>;
  constexpr int tiles = layout::keys / 8;
  extern __shared__ __align__(1024) unsigned char memory[];
  const int warp = static_cast<int>(threadIdx.x) >> 5;
  const int lane = static_cast<int>(threadIdx.x) & 31;
  const int warp_row = warp % ROW_WARPS * 16;
  const int key_group = warp / ROW_WARPS;

  // blockIdx.x counts row blocks fastest, because these read the same keys, then the shares of a unit, then units.
  const int row_blocks = (arg.rows + arg.block_rows - 1) / arg.block_rows;
  const int row_block = static_cast<int>(blockIdx.x) % row_blocks;
  const int row0 = row_block * arg.block_rows;
  const int here = min(arg.block_rows, arg.rows - row0);
  const int share = static_cast<int>(blockIdx.x) / row_blocks % arg.parts.shares;
  const int64_t unit = static_cast<int>(blockIdx.x) / row_blocks / arg.parts.shares;
  const int begin = share * arg.share_keys;
  const int end = min(arg.s, begin + arg.share_keys);
  const __nv_bfloat16 *k = arg.k + unit * arg.s * D;
  const __nv_bfloat16 *v = arg.v + unit * arg.s * D;

  // The queries are loaded before the copies into the ring are requested, because otherwise they would arrive only
  // after all these copies.
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
    __syncthreads();  // this block has arrived, and no warp reads the preceding one, whose stage is filled next
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

  // Merges the partial results of the warps into the one of the share, through shared memory.
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
  const int64_t first_part = unit * arg.parts.shares * arg.rows + row0;
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
    if (arg.parts.shares > 1) arg.parts.softmax[first_part + static_cast<int64_t>(share) * arg.rows + r] = state;
  }
  __syncthreads();
  if (arg.parts.shares == 1) {
    add_parts<D, layout::threads>(states, KEY_GROUPS, layout::rows, here, output_here, finish);
    return;
  }
  float *part_o = arg.parts.o + first_part * D;
  const int64_t part_pitch = static_cast<int64_t>(arg.rows) * D;
  add_parts<D, layout::threads>(states, KEY_GROUPS, layout::rows, here, output_here,
                                [&](int r, int column, float4 sum) {
                                  *reinterpret_cast<float4 *>(part_o + share * part_pitch + r * D + column) = sum;
                                });
  __shared__ bool last;
  if (!is_last(arg.parts.finished + unit * row_blocks + row_block, arg.parts.shares, &last, [] { __syncthreads(); }))
    return;

  // Merges the partial results of all shares, which are in the workspace, into the outputs.
  states = reinterpret_cast<softmax_state *>(memory);
  for (int x = static_cast<int>(threadIdx.x); x < arg.parts.shares * here; x += layout::threads) {
    const int64_t part = first_part + static_cast<int64_t>(x / here) * arg.rows + x % here;
    const float2 state = __ldcg(reinterpret_cast<const float2 *>(arg.parts.softmax + part));
    states[x] = {state.x, state.y};
  }
  __syncthreads();
  for (int r = static_cast<int>(threadIdx.x); r < here; r += layout::threads)
    states[r].sum = weigh(states + r, arg.parts.shares, here).sum;
  __syncthreads();
  add_parts<D, layout::threads>(
      states, arg.parts.shares, here, here,
      [&](int i, int r, int column) {
        return __ldcg(reinterpret_cast<const float4 *>(part_o + i * part_pitch + r * D + column));
      },
      finish);
}

}  // namespace attention
#endif
