// The wgmma instructions that this folder uses, for bf16, and for fp16 or e4m3 if the function's name says so. Some
// read a matrix across its rows (MN-major), which is not possible with e4m3.
#ifndef ATTENTION_WGMMA_PRODUCTS_CUH
#define ATTENTION_WGMMA_PRODUCTS_CUH

#include <type_traits>

#include "../shared/hopper.cuh"

namespace attention {

using namespace hopper;

// Returns the descriptor of an MN-major matrix in shared memory: its rows follow each other along the depth of the
// product, in panels of 64 columns (128 bytes) with the 128-byte swizzle. Adding 128 to the descriptor moves it by 16
// rows. `panel` is the bytes from one panel to the next.
__device__ __forceinline__ uint64_t descriptor_across(uint32_t address, uint32_t panel) {
  return uint64_t((address & 0x3ffff) >> 4) | uint64_t(panel >> 4) << 16 | uint64_t(1024 >> 4) << 32 |
         uint64_t(1) << 62;
}

// Returns the descriptor of a K-major matrix, like descriptor() of hopper.cuh, with rows of ROW bytes (32, 64 or 128)
// and the swizzle of that width.
template <int ROW>
__device__ __forceinline__ uint64_t descriptor_rows(uint32_t address) {
  static_assert(ROW == 32 || ROW == 64 || ROW == 128, "widths that there are");
  return uint64_t((address & 0x3ffff) >> 4) | uint64_t(1) << 16 | uint64_t(8 * ROW >> 4) << 32 |
         uint64_t(ROW == 128  ? 1
                  : ROW == 64 ? 2
                              : 3)
             << 62;
}

#define R8(a, b, c, d, e, f, g, h) "%" #a ", %" #b ", %" #c ", %" #d ", %" #e ", %" #f ", %" #g ", %" #h
#define R32                  \
  R8(0, 1, 2, 3, 4, 5, 6, 7) \
  ", " R8(8, 9, 10, 11, 12, 13, 14, 15) ", " R8(16, 17, 18, 19, 20, 21, 22, 23) ", " R8(24, 25, 26, 27, 28, 29, 30, 31)
#define R40 R32 ", " R8(32, 33, 34, 35, 36, 37, 38, 39)
#define R48 R40 ", " R8(40, 41, 42, 43, 44, 45, 46, 47)
#define R64                                                                                                           \
  R40 ", " R8(40, 41, 42, 43, 44, 45, 46, 47) ", " R8(48, 49, 50, 51, 52, 53, 54, 55) ", " R8(56, 57, 58, 59, 60, 61, \
                                                                                              62, 63)
#define R96                                                                                    \
  R64 ", " R8(64, 65, 66, 67, 68, 69, 70, 71) ", " R8(72, 73, 74, 75, 76, 77, 78, 79) ", " R8( \
      80, 81, 82, 83, 84, 85, 86, 87) ", " R8(88, 89, 90, 91, 92, 93, 94, 95)
#define R128                                                                                                           \
  R64 ", " R8(64, 65, 66, 67, 68, 69, 70, 71) ", " R8(72, 73, 74, 75, 76, 77, 78, 79) ", " R8(                         \
      80, 81, 82, 83, 84, 85, 86, 87) ", " R8(88, 89, 90, 91, 92, 93, 94,                                              \
                                              95) ", " R8(96, 97, 98, 99, 100, 101, 102,                               \
                                                          103) ", " R8(104, 105, 106, 107, 108, 109, 110,              \
                                                                       111) ", " R8(112, 113, 114, 115, 116, 117, 118, \
                                                                                    119) ", " R8(120, 121, 122, 123,   \
                                                                                                 124, 125, 126, 127)
#define F8(i)                                                                                             \
  "+f"(sum[i]), "+f"(sum[i + 1]), "+f"(sum[i + 2]), "+f"(sum[i + 3]), "+f"(sum[i + 4]), "+f"(sum[i + 5]), \
      "+f"(sum[i + 6]), "+f"(sum[i + 7])
#define F32(i) F8(i), F8(i + 8), F8(i + 16), F8(i + 24)
#define F40(i) F32(i), F8(i + 32)
#define F48(i) F32(i), F8(i + 32), F8(i + 40)
#define F64(i) F32(i), F32(i + 32)
#define F96(i) F64(i), F32(i + 64)
#define F128(i) F64(i), F64(i + 64)
#define NEW8(i)                                                                                           \
  "=f"(sum[i]), "=f"(sum[i + 1]), "=f"(sum[i + 2]), "=f"(sum[i + 3]), "=f"(sum[i + 4]), "=f"(sum[i + 5]), \
      "=f"(sum[i + 6]), "=f"(sum[i + 7])
#define NEW32(i) NEW8(i), NEW8(i + 8), NEW8(i + 16), NEW8(i + 24)
#define NEW40(i) NEW32(i), NEW8(i + 32)
#define NEW48(i) NEW40(i), NEW8(i + 40)
#define NEW64(i) NEW32(i), NEW32(i + 32)
#define NEW96(i) NEW64(i), NEW32(i + 64)

// Defines the functions for bf16 and fp16, which multiply over a depth of 16: sum = a b^T or sum += a b^T; or, if
// `across` is 1, sum = a^T b or sum += a^T b. Overwriting has an asm statement of its own, with `sum` as output only,
// so that the compiler keeps no registers for earlier sums.
#define PRODUCT_OF(type, add, columns, registers, out, a_at, b_at, across)                             \
  asm volatile("wgmma.mma_async.sync.aligned.m64n" #columns "k16.f32." type "." type " {" R##registers \
               "}, " a_at ", " b_at ", " #add ", 1, 1, " #across ", " #across ";\n"                    \
               : out##registers(0)                                                                     \
               : "l"(a), "l"(b))
#define PRODUCT(name, add, columns, registers, out, a_at, b_at, across)                    \
  template <typename T = __nv_bfloat16>                                                    \
  __device__ __forceinline__ void name(float(&sum)[columns / 2], uint64_t a, uint64_t b) { \
    if constexpr (std::is_same_v<T, __half>)                                               \
      PRODUCT_OF("f16", add, columns, registers, out, a_at, b_at, across);                 \
    else                                                                                   \
      PRODUCT_OF("bf16", add, columns, registers, out, a_at, b_at, across);                \
  }
PRODUCT(product_begun, 0, 64, 32, NEW, "%32", "%33", 0)
PRODUCT(product_more, 1, 64, 32, F, "%32", "%33", 0)
PRODUCT(product_begun, 0, 80, 40, NEW, "%40", "%41", 0)
PRODUCT(product_more, 1, 80, 40, F, "%40", "%41", 0)
PRODUCT(product_begun, 0, 128, 64, NEW, "%64", "%65", 0)
PRODUCT(product_more, 1, 128, 64, F, "%64", "%65", 0)
PRODUCT(product_across_begun, 0, 64, 32, NEW, "%32", "%33", 1)
PRODUCT(product_across_more, 1, 64, 32, F, "%32", "%33", 1)
#undef PRODUCT
#undef PRODUCT_OF

// Defines the functions for e4m3, which compute sum = a b^T or sum += a b^T over a depth of 32.
#define PRODUCT(name, add, columns, registers, out, a_at, b_at)                                                        \
  __device__ __forceinline__ void name(float(&sum)[columns / 2], uint64_t a, uint64_t b) {                             \
    asm volatile("wgmma.mma_async.sync.aligned.m64n" #columns "k32.f32.e4m3.e4m3 {" R##registers "}, " a_at ", " b_at  \
                                                                                                 ", " #add ", 1, 1;\n" \
                 : out##registers(0)                                                                                   \
                 : "l"(a), "l"(b));                                                                                    \
  }
PRODUCT(product_begun_e4m3, 0, 96, 48, NEW, "%48", "%49")
PRODUCT(product_more_e4m3, 1, 96, 48, F, "%48", "%49")
PRODUCT(product_begun_e4m3, 0, 128, 64, NEW, "%64", "%65")
PRODUCT(product_more_e4m3, 1, 128, 64, F, "%64", "%65")
PRODUCT(product_begun_e4m3, 0, 192, 96, NEW, "%96", "%97")
PRODUCT(product_more_e4m3, 1, 192, 96, F, "%96", "%97")
#undef PRODUCT

// Defines the functions that compute sum += a b over a depth of 16, where `a` is in registers, in the layout of mma's
// operand A, and b is MN-major.
#define ROWS_OF(type, columns, registers, a_at, b_at)                                                  \
  asm volatile("wgmma.mma_async.sync.aligned.m64n" #columns "k16.f32." type "." type " {" R##registers \
               "}, {" a_at "}, " b_at ", 1, 1, 1, 1;\n"                                                \
               : F##registers(0)                                                                       \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b))
#define ROWS(columns, registers, a_at, b_at)                                                                  \
  template <typename T = __nv_bfloat16>                                                                       \
  __device__ __forceinline__ void product_rows(float(&sum)[columns / 2], const uint32_t(&a)[4], uint64_t b) { \
    if constexpr (std::is_same_v<T, __half>)                                                                  \
      ROWS_OF("f16", columns, registers, a_at, b_at);                                                         \
    else                                                                                                      \
      ROWS_OF("bf16", columns, registers, a_at, b_at);                                                        \
  }
ROWS(64, 32, "%32, %33, %34, %35", "%36")
ROWS(128, 64, "%64, %65, %66, %67", "%68")
ROWS(256, 128, "%128, %129, %130, %131", "%132")
#undef ROWS
#undef ROWS_OF

#define ROWS(columns, registers, a_at, b_at)                                                                       \
  __device__ __forceinline__ void product_rows_e4m3(float(&sum)[columns / 2], const uint32_t(&a)[4], uint64_t b) { \
    asm volatile("wgmma.mma_async.sync.aligned.m64n" #columns "k32.f32.e4m3.e4m3 {" R##registers                   \
                 "}, {" a_at "}, " b_at ", 1, 1, 1;\n"                                                             \
                 : F##registers(0)                                                                                 \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));                                            \
  }
ROWS(64, 32, "%32, %33, %34, %35", "%36")
ROWS(128, 64, "%64, %65, %66, %67", "%68")
ROWS(256, 128, "%128, %129, %130, %131", "%132")
#undef ROWS

#undef NEW96
#undef NEW64
#undef NEW48
#undef NEW40
#undef NEW32
#undef NEW8
#undef F128
#undef F96
#undef F64
#undef F48
#undef F40
#undef F32
#undef F8
#undef R128
#undef R96
#undef R64
#undef R48
#undef R40
#undef R32
#undef R8

// ---- Copying tiles of a tensor with a matrix for each head; x is the first element within a row --------------------

__device__ __forceinline__ void load_tile(uint32_t to, const CUtensorMap *map, int x, int row, int head,
                                          uint64_t *barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], "
      "[%5];\n" ::"r"(to),
      "l"(map), "r"(x), "r"(row), "r"(head), "r"(bulk::shared_address(barrier))
      : "memory");
}

// Copies `bytes` contiguous bytes, a multiple of 16, to shared memory.
__device__ __forceinline__ void load_bytes(uint32_t to, const void *from, uint32_t bytes, uint64_t *barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];\n" ::"r"(to),
               "l"(from), "r"(bytes), "r"(bulk::shared_address(barrier))
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
