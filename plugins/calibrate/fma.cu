// The kernels that measure sustained multiply-add rates: fp32 on the ordinary pipe, bf16 on the tensor cores with
// mma.sync. Independent of the plugin ABI.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include "../shared/tensor_core.cuh"
#include "kernels.h"

namespace {

// ---- fp32 ----------------------------------------------------------------------------------------------------------

constexpr int kThreads = 256;

// Computes x = a * x + b `steps` times in 16 independent chains, one lane per thread. So many chains hide the latency
// of an instruction (four cycles) several times over. All chains share a and b, so that each instruction reads only one
// register that the preceding one did not read.
__global__ void __launch_bounds__(kThreads)
    ffma_kernel(const float *__restrict__ a, const float *__restrict__ b, const float *__restrict__ x,
                float *__restrict__ y, int64_t lanes, int steps) {
  const int64_t lane = int64_t(blockIdx.x) * kThreads + threadIdx.x;
  const float factor = a[lane];
  const float addend = b[lane];
  float chain[CALIBRATE_CHAINS];
#pragma unroll
  for (int i = 0; i < CALIBRATE_CHAINS; i++)
    chain[i] = x[i * lanes + lane];
#pragma unroll 16
  for (int s = 0; s < steps; s++) {
#pragma unroll
    for (int i = 0; i < CALIBRATE_CHAINS; i++)
      chain[i] = fmaf(factor, chain[i], addend);
  }
#pragma unroll
  for (int i = 0; i < CALIBRATE_CHAINS; i++)
    y[i * lanes + lane] = chain[i];
}

// ---- bf16 with mma.sync --------------------------------------------------------------------------------------------

constexpr int kM = CALIBRATE_TILE_M, kN = CALIBRATE_TILE_N, kK = CALIBRATE_TILE_K;
constexpr int kSteps = kK / 16;  // instructions along K
constexpr int kPart = 32;        // a warp computes parts of 32 x 32
constexpr int kWarps = 8;

__device__ __forceinline__ unsigned pair_at(const __nv_bfloat16 *p) {
  return *reinterpret_cast<const unsigned *>(p);
}

__device__ __forceinline__ void store_pair(__nv_bfloat16 *p, float low, float high) {
  *reinterpret_cast<__nv_bfloat162 *>(p) = __floats2bfloat162_rn(low, high);
}

// Computes 32 x 32 elements of d with one warp. The operands stay in registers for all repeats. A repeat is 32
// instructions, for 2 x 4 sums that do not depend on each other.
__device__ void mma_part(const __nv_bfloat16 *a, const __nv_bfloat16 *b, __nv_bfloat16 *d, int repeats) {
  const int row = threadIdx.x % 32 / 4;
  const int column = threadIdx.x % 4 * 2;
  unsigned fa[2][kSteps][4], fb[4][kSteps][2];
  float sum[2][4][4] = {};
#pragma unroll
  for (int k = 0; k < kSteps; k++) {
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
      for (int r = 0; r < 4; r++)
        fa[i][k][r] = pair_at(a + (i * 16 + r % 2 * 8 + row) * kK + k * 16 + r / 2 * 8 + column);
#pragma unroll
    for (int j = 0; j < 4; j++)
#pragma unroll
      for (int r = 0; r < 2; r++)
        fb[j][k][r] = pair_at(b + (j * 8 + row) * kK + k * 16 + r * 8 + column);
  }
#if __CUDA_ARCH__ >= 800
  for (int s = 0; s < repeats; s++) {
#pragma unroll
    for (int k = 0; k < kSteps; k++)
#pragma unroll
      for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
          tensor_core::mma<__nv_bfloat16>(sum[i][j], fa[i][k], fb[j][k][0], fb[j][k][1]);
  }
#endif
#pragma unroll
  for (int i = 0; i < 2; i++)
#pragma unroll
    for (int j = 0; j < 4; j++) {
      __nv_bfloat16 *out = d + int64_t(i * 16 + row) * kN + j * 8 + column;
      store_pair(out, sum[i][j][0], sum[i][j][1]);
      store_pair(out + 8 * kN, sum[i][j][2], sum[i][j][3]);
    }
}

__global__ void __launch_bounds__(kWarps * 32, 2)
    mma_kernel(const __nv_bfloat16 *__restrict__ a, const __nv_bfloat16 *__restrict__ b, __nv_bfloat16 *__restrict__ d,
               int repeats) {
  const __nv_bfloat16 *tile_a = a + int64_t(blockIdx.x) * kM * kK;
  __nv_bfloat16 *tile_d = d + int64_t(blockIdx.x) * kM * kN;
  for (int part = threadIdx.x / 32; part < (kM / kPart) * (kN / kPart); part += kWarps) {
    const int m = part / (kN / kPart) * kPart;
    const int n = part % (kN / kPart) * kPart;
    mma_part(tile_a + m * kK, b + n * kK, tile_d + m * kN + n, repeats);
  }
}

}  // namespace

int calibrate_cuda_ffma(const struct calibrate_call *call) {
  ffma_kernel<<<unsigned(call->size / kThreads), kThreads, 0, call->stream>>>(
      static_cast<const float *>(call->a), static_cast<const float *>(call->b), static_cast<const float *>(call->x),
      static_cast<float *>(call->y), call->size, int(call->steps));
  return cudaGetLastError();
}

int calibrate_cuda_mma(const struct calibrate_call *call) {
  mma_kernel<<<unsigned(call->size), kWarps * 32, 0, call->stream>>>(
      static_cast<const __nv_bfloat16 *>(call->a), static_cast<const __nv_bfloat16 *>(call->b),
      static_cast<__nv_bfloat16 *>(call->y), int(call->steps));
  return cudaGetLastError();
}
