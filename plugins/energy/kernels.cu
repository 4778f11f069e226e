// The kernels whose energy is measured on a GPU. Matrix products are missing here, because cuBLASLt computes them
// (lt.c). Independent of the plugin ABI.
#include "kernels.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

namespace {

constexpr int kThreads = 256;
constexpr int kVectors =
    ENERGY_SEGMENT / 4 / kThreads;  // 16-byte accesses of a thread: its part of the block's segment
constexpr int kBatch = 8;           // accesses in flight

__global__ void __launch_bounds__(kThreads) copy_kernel(const float4 *__restrict__ x, float4 *__restrict__ y) {
  const int64_t start = int64_t(blockIdx.x) * (ENERGY_SEGMENT / 4) + threadIdx.x;
#pragma unroll
  for (int k = 0; k < kVectors; k += kBatch) {
    float4 v[kBatch];
#pragma unroll
    for (int i = 0; i < kBatch; i++)
      v[i] = x[start + (k + i) * kThreads];
#pragma unroll
    for (int i = 0; i < kBatch; i++)
      y[start + (k + i) * kThreads] = v[i];
  }
}

// ---- small ---------------------------------------------------------------------------------------------------------

__global__ void __launch_bounds__(ENERGY_RING) step_kernel(float *to, const float *from) {
  const int i = static_cast<int>(threadIdx.x);
  to[i] = 0.5f * (from[i] + from[(i + 1) % ENERGY_RING]);
}

__global__ void __launch_bounds__(ENERGY_RING) steps_kernel(float *y, const float *x, int steps) {
  __shared__ float ring[2][ENERGY_RING];
  const int i = static_cast<int>(threadIdx.x), next = (i + 1) % ENERGY_RING;
  ring[0][i] = x[i];
  __syncthreads();
  for (int s = 0; s < steps; s++) {
    ring[(s + 1) % 2][i] = 0.5f * (ring[s % 2][i] + ring[s % 2][next]);
    __syncthreads();  // all threads have read the half that is written next
  }
  y[i] = ring[steps % 2][i];
}

// ---- job: a block asks for so much shared memory that a multiprocessor has room for one block -----------------------

constexpr int kJobThreads = 1024;
constexpr int kJobBatch = 4;  // vectors in flight per thread

__device__ __forceinline__ float4 smooth(const float *x, int64_t i, int64_t count) {
  const float4 v = *reinterpret_cast<const float4 *>(x + i);
  const float left = x[i == 0 ? 0 : i - 1], right = x[i + 4 == count ? i + 3 : i + 4];
  return make_float4(0.5f * v.x + 0.25f * (left + v.y), 0.5f * v.y + 0.25f * (v.x + v.z),
                     0.5f * v.z + 0.25f * (v.y + v.w), 0.5f * v.w + 0.25f * (v.z + right));
}

__global__ void __launch_bounds__(kJobThreads)
    job_kernel(const float *__restrict__ x, float *__restrict__ y, int64_t count) {
  // floats that a block computes at a time; a divisor of ENERGY_SEGMENT
  const int64_t part = int64_t(kJobThreads) * kJobBatch * 4;
  for (int64_t first = blockIdx.x * part; first < count; first += gridDim.x * part) {
    float4 v[kJobBatch];
#pragma unroll
    for (int k = 0; k < kJobBatch; k++)
      v[k] = smooth(x, first + (k * kJobThreads + int64_t(threadIdx.x)) * 4, count);
#pragma unroll
    for (int k = 0; k < kJobBatch; k++)
      *reinterpret_cast<float4 *>(y + first + (k * kJobThreads + int64_t(threadIdx.x)) * 4) = v[k];
  }
}
static_assert(ENERGY_SEGMENT % (kJobThreads * kJobBatch * 4) == 0, "a block's part divides a segment");

// ---- burst and idle ------------------------------------------------------------------------------------------------

constexpr int kBurstBlocks = 4;  // per multiprocessor

__device__ __forceinline__ uint64_t globaltimer() {
  uint64_t ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
  return ns;
}

__device__ __forceinline__ float towards(float v, float half) {
#pragma unroll 64
  for (int s = 0; s < 64; s++)
    v = fmaf(0.5f, v, half);
  return v;
}

// Keeps the GPU busy for `ns` nanoseconds. Each step moves a value half of the remaining way towards x. After 64 steps
// it equals x, and further steps change nothing.
__global__ void __launch_bounds__(kThreads) burst_kernel(const float *x, float *y, uint64_t ns) {
  const uint64_t start = globaltimer();
  for (unsigned i = blockIdx.x * kThreads + threadIdx.x; i < ENERGY_LANES; i += gridDim.x * kThreads)
    y[i] = towards(0.0f, 0.5f * x[i]);
  const unsigned mine = (blockIdx.x * kThreads + threadIdx.x) % ENERGY_LANES;
  const float half = 0.5f * x[mine];
  float v[4] = {0.0f, 1.0f, 2.0f, 3.0f};
  while (globaltimer() - start < ns)
#pragma unroll
    for (int i = 0; i < 4; i++)
      v[i] = towards(v[i], half);
  // never true, because x is above 0; keeps the compiler from dropping the loop
  if (v[0] + v[1] + v[2] + v[3] < -1e30f) y[mine] = v[0];
}

__global__ void mark_kernel(int32_t *y) {
  *y = 1;
}

// ---- narrow --------------------------------------------------------------------------------------------------------

template <typename T>
__global__ void __launch_bounds__(kThreads) narrow_kernel(T *to, const float *from, int64_t count) {
  for (int64_t i = blockIdx.x * int64_t(kThreads) + threadIdx.x; i < count; i += gridDim.x * int64_t(kThreads))
    to[i] = T(from[i]);
}

template <typename T>
int narrow(void *to, const float *from, int64_t count, cudaStream_t stream) {
  narrow_kernel<T><<<4096, kThreads, 0, stream>>>(static_cast<T *>(to), from, count);
  return cudaGetLastError();
}

}  // namespace

int energy_cuda_copy(const struct energy_call *call) {
  copy_kernel<<<unsigned(call->size), kThreads, 0, call->stream>>>(static_cast<const float4 *>(call->x),
                                                                   static_cast<float4 *>(call->y));
  return cudaGetLastError();
}

int energy_cuda_copy_memcpy(const struct energy_call *call) {
  const size_t bytes = size_t(call->size) * ENERGY_SEGMENT * sizeof(float);
  return cudaMemcpyAsync(call->y, call->x, bytes, cudaMemcpyDeviceToDevice, call->stream);
}

int energy_cuda_small_launches(const struct energy_call *call) {
  float *ring = static_cast<float *>(call->work), *y = static_cast<float *>(call->y);
  const float *from = static_cast<const float *>(call->x);
  for (int64_t s = 0; s < call->steps; s++) {
    float *to = s + 1 == call->steps ? y : ring + s % 2 * ENERGY_RING;
    step_kernel<<<1, ENERGY_RING, 0, call->stream>>>(to, from);
    from = to;
  }
  return cudaGetLastError();
}

int energy_cuda_small_kernel(const struct energy_call *call) {
  steps_kernel<<<1, ENERGY_RING, 0, call->stream>>>(static_cast<float *>(call->y), static_cast<const float *>(call->x),
                                                    static_cast<int>(call->steps));
  return cudaGetLastError();
}

int energy_cuda_job_prepare(const struct energy_call *call) {
  return cudaFuncSetAttribute(job_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(call->shared));
}

int energy_cuda_job(const struct energy_call *call) {
  job_kernel<<<unsigned(call->units), kJobThreads, size_t(call->shared), call->stream>>>(
      static_cast<const float *>(call->x), static_cast<float *>(call->y), call->size * ENERGY_SEGMENT);
  return cudaGetLastError();
}

int energy_cuda_burst(const struct energy_call *call) {
  energy_wait(call->period, call->phase);
  burst_kernel<<<unsigned(call->units * kBurstBlocks), kThreads, 0, call->stream>>>(
      static_cast<const float *>(call->x), static_cast<float *>(call->y), uint64_t(call->ns));
  const cudaError_t code = cudaGetLastError();
  return code == cudaSuccess ? cudaStreamSynchronize(call->stream) : code;
}

int energy_cuda_idle(const struct energy_call *call) {
  mark_kernel<<<1, 1, 0, call->stream>>>(static_cast<int32_t *>(call->y));
  cudaError_t code = cudaGetLastError();
  if (code == cudaSuccess) code = cudaStreamSynchronize(call->stream);
  energy_sleep(call->ns);
  return code;
}

int energy_cuda_narrow(void *to, const float *from, int64_t count, int precision, struct CUstream_st *stream) {
  switch (precision) {
    case ENERGY_FP16:
      return narrow<__half>(to, from, count, stream);
    case ENERGY_BF16:
      return narrow<__nv_bfloat16>(to, from, count, stream);
    default:
      return narrow<__nv_fp8_e4m3>(to, from, count, stream);
  }
}

const char *energy_cuda_error(int code) {
  return cudaGetErrorString(static_cast<cudaError_t>(code));
}
