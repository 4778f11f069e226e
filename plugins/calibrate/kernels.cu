// The CUDA kernels that measure launches, time and bandwidth: empty, spin, read, write, copy. Independent of the plugin
// ABI.
#include "kernels.h"

#include <cuda_runtime.h>

namespace {

constexpr int kThreads = 256;
constexpr int kVectors =
    CALIBRATE_SEGMENT / 4 / kThreads;  // 16-byte accesses of a thread: its part of the block's segment
constexpr int kBatch = 8;              // accesses in flight
constexpr unsigned kAll = 0xffffffffu;

// The parameters of the empty kernel: the pointer for the single store that shows that the kernel ran, and kMore bytes,
// because the size of parameters affects the cost of a launch.
template <unsigned kMore>
struct Parameters {
  int32_t *y;
  unsigned char more[kMore];
};

template <>
struct Parameters<0> {
  int32_t *y;
};

template <unsigned kMore>
__global__ void empty_kernel(Parameters<kMore> parameters) {
  if (blockIdx.x == 0 && threadIdx.x == 0) *parameters.y = 1;
}

template <unsigned kMore>
cudaError_t launch_empty(const calibrate_call *call) {
  Parameters<kMore> parameters = {};
  cudaLaunchConfig_t config = {};
  cudaLaunchAttribute cluster = {};
  parameters.y = static_cast<int32_t *>(call->y);
  config.gridDim = dim3(static_cast<unsigned>(call->size));
  config.blockDim = dim3(32);
  config.dynamicSmemBytes = static_cast<size_t>(call->launch.shared);
  config.stream = call->stream;
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = static_cast<unsigned>(call->launch.cluster);
  cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  config.attrs = &cluster;
  config.numAttrs = call->launch.cluster > 1;
  if (call->launch.shared > 48 * 1024) {
    cudaError_t code = cudaFuncSetAttribute(empty_kernel<kMore>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            static_cast<int>(call->launch.shared));
    if (code != cudaSuccess) return code;
  }
  return cudaLaunchKernelEx(&config, empty_kernel<kMore>, parameters);
}

__device__ __forceinline__ uint64_t globaltimer() {
  uint64_t ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
  return ns;
}

__global__ void spin_kernel(int32_t *y, uint64_t ns) {
  const uint64_t start = globaltimer();
  uint64_t spent = 0;
  while (spent < ns)
    spent = globaltimer() - start;
  if (threadIdx.x == 0) y[blockIdx.x] = int32_t(spent);
}

__device__ __forceinline__ float block_sum(float value) {
  __shared__ float part[kThreads / 32];
#pragma unroll
  for (int d = 16; d > 0; d /= 2)
    value += __shfl_xor_sync(kAll, value, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = value;
  __syncthreads();
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kThreads / 32; i++)
    sum += part[i];
  return sum;
}

template <int Batch>
__global__ void __launch_bounds__(kThreads) read_kernel(const float4 *__restrict__ x, float *__restrict__ y) {
  const float4 *in = x + int64_t(blockIdx.x) * (CALIBRATE_SEGMENT / 4) + threadIdx.x;
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < kVectors; k += Batch) {
    float4 v[Batch];
#pragma unroll
    for (int i = 0; i < Batch; i++)
      v[i] = in[(k + i) * kThreads];
#pragma unroll
    for (int i = 0; i < Batch; i++)
      sum += (v[i].x + v[i].y) + (v[i].z + v[i].w);
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) y[blockIdx.x] = sum;
}

__global__ void __launch_bounds__(kThreads) write_kernel(float4 *__restrict__ y) {
  float4 *out = y + int64_t(blockIdx.x) * (CALIBRATE_SEGMENT / 4) + threadIdx.x;
  const float4 value = make_float4(CALIBRATE_VALUE, CALIBRATE_VALUE, CALIBRATE_VALUE, CALIBRATE_VALUE);
#pragma unroll
  for (int k = 0; k < kVectors; k++)
    out[k * kThreads] = value;
}

template <int Batch>
__global__ void __launch_bounds__(kThreads) copy_kernel(const float4 *__restrict__ x, float4 *__restrict__ y) {
  const int64_t start = int64_t(blockIdx.x) * (CALIBRATE_SEGMENT / 4) + threadIdx.x;
#pragma unroll
  for (int k = 0; k < kVectors; k += Batch) {
    float4 v[Batch];
#pragma unroll
    for (int i = 0; i < Batch; i++)
      v[i] = x[start + (k + i) * kThreads];
#pragma unroll
    for (int i = 0; i < Batch; i++)
      y[start + (k + i) * kThreads] = v[i];
  }
}

size_t bytes_of(const struct calibrate_call *call) {
  return size_t(call->size) * CALIBRATE_SEGMENT * sizeof(float);
}

}  // namespace

int calibrate_cuda_empty(const calibrate_call *call) {
  return call->launch.parameters <= 8 ? launch_empty<0>(call) : launch_empty<4088>(call);
}

int calibrate_cuda_spin(const struct calibrate_call *call) {
  int32_t *y = static_cast<int32_t *>(call->y);
  spin_kernel<<<unsigned(call->size), 32, 0, call->stream>>>(y, uint64_t(call->steps));
  return cudaGetLastError();
}

int calibrate_cuda_read(const struct calibrate_call *call) {
  const float4 *x = static_cast<const float4 *>(call->x);
  read_kernel<kBatch><<<unsigned(call->size), kThreads, 0, call->stream>>>(x, static_cast<float *>(call->y));
  return cudaGetLastError();
}

int calibrate_cuda_write(const struct calibrate_call *call) {
  write_kernel<<<unsigned(call->size), kThreads, 0, call->stream>>>(static_cast<float4 *>(call->y));
  return cudaGetLastError();
}

int calibrate_cuda_write_memset(const struct calibrate_call *call) {
  return cudaMemsetAsync(call->y, CALIBRATE_BYTE, bytes_of(call), call->stream);
}

int calibrate_cuda_copy(const struct calibrate_call *call) {
  const float4 *x = static_cast<const float4 *>(call->x);
  copy_kernel<kBatch><<<unsigned(call->size), kThreads, 0, call->stream>>>(x, static_cast<float4 *>(call->y));
  return cudaGetLastError();
}

int calibrate_cuda_copy_memcpy(const struct calibrate_call *call) {
  return cudaMemcpyAsync(call->y, call->x, bytes_of(call), cudaMemcpyDeviceToDevice, call->stream);
}

const char *calibrate_cuda_error(int code) {
  return cudaGetErrorString(cudaError_t(code));
}
