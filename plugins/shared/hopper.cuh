// Instructions of compute capability 9.0: tile copies by tensor maps, barriers across a cluster, and warpgroup products
// (wgmma). Source: PTX ISA 9.0, sections 9.7.9.27 (tensor copies) and 9.7.15 (wgmma). Everything is inlined.
#ifndef PLUGINS_HOPPER_CUH
#define PLUGINS_HOPPER_CUH

#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

#include "bulk.cuh"

namespace hopper {

// ---- Clusters ------------------------------------------------------------------------------------------------------

__device__ __forceinline__ unsigned cluster_rank() {
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;\n" : "=r"(rank));
  return rank;
}

// Arrives at the barrier of CTA `rank` of the cluster that has the same shared address as `barrier`. The arrival does
// not publish earlier writes to the cluster: with .release.cluster it would be preceded by a memory barrier of hundreds
// of clocks.
__device__ __forceinline__ void arrive_at(uint64_t *barrier, unsigned rank) {
  asm volatile(
      "{\n"
      ".reg .b32 there;\n"
      "mapa.shared::cluster.u32 there, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [there];\n"
      "}\n" ::"r"(bulk::shared_address(barrier)),
      "r"(rank)
      : "memory");
}

// ---- Programmatic dependent launch: a kernel may begin before the preceding one ends --------------------------------

// Waits until the preceding kernel has ended and its writes are visible.
__device__ __forceinline__ void wait_for_kernel_before() {
  asm volatile("griddepcontrol.wait;\n" ::: "memory");
}

// Lets the next kernel begin once all CTAs of this kernel have called this function or ended.
__device__ __forceinline__ void let_next_kernel_begin() {
  asm volatile("griddepcontrol.launch_dependents;\n" ::: "memory");
}

// ---- Tiles by tensor maps: a tile begins at element x of row y ------------------------------------------------------

__device__ __forceinline__ void prefetch_map(const CUtensorMap *map) {
  asm volatile("prefetch.tensormap [%0];\n" ::"l"(map) : "memory");
}

__device__ __forceinline__ void load_tile(uint32_t to, const CUtensorMap *map, int x, int y, uint64_t *barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
      "[%4];\n" ::"r"(to),
      "l"(map), "r"(x), "r"(y), "r"(bulk::shared_address(barrier))
      : "memory");
}

// Copies a tile to shared address `to` in every CTA of the cluster whose bit in `mask` is set (multicast); in each of
// these CTAs the barrier at the address of `barrier` is signalled.
__device__ __forceinline__ void load_tile_to(uint16_t mask, uint32_t to, const CUtensorMap *map, int x, int y,
                                             uint64_t *barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
      "[%1, {%2, %3}], [%4], %5;\n" ::"r"(to),
      "l"(map), "r"(x), "r"(y), "r"(bulk::shared_address(barrier)), "h"(mask)
      : "memory");
}

__device__ __forceinline__ void store_tile(const CUtensorMap *map, int x, int y, uint32_t from) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];\n" ::"l"(map), "r"(x),
               "r"(y), "r"(from)
               : "memory");
}

// Makes ordinary writes to shared memory visible to a following bulk or tensor copy that reads them.
__device__ __forceinline__ void fence_for_copies() {
  asm volatile("fence.proxy.async.shared::cta;\n" ::: "memory");
}

__device__ __forceinline__ void store_matrices(uint32_t to, uint32_t r0, uint32_t r1, uint32_t r2, uint32_t r3) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};\n" ::"r"(to), "r"(r0), "r"(r1),
               "r"(r2), "r"(r3)
               : "memory");
}

// ---- Named barriers, for the threads of two warpgroups -------------------------------------------------------------

__device__ __forceinline__ void pair_wait(int barrier) {
  asm volatile("barrier.cta.sync %0, 256;\n" ::"r"(barrier) : "memory");
}

__device__ __forceinline__ void pair_arrive(int barrier) {
  asm volatile("barrier.cta.arrive %0, 256;\n" ::"r"(barrier) : "memory");
}

// ---- Products of a warpgroup ---------------------------------------------------------------------------------------

template <int kRegisters>
__device__ __forceinline__ void more_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;\n" ::"n"(kRegisters));
}

template <int kRegisters>
__device__ __forceinline__ void fewer_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;\n" ::"n"(kRegisters));
}

// Describes a K-major matrix in shared memory: 128-byte rows with the 128-byte swizzle, 1024 bytes from one group of
// eight rows to the next. Adding 2 to the descriptor moves it by 32 bytes along K, the depth of one wgmma, because its
// address field counts units of 16 bytes.
__device__ __forceinline__ uint64_t descriptor(uint32_t address) {
  return uint64_t((address & 0x3ffff) >> 4) | uint64_t(1) << 16 | uint64_t(1024 >> 4) << 32 | uint64_t(1) << 62;
}

__device__ __forceinline__ void products_begin() {
  asm volatile("wgmma.fence.sync.aligned;\n" ::: "memory");
}

__device__ __forceinline__ void products_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;\n" ::: "memory");
}

template <int kPending>
__device__ __forceinline__ void products_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;\n" ::"n"(kPending) : "memory");
}

// Makes the compiler treat the sums as written here. Call it after products_wait(), because wgmma is asynchronous and
// the compiler does not know that the sums are written until then.
template <int N>
__device__ __forceinline__ void settle(float (&sum)[N]) {
#pragma unroll
  for (int i = 0; i < N; ++i)
    asm volatile("" : "+f"(sum[i])::"memory");
}

// Tags for operand types that the included headers do not define: tf32 (fp32 whose low 13 bits are ignored) and e4m3
// (fp8).
struct tf32;
struct e4m3;

// Computes sum += a b^T, or sum = a b^T if `add` is 0, over 32 bytes of depth, for 64 rows by N columns. Thread (g =
// lane / 4, t = lane % 4) of warp w holds, for each group j of eight columns, columns 8 j + 2 t and 8 j + 2 t + 1 of
// row 16 w + g, then the same columns of row 16 w + g + 8.
template <typename T, int N>
__device__ __forceinline__ void product(float (&sum)[N / 2], uint64_t a, uint64_t b, int add);

#define R8(a, b, c, d, e, f, g, h) "%" #a ", %" #b ", %" #c ", %" #d ", %" #e ", %" #f ", %" #g ", %" #h
#define R08 R8(0, 1, 2, 3, 4, 5, 6, 7)
#define R16 R08 ", " R8(8, 9, 10, 11, 12, 13, 14, 15)
#define R32                  \
  R8(0, 1, 2, 3, 4, 5, 6, 7) \
  ", " R8(8, 9, 10, 11, 12, 13, 14, 15) ", " R8(16, 17, 18, 19, 20, 21, 22, 23) ", " R8(24, 25, 26, 27, 28, 29, 30, 31)
#define R40 R32 ", " R8(32, 33, 34, 35, 36, 37, 38, 39)
#define R48 R40 ", " R8(40, 41, 42, 43, 44, 45, 46, 47)
#define R56 R48 ", " R8(48, 49, 50, 51, 52, 53, 54, 55)
#define R64 R56 ", " R8(56, 57, 58, 59, 60, 61, 62, 63)
#define R72 R64 ", " R8(64, 65, 66, 67, 68, 69, 70, 71)
#define R80 R72 ", " R8(72, 73, 74, 75, 76, 77, 78, 79)
#define R88 R80 ", " R8(80, 81, 82, 83, 84, 85, 86, 87)
#define R96 R88 ", " R8(88, 89, 90, 91, 92, 93, 94, 95)
#define R104 R96 ", " R8(96, 97, 98, 99, 100, 101, 102, 103)
#define R128                                                                                                    \
  R104 ", " R8(104, 105, 106, 107, 108, 109, 110, 111) ", " R8(112, 113, 114, 115, 116, 117, 118, 119) ", " R8( \
      120, 121, 122, 123, 124, 125, 126, 127)
#define F8(i)                                                                                             \
  "+f"(sum[i]), "+f"(sum[i + 1]), "+f"(sum[i + 2]), "+f"(sum[i + 3]), "+f"(sum[i + 4]), "+f"(sum[i + 5]), \
      "+f"(sum[i + 6]), "+f"(sum[i + 7])
#define F08(i) F8(i)
#define F16(i) F8(i), F8(i + 8)
#define F32(i) F8(i), F8(i + 8), F8(i + 16), F8(i + 24)
#define F40(i) F32(i), F8(i + 32)
#define F48(i) F32(i), F16(i + 32)
#define F56(i) F48(i), F8(i + 48)
#define F64(i) F32(i), F32(i + 32)
#define F72(i) F64(i), F8(i + 64)
#define F80(i) F64(i), F16(i + 64)
#define F88(i) F80(i), F8(i + 80)
#define F96(i) F64(i), F32(i + 64)
#define F104(i) F96(i), F8(i + 96)
#define F128(i) F64(i), F64(i + 64)

#define PRODUCT(type, name, depth, layout, columns, registers, a_at, b_at, add_at)                                    \
  template <>                                                                                                         \
  __device__ __forceinline__ void product<type, columns>(float(&sum)[columns / 2], uint64_t a, uint64_t b, int add) { \
    asm volatile("{\n.reg .pred more;\nsetp.ne.b32 more, " add_at                                                     \
                 ", 0;\n"                                                                                             \
                 "wgmma.mma_async.sync.aligned.m64n" #columns "k" #depth ".f32." name "." name " {" R##registers      \
                 "}, " a_at ", " b_at ", more, 1, 1" layout ";\n}\n"                                                  \
                 : F##registers(0)                                                                                    \
                 : "l"(a), "l"(b), "r"(add));                                                                         \
  }
#define PRODUCTS(type, name, depth, layout)                            \
  PRODUCT(type, name, depth, layout, 16, 08, "%8", "%9", "%10")        \
  PRODUCT(type, name, depth, layout, 32, 16, "%16", "%17", "%18")      \
  PRODUCT(type, name, depth, layout, 64, 32, "%32", "%33", "%34")      \
  PRODUCT(type, name, depth, layout, 80, 40, "%40", "%41", "%42")      \
  PRODUCT(type, name, depth, layout, 96, 48, "%48", "%49", "%50")      \
  PRODUCT(type, name, depth, layout, 112, 56, "%56", "%57", "%58")     \
  PRODUCT(type, name, depth, layout, 128, 64, "%64", "%65", "%66")     \
  PRODUCT(type, name, depth, layout, 144, 72, "%72", "%73", "%74")     \
  PRODUCT(type, name, depth, layout, 160, 80, "%80", "%81", "%82")     \
  PRODUCT(type, name, depth, layout, 176, 88, "%88", "%89", "%90")     \
  PRODUCT(type, name, depth, layout, 192, 96, "%96", "%97", "%98")     \
  PRODUCT(type, name, depth, layout, 208, 104, "%104", "%105", "%106") \
  PRODUCT(type, name, depth, layout, 256, 128, "%128", "%129", "%130")

PRODUCTS(__nv_bfloat16, "bf16", 16, ", 0, 0")
PRODUCTS(__half, "f16", 16, ", 0, 0")
PRODUCTS(tf32, "tf32", 8, "")  // tf32 and e4m3 operands are always K-major
PRODUCTS(e4m3, "e4m3", 32, "")

#undef PRODUCTS
#undef PRODUCT
#undef F128
#undef F104
#undef F96
#undef F88
#undef F80
#undef F72
#undef F64
#undef F56
#undef F48
#undef F40
#undef F32
#undef F16
#undef F08
#undef F8
#undef R128
#undef R104
#undef R96
#undef R88
#undef R80
#undef R72
#undef R64
#undef R56
#undef R48
#undef R40
#undef R32
#undef R16
#undef R08
#undef R8

}  // namespace hopper
#endif
