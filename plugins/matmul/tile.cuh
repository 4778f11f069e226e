// Building blocks of the tensor-core kernel: asynchronous copies, swizzled tiles, mma fragments. Everything is inlined.
#ifndef MATMUL_TILE_CUH
#define MATMUL_TILE_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

#include "../shared/tensor_core.cuh"

namespace matmul {

using namespace tensor_core;

__device__ __forceinline__ void store16(uint32_t to, uint4 x) {
  asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};\n" ::"r"(to), "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w)
               : "memory");
}

// c[16x8] += a * b over 32 bytes of depth: 16 elements of two bytes, 8 of four. Thread (g = lane / 4, t = lane % 4)
// holds c rows g and g + 8, columns 2t and 2t + 1. Where a matrix of 8 rows by 16 bytes gives each thread two halves of
// a row, it gives it one fp32 of it, so that ldmatrix and the addresses below serve both.
__device__ __forceinline__ void mma(__nv_bfloat16, float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};\n"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ __forceinline__ void mma(__half, float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};\n"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// tf32: the unit ignores the low 13 bits of each operand.
__device__ __forceinline__ void mma(float, float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};\n"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
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
