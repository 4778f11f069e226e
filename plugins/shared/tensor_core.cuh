// The basics of every tensor core kernel: asynchronous copies into shared memory, loads of 8x8 matrices from it, and
// the matrix product. Everything is inlined; it needs compute capability 8.0.
#ifndef PLUGINS_TENSOR_CORE_CUH
#define PLUGINS_TENSOR_CORE_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <stdint.h>

namespace tensor_core {

__device__ __forceinline__ uint32_t shared_address(const void *p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

// Copies 16 bytes from global to shared memory; if `valid` is false it writes zeros and reads nothing.
__device__ __forceinline__ void copy16(uint32_t to, const void *from, bool valid) {
  const int bytes = valid ? 16 : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n" ::"r"(to), "l"(from), "r"(bytes) : "memory");
}

// Copies 16 bytes from global to shared memory, like the other copy16(), but with an L2 eviction policy of l2.cuh.
__device__ __forceinline__ void copy16(uint32_t to, const void *from, bool valid, uint64_t policy) {
  const int bytes = valid ? 16 : 0;
  asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2, %3;\n" ::"r"(to), "l"(from), "r"(bytes),
               "l"(policy)
               : "memory");
}

__device__ __forceinline__ void copy_commit() {
  asm volatile("cp.async.commit_group;\n" ::: "memory");
}

template <int PENDING>
__device__ __forceinline__ void copy_wait() {
  asm volatile("cp.async.wait_group %0;\n" ::"n"(PENDING) : "memory");
}

__device__ __forceinline__ void load_matrices(uint32_t (&r)[4], uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address)
               : "memory");
}

// Computes c[16x8] += a * b over 32 bytes of depth, which are 32 elements of one byte, 16 of two or 8 of four. Thread
// (g = lane / 4, t = lane % 4) holds columns 2t and 2t + 1 of rows g and g + 8 of c. A matrix of 8 rows by 16 bytes
// gives each thread 4 bytes of a row: two 16-bit elements, one fp32 or four e4m3. load_matrices() therefore serves all
// types.
template <typename T>
__device__ __forceinline__ void mma(float *c, const uint32_t *a, uint32_t b0, uint32_t b1);

#define TENSOR_CORE_MMA(type, shape)                                                                   \
  template <>                                                                                          \
  __device__ __forceinline__ void mma<type>(float *c, const uint32_t *a, uint32_t b0, uint32_t b1) {   \
    asm("mma.sync.aligned." shape " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n" \
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                                               \
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));                               \
  }

TENSOR_CORE_MMA(__nv_bfloat16, "m16n8k16.row.col.f32.bf16.bf16.f32")
TENSOR_CORE_MMA(__half, "m16n8k16.row.col.f32.f16.f16.f32")
TENSOR_CORE_MMA(float, "m16n8k8.row.col.f32.tf32.tf32.f32")  // fp32 as tf32: the low 13 bits of operands are ignored
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
TENSOR_CORE_MMA(__nv_fp8_e4m3, "m16n8k32.row.col.f32.e4m3.e4m3.f32")
#endif
#undef TENSOR_CORE_MMA

}  // namespace tensor_core
#endif
