// Building blocks of the tensor-core kernels: swizzled tiles and mma fragments. Everything is inlined.
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

// Layout of 128-byte rows in shared memory. The 16-byte chunk c of row r lies at chunk c ^ (r % 8), so that eight rows
// of one chunk column fall into different banks. Base addresses are multiples of 1024 bytes, and first rows are
// multiples of 8.
constexpr int kRowBytes = 128;
constexpr int kChunks = kRowBytes / 16;

__device__ __forceinline__ uint32_t chunk_offset(int row, int chunk) {
  return static_cast<uint32_t>(row * kRowBytes + ((chunk ^ (row & 7)) << 4));
}

// Returns the first fragment address of a lane, for rows at `base`. The fragment of rows R .. R + 15 (R a multiple of
// 16) that starts at byte 32 * K is at (start ^ K * 32) + R * kRowBytes. start_a() is for operand a: of the four
// matrices that ldmatrix loads, 0 and 1 are the upper and lower half of the rows, 2 and 3 the same rows 16 bytes
// further along k.
__device__ __forceinline__ uint32_t start_a(uint32_t base, int lane) {
  return base + chunk_offset(lane & 15, lane >> 4);
}

// Like start_a(), for operand b, stored [n][k]. Of the four matrices that ldmatrix loads, 0 and 1 are the two halves of
// the depth for columns 0 .. 7, and 2 and 3 those for columns 8 .. 15.
__device__ __forceinline__ uint32_t start_b(uint32_t base, int lane) {
  return base + chunk_offset((lane & 7) + ((lane >> 4) << 3), (lane >> 3) & 1);
}

}  // namespace matmul
#endif
