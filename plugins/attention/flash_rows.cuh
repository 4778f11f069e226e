// Functions with which a warp of the kernel in flash.cu processes its rows of queries: scores, their running softmax,
// the product with values, and storing the results.
#ifndef ATTENTION_FLASH_ROWS_CUH
#define ATTENTION_FLASH_ROWS_CUH

#include "tile.cuh"

namespace attention {

// Returns how many row tiles of mma (16 rows each) a warp has.
__host__ __device__ constexpr int warp_tiles(int d) {
  return d == 256 ? 1 : 2;
}

// Scores of a block for the rows of a warp: c[row tile][column tile].
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

// Sets scores of hidden keys to -inf. Keys from `end` on are hidden; if CAUSAL, also keys after the query; if WINDOW,
// also keys before the query's window. `row` and `column` are the query and the key of c[0][0][0] of this thread.
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

// The running softmax of a warp's rows, and their output, not yet divided by the sum. A thread has two rows of each row
// tile: lane / 4 (half 0) and lane / 4 + 8 (half 1).
template <int D>
struct row_state {
  static constexpr int M = warp_tiles(D);
  float largest[M][2];
  float sum[M][2];  // the sum over this thread's columns only
  float o[M][D / 8][4];
};

// Computes the maximum of each row over all blocks so far, and shares it among the four threads of the row.
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

// Turns scores into probabilities relative to the new maximum, and rescales sum and output to it. Without a window, key
// 0 is in the first block and visible to every row, so that the maximum is always finite, and the first block rescales
// by exp2(-inf) = 0. With a window, a row may see no key of the first blocks, and its maximum is still -inf.
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

// Divides the outputs by the sums and stores the warp's rows, `pitch` elements apart. They pass through the warp's part
// of the query tile, which is no longer used, so that global stores are 16 bytes wide.
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

}  // namespace attention
#endif
