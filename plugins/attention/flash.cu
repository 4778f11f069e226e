// Flash attention on tensor cores, bf16 or fp16: one pass over keys and values with an online softmax, nothing
// materialised.
//
// A CTA of four warps owns 128 query rows of one head, a warp 32 of them, so each key or value fragment read from
// shared memory feeds two mma row tiles; with heads of 256, whose outputs fill the registers, 64 rows and one tile.
// Keys and values come in blocks through a ring of two stages filled by cp.async. Scores stay in registers and become
// the left operand of P*V without leaving them.
//
// With a window it begins at the block with the first key that any of its rows sees. Of packed sequences it has rows of
// one, which it finds by itself; what lies behind the sequence's end is read as zeros.
#include <cuda_runtime.h>

#include "flash.h"
#include "tile.cuh"

namespace attention {
namespace {

constexpr int kRows = 128;  // of a packed sequence, too
constexpr int kThreads = 128;

// Row tiles of a warp.
__host__ __device__ constexpr int warp_tiles(int d) {
  return d == 256 ? 1 : 2;
}

__host__ __device__ constexpr int block_rows(int d) {
  return kThreads / 32 * warp_tiles(d) * 16;
}

// Keys of a block. Where a packed sequence lies takes registers, which at head size 128 the scores of 64 do not leave;
// at 256 more do not fit in 99 KiB.
__host__ __device__ constexpr int block_keys(int d, bool packed) {
  return d == 256 || (packed && d == 128) ? 32 : 64;
}

constexpr int shared_bytes(int d, bool packed) {
  return (block_rows(d) + 4 * block_keys(d, packed)) * d * 2;
}

// Scores of the block for the rows of a warp: c[row tile][column tile].
template <int M, int TILES>
using score_tiles = float[M][TILES][4];

template <typename T, int D, int M, int TILES>
__device__ __forceinline__ void multiply_scores(score_tiles<M, TILES> &c, uint32_t q_start, uint32_t k_start) {
  constexpr int row_bytes = tile<D>::row_bytes;
#pragma unroll
  for (int i = 0; i < M * TILES; ++i) {
    float(&acc)[4] = c[i / TILES][i % TILES];
    acc[0] = acc[1] = acc[2] = acc[3] = 0.0f;
  }
#pragma unroll
  for (int kk = 0; kk < D / 16; ++kk) {
    uint32_t a[M][4];
#pragma unroll
    for (int m = 0; m < M; ++m)
      load_matrices(a[m], (q_start ^ (kk * 32)) + m * 16 * row_bytes);
#pragma unroll
    for (int n = 0; n < TILES; n += 2) {
      uint32_t b[4];
      load_matrices(b, (k_start ^ (kk * 32)) + n * 8 * row_bytes);
#pragma unroll
      for (int m = 0; m < M; ++m) {
        mma<T>(c[m][n], a[m], b[0], b[1]);
        mma<T>(c[m][n + 1], a[m], b[2], b[3]);
      }
    }
  }
}

// Hides keys from `end` on and, if causal, those after the query and those that its window has left behind. `row` and
// `column` are those of c[0][0][0].
template <bool CAUSAL, bool WINDOW, int M, int TILES>
__device__ __forceinline__ void mask_scores(score_tiles<M, TILES> &c, int row, int column, int end, int window) {
#pragma unroll
  for (int m = 0; m < M; ++m) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int limit = CAUSAL ? min(end, row + m * 16 + half * 8 + 1) : end;
#pragma unroll
      for (int n = 0; n < TILES; ++n) {
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          const int key = column + n * 8 + e;
          if (key >= limit || (WINDOW && key <= row + m * 16 + half * 8 - window)) c[m][n][half * 2 + e] = -INFINITY;
        }
      }
    }
  }
}

// The running state of a warp's rows: [row tile][half], and the output not yet divided by the sum.
template <int D>
struct row_state {
  static constexpr int M = warp_tiles(D);
  float largest[M][2];
  float sum[M][2];  // of this thread's columns only
  float o[M][D / 8][4];
};

// The four threads of a row agree on its maximum so far.
template <int D, int M, int TILES>
__device__ __forceinline__ void raise_maxima(float (&top)[M][2], const score_tiles<M, TILES> &c,
                                             const row_state<D> &state) {
#pragma unroll
  for (int m = 0; m < M; ++m) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      top[m][half] = state.largest[m][half];
#pragma unroll
      for (int n = 0; n < TILES; ++n)
        top[m][half] = fmaxf(top[m][half], fmaxf(c[m][n][half * 2], c[m][n][half * 2 + 1]));
    }
  }
#pragma unroll
  for (int lanes = 1; lanes <= 2; lanes *= 2) {
#pragma unroll
    for (int i = 0; i < 2 * M; ++i) {
      float &value = top[i / 2][i % 2];
      value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, lanes));
    }
  }
}

// Turns scores into probabilities relative to the new maximum and brings sum and output to it. Key 0 is visible to
// every row and comes first: the maximum is finite from the first block on, whose rescale is by exp2(-inf) = 0. With a
// window the blocks of other rows may come before, without anything for this one.
template <int D, bool WINDOW, int M, int TILES>
__device__ __forceinline__ void update_softmax(score_tiles<M, TILES> &c, row_state<D> &state, float scale_log2) {
  float top[M][2];
  raise_maxima<D>(top, c, state);
#pragma unroll
  for (int i = 0; i < 2 * M; ++i) {
    const int m = i / 2;
    const int half = i % 2;
    const float shift = WINDOW && top[m][half] == -INFINITY ? 0.0f : top[m][half] * scale_log2;
    const float rescale = exp2_fast(fmaf(state.largest[m][half], scale_log2, -shift));
    state.largest[m][half] = top[m][half];
    float sum = state.sum[m][half] * rescale;
#pragma unroll
    for (int n = 0; n < TILES; ++n) {
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        const float p = exp2_fast(fmaf(c[m][n][half * 2 + e], scale_log2, -shift));
        c[m][n][half * 2 + e] = p;
        sum += p;
      }
    }
    state.sum[m][half] = sum;
#pragma unroll
    for (int n = 0; n < D / 8; ++n) {
      state.o[m][n][half * 2] *= rescale;
      state.o[m][n][half * 2 + 1] *= rescale;
    }
  }
}

template <typename T, int D, int M, int TILES>
__device__ __forceinline__ void multiply_values(const score_tiles<M, TILES> &p, row_state<D> &state, uint32_t v_start) {
  constexpr int row_bytes = tile<D>::row_bytes;
#pragma unroll
  for (int kk = 0; kk < TILES / 2; ++kk) {
    uint32_t a[M][4];
#pragma unroll
    for (int m = 0; m < M; ++m) {
      a[m][0] = pack<T>(p[m][2 * kk][0], p[m][2 * kk][1]);
      a[m][1] = pack<T>(p[m][2 * kk][2], p[m][2 * kk][3]);
      a[m][2] = pack<T>(p[m][2 * kk + 1][0], p[m][2 * kk + 1][1]);
      a[m][3] = pack<T>(p[m][2 * kk + 1][2], p[m][2 * kk + 1][3]);
    }
#pragma unroll
    for (int n = 0; n < D / 8; n += 2) {
      uint32_t b[4];
      load_matrices_transposed(b, (v_start ^ (n * 16)) + kk * 16 * row_bytes);
#pragma unroll
      for (int m = 0; m < M; ++m) {
        mma<T>(state.o[m][n], a[m], b[0], b[1]);
        mma<T>(state.o[m][n + 1], a[m], b[2], b[3]);
      }
    }
  }
}

// Divides by the sums and writes the warp's rows, `pitch` elements apart: through its own, now unused, part of the
// query tile, so that global stores are 16 bytes wide.
template <int D, typename T>
__device__ __forceinline__ void store_rows(row_state<D> &state, unsigned char *rows, T *o, int64_t pitch, int valid) {
  constexpr int M = warp_tiles(D);
  const int lane = static_cast<int>(threadIdx.x) & 31;
  __syncwarp();
#pragma unroll
  for (int m = 0; m < M; ++m) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float sum = state.sum[m][half];
      sum += __shfl_xor_sync(0xffffffffu, sum, 1);
      sum += __shfl_xor_sync(0xffffffffu, sum, 2);
      const float inverse = 1.0f / sum;
      const int row = m * 16 + half * 8 + (lane >> 2);
#pragma unroll
      for (int n = 0; n < D / 8; ++n) {
        const uint32_t pair = pack<T>(state.o[m][n][half * 2] * inverse, state.o[m][n][half * 2 + 1] * inverse);
        *reinterpret_cast<uint32_t *>(rows + tile<D>::offset(row, n) + (lane & 3) * 4) = pair;
      }
    }
  }
  __syncwarp();
#pragma unroll
  for (int i = lane; i < M * 16 * tile<D>::chunks; i += 32) {
    const int row = i / tile<D>::chunks;
    const int chunk = i % tile<D>::chunks;
    if (row < valid) {
      *reinterpret_cast<uint4 *>(o + row * pitch + chunk * 8) =
          *reinterpret_cast<const uint4 *>(rows + tile<D>::offset(row, chunk));
    }
  }
}

template <typename T>
struct flash_arguments {
  const T *q;
  const T *k;
  const T *v;
  T *o;
  int64_t heads;
  int group;     // heads that share keys and values
  int resident;  // heads whose keys and values are in the L2 cache together
  int s;
  float scale_log2;
  int window;
  int sequences;       // packed; and of these:
  const int *offsets;  // the first row of each, and the end
  int64_t pitch;       // elements between rows of q and o
  int64_t key_pitch;   // and of k and v
};

// Query tiles of packed sequences are numbered so that a sequence's first number follows from its offset alone; a few
// numbers at the end of a sequence have no rows.
__host__ __device__ __forceinline__ int packed_tile(int offset, int sequence) {
  return offset / kRows + sequence;
}

__host__ __device__ __forceinline__ int dense_tiles(int s, int d) {
  return (s + block_rows(d) - 1) / block_rows(d);
}

// What a CTA works on: where queries and keys begin, in elements, how many rows there are, and the first one of this
// CTA.
struct flash_task {
  int64_t queries;
  int64_t keys;
  int s;
  int row0;
};

template <int D, typename T>
__device__ __forceinline__ flash_task dense_task(const flash_arguments<T> &arg) {
  const flash_place place = flash_place_of(blockIdx.x, arg.heads, arg.resident, dense_tiles(arg.s, D));
  flash_task task;
  task.queries = place.head * arg.s * D;
  task.keys = place.head / arg.group * arg.s * D;
  task.s = arg.s;
  task.row0 = place.tile * block_rows(D);
  return task;
}

// Each warp counts the sequences that begin with the tile's number or before, 32 at a time.
template <int D, typename T>
__device__ __forceinline__ flash_task packed_task(const flash_arguments<T> &arg) {
  const flash_place place = flash_place_of(blockIdx.x, arg.heads, arg.resident, packed_tile(arg.s, arg.sequences));
  const int lane = static_cast<int>(threadIdx.x) & 31;
  int before = 0;
  for (int first = 0; first < arg.sequences; first += 32) {
    const int i = first + lane;
    const bool begun = i < arg.sequences && packed_tile(arg.offsets[i], i) <= place.tile;
    before += __popc(__ballot_sync(0xffffffffu, begun));
  }
  const int sequence = before - 1;
  const int start = arg.offsets[sequence];
  flash_task task;
  task.queries = start * arg.pitch + place.head * D;
  task.keys = start * arg.key_pitch + place.head / arg.group * D;
  task.s = arg.offsets[sequence + 1] - start;
  task.row0 = (place.tile - packed_tile(start, sequence)) * kRows;
  return task;
}

// The same, but not known to be: what is computed from it is computed again where it is needed, and takes no registers
// in between.
__device__ __forceinline__ int64_t fresh(int64_t x) {
  asm volatile("" : "+l"(x));
  return x;
}

// A window is one of causal attention.
template <typename T, int D, bool CAUSAL, bool WINDOW, bool PACKED>
__global__ void __launch_bounds__(kThreads, 2) flash_kernel(const flash_arguments<T> arg) {
  extern __shared__ __align__(1024) unsigned char memory[];
  const flash_task task = PACKED ? packed_task<D>(arg) : dense_task<D>(arg);
  const int64_t pitch = PACKED ? arg.pitch : D;
  const int s = task.s;
  const int row0 = task.row0;
  if (PACKED && row0 >= s) return;
  const int warp = static_cast<int>(threadIdx.x) >> 5;
  const int lane = static_cast<int>(threadIdx.x) & 31;
  constexpr int M = warp_tiles(D);
  constexpr int rows = block_rows(D), warp_rows = M * 16;
  const int warp_row = row0 + warp * warp_rows;

  constexpr int columns = block_keys(D, PACKED);
  const uint32_t q_tile = shared_address(memory);
  const uint32_t kv_tiles = q_tile + rows * tile<D>::row_bytes;
  constexpr uint32_t v_offset = columns * tile<D>::row_bytes;
  constexpr uint32_t stage_bytes = 2 * v_offset;

  const int begin = WINDOW ? max(0, row0 + 1 - arg.window) / columns * columns : 0;
  const int end = CAUSAL ? min(s, row0 + rows) : s;

  const auto stage_of = [](int column) { return static_cast<uint32_t>(column & columns) * (stage_bytes / columns); };
  const auto load_block = [&](int column) {
    const int64_t key_pitch = PACKED ? fresh(arg.key_pitch) : D;
    const int64_t first = task.keys + column * key_pitch;
    const uint32_t stage = kv_tiles + stage_of(column);
    tile<D>::template load<columns, kThreads>(stage, arg.k + first, key_pitch, s - column);
    tile<D>::template load<columns, kThreads>(stage + v_offset, arg.v + first, key_pitch, s - column);
    copy_commit();
  };

  tile<D>::template load<rows, kThreads>(q_tile, arg.q + task.queries + row0 * pitch, pitch, s - row0);
  load_block(begin);

  row_state<D> state;
#pragma unroll
  for (int m = 0; m < M; ++m) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      state.largest[m][half] = -INFINITY;
      state.sum[m][half] = 0.0f;
    }
#pragma unroll
    for (int n = 0; n < D / 8; ++n)
      state.o[m][n][0] = state.o[m][n][1] = state.o[m][n][2] = state.o[m][n][3] = 0.0f;
  }

  const uint32_t q_start = tile<D>::start_rows(q_tile + warp * warp_rows * tile<D>::row_bytes, lane);
  const uint32_t k_start = tile<D>::start_columns(kv_tiles, lane);
  const uint32_t v_start = tile<D>::start_rows(kv_tiles + v_offset, lane);

  for (int column = begin; column < end; column += columns) {
    copy_wait<0>();
    __syncthreads();  // the block is complete, and every warp has left the one before, whose stage is filled next
    if (column + columns < end) load_block(column + columns);
    if (CAUSAL && column > warp_row + (warp_rows - 1)) continue;  // nothing visible to this warp
    if (WINDOW && column + columns <= warp_row + 1 - arg.window) continue;
    const uint32_t stage = stage_of(column);
    score_tiles<M, columns / 8> c;
    multiply_scores<T, D>(c, q_start, k_start + stage);
    if (column + columns > (CAUSAL ? min(s, warp_row + 1) : s) ||
        (WINDOW && column <= warp_row + (warp_rows - 1) - arg.window))
      mask_scores<CAUSAL, WINDOW>(c, warp_row + (lane >> 2), column + (lane & 3) * 2, s, arg.window);
    update_softmax<D, WINDOW>(c, state, arg.scale_log2);
    multiply_values<T, D>(c, state, v_start + stage);
  }
  store_rows<D>(state, memory + warp * warp_rows * tile<D>::row_bytes, arg.o + task.queries + warp_row * pitch, pitch,
                s - warp_row);
}

template <typename T>
using flash_function = void (*)(const flash_arguments<T>);

// Windows and packed sequences: in bf16 alone.
template <typename T, int D>
constexpr bool kAll = std::is_same_v<T, __nv_bfloat16> &&D < 256;

template <typename T, int D, bool PACKED>
flash_function<T> choose_mask(const attention_problem *p) {
  if constexpr (kAll<T, D>)
    if (p->window > 0) return flash_kernel<T, D, true, true, PACKED>;
  return p->causal ? flash_kernel<T, D, true, false, PACKED> : flash_kernel<T, D, false, false, PACKED>;
}

template <typename T, int D>
flash_function<T> choose_layout(const attention_problem *p) {
  if constexpr (kAll<T, D>)
    if (p->offsets != nullptr) return choose_mask<T, D, true>(p);
  return choose_mask<T, D, false>(p);
}

template <typename T>
flash_function<T> choose(const attention_problem *p) {
  if (p->d == 64) return choose_layout<T, 64>(p);
  return p->d == 128 ? choose_layout<T, 128>(p) : choose_layout<T, 256>(p);
}

int choose_bytes(const attention_problem *p) {
  return shared_bytes(p->d, p->offsets != nullptr);
}

template <typename T>
int prepare(const attention_problem *p) {
  return cudaFuncSetAttribute(choose<T>(p), cudaFuncAttributeMaxDynamicSharedMemorySize, choose_bytes(p));
}

template <typename T>
int run(const attention_problem *p, cudaStream_t stream) {
  flash_arguments<T> arg = {};
  arg.q = static_cast<const T *>(p->q);
  arg.k = static_cast<const T *>(p->k);
  arg.v = static_cast<const T *>(p->v);
  arg.o = static_cast<T *>(p->o);
  arg.heads = p->heads;
  arg.group = p->group;
  arg.s = p->s;
  arg.resident = flash_resident(p, 2);
  arg.scale_log2 = flash_scale_log2(p->d);
  arg.window = p->window;
  arg.sequences = p->sequences;
  arg.offsets = p->offsets;
  arg.pitch = p->heads * p->d;
  arg.key_pitch = p->heads / p->group * p->d;
  const int tiles = p->offsets != nullptr ? packed_tile(p->s, p->sequences) : dense_tiles(p->s, p->d);
  const int64_t ctas = p->heads * tiles;
  choose<T>(p)<<<static_cast<unsigned>(ctas), kThreads, static_cast<size_t>(choose_bytes(p)), stream>>>(arg);
  return cudaPeekAtLastError();
}

}  // namespace

int flash_half_prepare(const attention_problem *p) {
  return p->stored == STORED_FP16 ? prepare<__half>(p) : prepare<__nv_bfloat16>(p);
}

int flash_half_run(const attention_problem *p, cudaStream_t stream) {
  return p->stored == STORED_FP16 ? run<__half>(p, stream) : run<__nv_bfloat16>(p, stream);
}

}  // namespace attention
