// The products of "forward" and "backward" on Hopper's tensor cores: bf16, 128-byte swizzle. Some read a matrix across
// its rows.
#ifndef ATTENTION_WGMMA_PRODUCTS_CUH
#define ATTENTION_WGMMA_PRODUCTS_CUH

#include "../shared/hopper.cuh"

namespace attention {

using namespace hopper;

// Of a matrix in shared memory as panels of 64 columns, rows of 128 bytes with the 128-byte swizzle, of which rows are
// the depth of the product. 16 rows further are 128 more in the address field. `panel`: bytes from one to the next.
__device__ __forceinline__ uint64_t descriptor_across(uint32_t address, uint32_t panel) {
  return uint64_t((address & 0x3ffff) >> 4) | uint64_t(panel >> 4) << 16 | uint64_t(1024 >> 4) << 32 |
         uint64_t(1) << 62;
}

#define R8(a, b, c, d, e, f, g, h) "%" #a ", %" #b ", %" #c ", %" #d ", %" #e ", %" #f ", %" #g ", %" #h
#define R32                  \
  R8(0, 1, 2, 3, 4, 5, 6, 7) \
  ", " R8(8, 9, 10, 11, 12, 13, 14, 15) ", " R8(16, 17, 18, 19, 20, 21, 22, 23) ", " R8(24, 25, 26, 27, 28, 29, 30, 31)
#define R64                                                                                    \
  R32 ", " R8(32, 33, 34, 35, 36, 37, 38, 39) ", " R8(40, 41, 42, 43, 44, 45, 46, 47) ", " R8( \
      48, 49, 50, 51, 52, 53, 54, 55) ", " R8(56, 57, 58, 59, 60, 61, 62, 63)
#define F8(i)                                                                                             \
  "+f"(sum[i]), "+f"(sum[i + 1]), "+f"(sum[i + 2]), "+f"(sum[i + 3]), "+f"(sum[i + 4]), "+f"(sum[i + 5]), \
      "+f"(sum[i + 6]), "+f"(sum[i + 7])
#define F32(i) F8(i), F8(i + 8), F8(i + 16), F8(i + 24)
#define F64(i) F32(i), F32(i + 32)
#define NEW8(i)                                                                                           \
  "=f"(sum[i]), "=f"(sum[i + 1]), "=f"(sum[i + 2]), "=f"(sum[i + 3]), "=f"(sum[i + 4]), "=f"(sum[i + 5]), \
      "=f"(sum[i + 6]), "=f"(sum[i + 7])
#define NEW32(i) NEW8(i), NEW8(i + 8), NEW8(i + 16), NEW8(i + 24)
#define NEW64(i) NEW32(i), NEW32(i + 32)

// sum = a b^T or sum += a b^T, and sum = a^T b or sum += a^T b: over 16 of depth. A product that makes sums is another
// instruction than one that adds to them, so that the compiler keeps no registers from before.
#define PRODUCT(name, add, columns, registers, out, a_at, b_at, across)                          \
  __device__ __forceinline__ void name(float(&sum)[columns / 2], uint64_t a, uint64_t b) {       \
    asm volatile("wgmma.mma_async.sync.aligned.m64n" #columns "k16.f32.bf16.bf16 {" R##registers \
                 "}, " a_at ", " b_at ", " #add ", 1, 1, " #across ", " #across ";\n"            \
                 : out##registers(0)                                                             \
                 : "l"(a), "l"(b));                                                              \
  }
PRODUCT(product_begun, 0, 64, 32, NEW, "%32", "%33", 0)
PRODUCT(product_more, 1, 64, 32, F, "%32", "%33", 0)
PRODUCT(product_begun, 0, 128, 64, NEW, "%64", "%65", 0)
PRODUCT(product_more, 1, 128, 64, F, "%64", "%65", 0)
PRODUCT(product_across_begun, 0, 64, 32, NEW, "%32", "%33", 1)
PRODUCT(product_across_more, 1, 64, 32, F, "%32", "%33", 1)
#undef PRODUCT

// sum += a b over 16 rows of b, a in registers as mma has it.
__device__ __forceinline__ void product_rows(float (&sum)[32], const uint32_t (&a)[4], uint64_t b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {" R32
               "}, {%32, %33, %34, %35}, %36, 1, 1, 1, 1;\n"
               : F32(0)
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

__device__ __forceinline__ void product_rows(float (&sum)[64], const uint32_t (&a)[4], uint64_t b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {" R64
               "}, {%64, %65, %66, %67}, %68, 1, 1, 1, 1;\n"
               : F64(0)
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

#undef NEW64
#undef NEW32
#undef NEW8
#undef F64
#undef F32
#undef F8
#undef R64
#undef R32
#undef R8

// ---- Tiles of a matrix of each head: x counts elements of a row ----------------------------------------------------

__device__ __forceinline__ void load_tile(uint32_t to, const CUtensorMap *map, int x, int row, int head,
                                          uint64_t *barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], "
      "[%5];\n" ::"r"(to),
      "l"(map), "r"(x), "r"(row), "r"(head), "r"(bulk::shared_address(barrier))
      : "memory");
}

__device__ __forceinline__ void store_tile(const CUtensorMap *map, int x, int row, int head, uint32_t from) {
  asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%1, %2, %3}], [%4];\n" ::"l"(map),
               "r"(x), "r"(row), "r"(head), "r"(from)
               : "memory");
}

__device__ __forceinline__ void arrive(uint64_t *barrier) {
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];\n" ::"r"(bulk::shared_address(barrier)) : "memory");
}

}  // namespace attention
#endif
