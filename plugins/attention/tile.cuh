// Building blocks of the tensor core kernels: swizzled tiles of bf16 or fp16, and mma fragments. Internal to this
// folder; everything is inlined.
#ifndef ATTENTION_TILE_CUH
#define ATTENTION_TILE_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

#include <type_traits>

#include "../shared/tensor_core.cuh"

namespace attention {

using namespace tensor_core;

__device__ __forceinline__ void load_matrices_transposed(uint32_t (&r)[4], uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];\n"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address)
               : "memory");
}

__device__ __forceinline__ uint32_t pack_bf16(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return reinterpret_cast<const uint32_t &>(pair);
}

template <typename T>
__device__ __forceinline__ uint32_t pack(float low, float high) {
  if constexpr (std::is_same_v<T, __half>) {
    const __half2 pair = __floats2half2_rn(low, high);
    return reinterpret_cast<const uint32_t &>(pair);
  } else {
    return pack_bf16(low, high);
  }
}

// Converts four numbers to e4m3 and packs them, the first into the lowest byte. Numbers above 448, the largest e4m3
// value, become 448.
__device__ __forceinline__ uint32_t pack_e4m3(float a, float b, float c, float d) {
  uint32_t four;
  asm("{\n"
      ".reg .b16 low, high;\n"
      "cvt.rn.satfinite.e4m3x2.f32 low, %2, %1;\n"
      "cvt.rn.satfinite.e4m3x2.f32 high, %4, %3;\n"
      "mov.b32 %0, {low, high};\n"
      "}\n"
      : "=r"(four)
      : "f"(a), "f"(b), "f"(c), "f"(d));
  return four;
}

__device__ __forceinline__ float exp2_fast(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;\n" : "=f"(y) : "f"(x));
  return y;
}

// A tile in shared memory: rows of COLUMNS elements of bf16 or another two-byte type. The 16-byte chunk c of row r lies
// at chunk c ^ (r % 8), so that eight rows of one chunk column are in different banks. The tile's base must be a
// multiple of 256 bytes.
template <int COLUMNS>
struct tile {
  static constexpr int row_bytes = COLUMNS * 2;
  static constexpr int chunks = COLUMNS / 8;

  __device__ static __forceinline__ uint32_t offset(int row, int chunk) {
    return static_cast<uint32_t>(row * row_bytes + ((chunk ^ (row & 7)) << 4));
  }

  // Copies ROWS rows from `from`, `pitch` elements apart; rows from `valid` on become zeros. `policy` is empty, or an
  // L2 cache policy of ../shared/l2.cuh.
  template <int ROWS, int THREADS, typename T, typename... Policy>
  __device__ static __forceinline__ void load(uint32_t base, const T *from, int64_t pitch, int valid,
                                              Policy... policy) {
    static_assert(ROWS * chunks % THREADS == 0 && THREADS % chunks == 0, "threads cover whole rows");
#pragma unroll
    for (int i = 0; i < ROWS * chunks / THREADS; ++i) {
      const int row = (static_cast<int>(threadIdx.x) / chunks) + i * (THREADS / chunks);
      const int chunk = static_cast<int>(threadIdx.x) % chunks;
      const bool inside = row < valid;
      copy16(base + offset(row, chunk), from + (inside ? row * pitch : 0) + chunk * 8, inside, policy...);
    }
  }

  // Returns a lane's address for ldmatrix of the fragment at row 0 and column 0 of the tile at `base`, for operand A,
  // or for B stored [k][n] (read transposed). Lane i points to row i % 16 of the left (i < 16) or right 16-byte chunk.
  // The address for first row R (a multiple of 16) and first column 16 * C is (start ^ C * 32) + R * row_bytes.
  __device__ static __forceinline__ uint32_t start_rows(uint32_t base, int lane) {
    return base + offset(lane & 15, lane >> 4);
  }

  // Like start_rows(), for operand B stored [n][k]. Of the four matrices that a warp loads, 0 and 1 are the two halves
  // of k for columns 0 .. 7, and 2 and 3 those for columns 8 .. 15.
  __device__ static __forceinline__ uint32_t start_columns(uint32_t base, int lane) {
    return base + offset((lane & 7) + ((lane >> 4) << 3), (lane >> 3) & 1);
  }
};

}  // namespace attention
#endif
