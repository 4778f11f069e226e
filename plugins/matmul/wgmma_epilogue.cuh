// The epilogues of the wgmma kernels, applied to the sums before c is stored: bias and GELU, or the addition of a
// residual r.
#ifndef MATMUL_WGMMA_EPILOGUE_CUH
#define MATMUL_WGMMA_EPILOGUE_CUH

#include "../shared/packs.cuh"
#include "epilogue.cuh"
#include "kernels.h"
#include "wgmma_store.cuh"

namespace matmul {

// The extra inputs of an epilogue. Elements have two bytes; rows of c are multiples of 16 bytes.
template <int EPILOGUE>
struct wgmma_extra {};

template <>
struct wgmma_extra<MATMUL_BIAS_GELU> {
  const void *bias;
};

template <>
struct wgmma_extra<MATMUL_ADD> {
  const CUtensorMap *r;
  uint64_t *barriers;  // two per warp, one for each buffer into which the copy engine writes r
  unsigned phases;     // parity of each buffer's barrier, one bit each
};

constexpr int kWgmmaChunk = kRowBytes / 2;                     // columns of r in a buffer
constexpr int kWgmmaExtraBarriers = 2 * 8 * sizeof(uint64_t);  // bytes of the barriers

__device__ __forceinline__ void wgmma_split(float (&x)[2], uint32_t pair, const __nv_bfloat16 *) {
  packs::BfloatPair::split(pair, x);
}
__device__ __forceinline__ void wgmma_split(float (&x)[2], uint32_t pair, const __half *) {
  packs::HalfPair::split(pair, x);
}

// Prefetches a tile of r into the L2 cache while its products are computed. Each warp prefetches its own 16 rows.
template <typename S>
__device__ __forceinline__ void wgmma_foresee(const wgmma_extra<MATMUL_ADD> &extra, int row0, int column0, int lane) {
  const int part = lane / (S::columns / kWgmmaChunk), column = lane % (S::columns / kWgmmaChunk) * kWgmmaChunk;
  if (part < S::parts)
    asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];\n" ::"l"(extra.r),
                 "r"(column0 + column), "r"(row0 + part * 64)
                 : "memory");
}

// Requests a chunk of r into one of the warp's two buffers, whose contents must no longer be needed. `half` is the
// offset of that buffer.
template <typename S>
__device__ __forceinline__ void wgmma_fetch_extra(const wgmma_extra<MATMUL_ADD> &extra, uint32_t buffers, uint32_t half,
                                                  int row0, int column) {
  uint64_t *barrier = extra.barriers + (half > 0);
  bulk::arrive_and_expect(barrier, S::out_bytes);
  load_tile(buffers + half, extra.r, column, row0, barrier);
}

// Requests the first two chunks of r, before the products are complete.
template <typename S>
__device__ __forceinline__ void wgmma_begin_extra(const wgmma_extra<MATMUL_ADD> &extra, uint32_t buffers, uint32_t half,
                                                  int row0, int column0, int lane) {
  if (lane == 0) {
    bulk::wait_read<0>();
    wgmma_fetch_extra<S>(extra, buffers, half, row0, column0);
    wgmma_fetch_extra<S>(extra, buffers, half ^ S::out_bytes, row0, column0 + kWgmmaChunk);
  }
  __syncwarp();
}

// Adds r, which has been copied to the warp's buffers, to the sums, and stores them through the same buffers as
// wgmma_store() does.
template <typename T, typename S>
__device__ __forceinline__ void wgmma_store_extra(float (&sum)[S::columns / 2], const CUtensorMap *c,
                                                  wgmma_extra<MATMUL_ADD> &extra, uint32_t buffers, uint32_t &half,
                                                  int row0, int column0, int lane) {
  const uint32_t to = wgmma_start<T>(buffers, lane);
#pragma unroll
  for (int column = 0; column < S::columns; column += kWgmmaChunk, half ^= S::out_bytes) {
    if (column > 0 && column + kWgmmaChunk < S::columns && lane == 0) {
      bulk::wait_read<0>();
      wgmma_fetch_extra<S>(extra, buffers, half ^ S::out_bytes, row0, column0 + column + kWgmmaChunk);
    }
    __syncwarp();
    const unsigned bit = half > 0;
    bulk::wait(extra.barriers + bit, extra.phases >> bit & 1);
    extra.phases ^= 1u << bit;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      float *x = sum + column / 2 + j * 8;
      uint32_t pair[4];
      load_matrices(pair, (to ^ (j * 32)) + half);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        float y[2];
        wgmma_split(y, pair[i], static_cast<const T *>(nullptr));
        x[2 * i] += y[0];
        x[2 * i + 1] += y[1];
      }
    }
    wgmma_fill<T>(sum + column / 2, to, half);
    fence_for_copies();
    __syncwarp();
    if (lane == 0) {
      store_tile(c, column0 + column, row0, buffers + half);
      bulk::commit();
    }
  }
}

// Stores GELU(sum + bias). Of each eight columns, a thread holds columns 2 t and 2 t + 1, t = lane % 4.
template <typename T, typename S>
__device__ __forceinline__ void wgmma_store_extra(float (&sum)[S::columns / 2], const CUtensorMap *c,
                                                  const wgmma_extra<MATMUL_BIAS_GELU> &extra, int n, uint32_t buffers,
                                                  uint32_t &half, int row0, int column0, int lane) {
  const uint32_t to = wgmma_start<T>(buffers, lane);
  const int first = column0 + lane % 4 * 2;
  const T *bias = static_cast<const T *>(extra.bias) + first;
#pragma unroll
  for (int column = 0; column < S::columns; column += kWgmmaChunk, half ^= S::out_bytes) {
    uint32_t pair[8];
#pragma unroll
    for (int j = 0; j < 8; ++j)
      pair[j] = first + column + j * 8 < n ? __ldg(reinterpret_cast<const uint32_t *>(bias + column + j * 8)) : 0u;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      float *x = sum + column / 2 + j * 4, y[2];
      wgmma_split(y, pair[j], static_cast<const T *>(nullptr));
#pragma unroll
      for (int i = 0; i < 4; ++i)
        x[i] = gelu<T>(x[i] + y[i % 2]);
    }
    if (lane == 0) bulk::wait_read<1>();
    __syncwarp();
    wgmma_fill<T>(sum + column / 2, to, half);
    fence_for_copies();
    __syncwarp();
    if (lane == 0) {
      store_tile(c, column0 + column, row0, buffers + half);
      bulk::commit();
    }
  }
}

// Applies the epilogue and stores. `begun` is true if wgmma_begin_extra() was already called for this part of the tile.
template <typename M, typename S, bool PLAIN>
__device__ __forceinline__ void wgmma_finish(float (&sum)[S::columns / 2], const CUtensorMap *c,
                                             const wgmma_arguments &arg, wgmma_extra<M::epilogue> &extra,
                                             uint32_t buffers, uint32_t &half, int row0, int column0, int lane,
                                             bool begun) {
  if constexpr (M::epilogue == MATMUL_PLAIN) {
    wgmma_store_any<M, S, PLAIN>(sum, c, arg, buffers, half, row0, column0, lane);
  } else if constexpr (M::epilogue == MATMUL_BIAS_GELU) {
    wgmma_store_extra<typename M::out, S>(sum, c, extra, arg.n, buffers, half, row0, column0, lane);
  } else {
    if (!begun) wgmma_begin_extra<S>(extra, buffers, half, row0, column0, lane);
    wgmma_store_extra<typename M::out, S>(sum, c, extra, buffers, half, row0, column0, lane);
  }
}

}  // namespace matmul
#endif
