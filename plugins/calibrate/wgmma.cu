// The kernel that measures the sustained multiply-add rate of bf16 with wgmma. Compiled for compute capability 9.0
// only, regardless of the plugin's other architectures. Independent of the plugin ABI.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include "kernels.h"

namespace {

constexpr int kM = CALIBRATE_TILE_M, kN = CALIBRATE_TILE_N, kK = CALIBRATE_TILE_K;
constexpr int kSteps = kK / 16;   // instructions along K
constexpr int kGroups = kM / 64;  // warpgroups, 64 rows each
constexpr int kUnroll = 4;        // repeats between two waits

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

__device__ __forceinline__ void store_pair(__nv_bfloat16 *p, float low, float high) {
  *reinterpret_cast<__nv_bfloat162 *>(p) = __floats2bfloat162_rn(low, high);
}

// Copies rows of 128 bytes to shared memory in the layout of the 128-byte swizzle: the 16-byte chunk c of row r goes to
// chunk c ^ (r % 8).
__device__ __forceinline__ void load_swizzled(uint4 *to, const __nv_bfloat16 *from, int rows) {
  const uint4 *in = reinterpret_cast<const uint4 *>(from);
  for (int i = threadIdx.x; i < rows * 8; i += kGroups * 128)
    to[i / 8 * 8 + ((i % 8) ^ (i / 8 % 8))] = in[i];
}

// Returns the descriptor of a matrix in shared memory: K-major, 128-byte swizzle, 1024 bytes between groups of eight
// rows.
__device__ __forceinline__ uint64_t descriptor(const void *p) {
  const uint64_t address = __cvta_generic_to_shared(p);
  return (address & 0x3ffff) >> 4 | uint64_t(1) << 16 | uint64_t(1024 >> 4) << 32 | uint64_t(1) << 62;
}

#define F4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define F16(i) F4(i), F4(i + 4), F4(i + 8), F4(i + 12)
#define F64(i) F16(i), F16(i + 16), F16(i + 32), F16(i + 48)

__device__ __forceinline__ void wgmma_64x256x16(float (&d)[128], uint64_t a, uint64_t b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
      "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
      "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
      "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
      "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
      "%128, %129, 1, 1, 1, 0, 0;"
      : F64(0), F64(64)
      : "l"(a), "l"(b));
}

#undef F4
#undef F16
#undef F64

// Makes one pass over K. Each instruction takes 16 columns of bf16, which are 32 bytes; the descriptor's address grows
// by 2, because it counts units of 16 bytes.
__device__ __forceinline__ void wgmma_repeat(float (&d)[128], uint64_t a, uint64_t b) {
#pragma unroll
  for (int k = 0; k < kSteps; k++)
    wgmma_64x256x16(d, a + k * 2, b + k * 2);
}

__device__ __forceinline__ void wgmma_begin() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ __forceinline__ void wgmma_end() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

#endif

// Multiplies a tile `repeats` times. Two warpgroups share b, so that one computes while the other waits for its wgmma
// instructions to complete.
__global__ void __launch_bounds__(kGroups * 128, 1)
    wgmma_kernel(const __nv_bfloat16 *__restrict__ a, const __nv_bfloat16 *__restrict__ b,
                 __nv_bfloat16 *__restrict__ d, int repeats) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  __shared__ __align__(1024) uint4 tile[(kM + kN) * 8];
  const int group = threadIdx.x / 128;
  const int warp = threadIdx.x / 32 % 4;
  load_swizzled(tile, a + int64_t(blockIdx.x) * kM * kK, kM);
  load_swizzled(tile + kM * 8, b, kN);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();

  const uint64_t da = descriptor(tile + group * 64 * 8);
  const uint64_t db = descriptor(tile + kM * 8);
  float sum[128] = {};
  int s = 0;
  for (; s + kUnroll <= repeats; s += kUnroll) {
    wgmma_begin();
#pragma unroll
    for (int u = 0; u < kUnroll; u++)
      wgmma_repeat(sum, da, db);
    wgmma_end();
  }
  for (; s < repeats; s++) {
    wgmma_begin();
    wgmma_repeat(sum, da, db);
    wgmma_end();
  }

  const int row = group * 64 + warp * 16 + threadIdx.x % 32 / 4;
  __nv_bfloat16 *out = d + (int64_t(blockIdx.x) * kM + row) * kN + threadIdx.x % 4 * 2;
#pragma unroll
  for (int j = 0; j < kN / 8; j++) {
    store_pair(out + j * 8, sum[j * 4], sum[j * 4 + 1]);
    store_pair(out + 8 * kN + j * 8, sum[j * 4 + 2], sum[j * 4 + 3]);
  }
#endif
}

}  // namespace

int calibrate_cuda_wgmma(const struct calibrate_call *call) {
  wgmma_kernel<<<unsigned(call->size), kGroups * 128, 0, call->stream>>>(
      static_cast<const __nv_bfloat16 *>(call->a), static_cast<const __nv_bfloat16 *>(call->b),
      static_cast<__nv_bfloat16 *>(call->y), int(call->steps));
  return cudaGetLastError();
}
