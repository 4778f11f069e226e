// Building blocks of the tensor-core kernel: swizzled tiles and mma fragments. Everything is inlined.
#ifndef MATMUL_TILE_CUH
#define MATMUL_TILE_CUH

#include <stdint.h>

#include "../shared/tensor_core.cuh"

namespace matmul {

using namespace tensor_core;

__device__ __forceinline__ void store16(uint32_t to, uint4 x) {
  asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};\n" ::"r"(to), "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w)
               : "memory");
}

// Rows of 128 bytes in shared memory. The 16-byte chunk c of row r lies at chunk c ^ (r % 8), so that eight rows of one
// chunk column fall into different banks. Bases are multiples of 1024 bytes, first rows of 8.
constexpr int kRowBytes = 128;
constexpr int kChunks = kRowBytes / 16;

__device__ __forceinline__ uint32_t chunk_offset(int row, int chunk) {
  return static_cast<uint32_t>(row * kRowBytes + ((chunk ^ (row & 7)) << 4));
}

// Start of a lane's fragment addresses in rows at `base`. The fragment of rows R .. R + 15 (R a multiple of 16) and of
// bytes 32 * K on is at (start ^ K * 32) + R * kRowBytes.
// Operand a: upper and lower half of the rows, then the same 16 bytes further.
__device__ __forceinline__ uint32_t start_a(uint32_t base, int lane) {
  return base + chunk_offset(lane & 15, lane >> 4);
}

// Operand b, stored [n][k]: results 0, 1 are the two halves of the depth for columns 0..7, results 2, 3 for 8..15.
__device__ __forceinline__ uint32_t start_b(uint32_t base, int lane) {
  return base + chunk_offset((lane & 7) + ((lane >> 4) << 3), (lane >> 3) & 1);
}

}  // namespace matmul
#endif
