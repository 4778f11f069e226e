// Row softmax for CUDA that reads x from global memory three times (variant "naive") or twice (variant "online"). This
// file does not use the plugin interface.
#include "kernels.h"

#include "device.cuh"

namespace softmax {
namespace {

// ---- Variant "naive": one pass for each of maximum, sum and result --------------------------------------------------

template <typename T>
__global__ void naive(const T *__restrict__ x, T *__restrict__ y, int n) {
  __shared__ float maxima[kMaxWarps], sums[kMaxWarps];
  const T *in = x + int64_t(blockIdx.x) * n;
  T *out = y + int64_t(blockIdx.x) * n;
  const int step = blockDim.x;

  float max = neg_inf();
#pragma unroll 8
  for (int i = threadIdx.x; i < n; i += step)
    max = fmaxf(max, to_float(in[i]));
  const float shift = shift_of(block_max(max, maxima));

  float sum = 0.0f;
#pragma unroll 8
  for (int i = threadIdx.x; i < n; i += step)
    sum += exp_fast(to_float(in[i]) - shift);
  const float scale = 1.0f / block_sum(sum, sums);

#pragma unroll 8
  for (int i = threadIdx.x; i < n; i += step)
    store(out + i, exp_fast(to_float(in[i]) - shift) * scale);
}

// ---- Variant "online": maximum and sum in one pass; the sum is rescaled when the maximum grows ----------------------

constexpr int kChunk = 8;  // elements per rescaling

template <typename T>
__device__ __forceinline__ Stat online_stat(const T *in, int n) {
  Stat s = {neg_inf(), 0.0f};
  const int step = blockDim.x;
  for (int i = threadIdx.x; i < n; i += kChunk * step) {
    float v[kChunk];
    float max = s.max;
#pragma unroll
    for (int u = 0; u < kChunk; u++)
      v[u] = n - i > u * step ? to_float(in[i + u * step]) : neg_inf();
#pragma unroll
    for (int u = 0; u < kChunk; u++)
      max = fmaxf(max, v[u]);
    const float shift = shift_of(max);
    float sum = s.sum * exp_fast(s.max - shift);
#pragma unroll
    for (int u = 0; u < kChunk; u++)
      sum += exp_fast(v[u] - shift);
    s = {max, sum};
  }
  return s;
}

template <typename T>
__global__ void online(const T *__restrict__ x, T *__restrict__ y, int n) {
  __shared__ Stat part[kMaxWarps];
  const T *in = x + int64_t(blockIdx.x) * n;
  T *out = y + int64_t(blockIdx.x) * n;
  const Stat s = block_merge(online_stat(in, n), part);
  const float shift = shift_of(s.max);
  const float scale = 1.0f / s.sum;
#pragma unroll 8
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    store(out + i, exp_fast(to_float(in[i]) - shift) * scale);
}

// ---- Variant "copy": 16 bytes for each thread; each element after the last 16 bytes has a thread of its own ---------

constexpr int kCopyThreads = 256;

template <typename T>
__global__ void copy(const T *__restrict__ x, T *__restrict__ y, int64_t count) {
  const int64_t packs = count / Pack<T>::kWidth, i = int64_t(blockIdx.x) * kCopyThreads + threadIdx.x;
  const int64_t element = packs * Pack<T>::kWidth + i - packs;
  if (i < packs)
    reinterpret_cast<uint4 *>(y)[i] = load_pack(reinterpret_cast<const uint4 *>(x) + i);
  else if (element < count)
    y[element] = x[element];
}

// ---- Launch --------------------------------------------------------------------------------------------------------

// Returns how many threads a block has for rows of n elements. For short rows it has fewer, so that a multiprocessor
// holds more blocks.
int threads_for(int64_t n) {
  return n <= 256 ? 64 : n <= 1024 ? 128 : n <= 8192 ? 256 : 1024;
}

template <typename T>
int launch_naive(const T *x, T *y, int64_t m, int64_t n, cudaStream_t stream) {
  naive<T><<<unsigned(m), threads_for(n), 0, stream>>>(x, y, int(n));
  return cudaGetLastError();
}

template <typename T>
int launch_online(const T *x, T *y, int64_t m, int64_t n, cudaStream_t stream) {
  online<T><<<unsigned(m), threads_for(n), 0, stream>>>(x, y, int(n));
  return cudaGetLastError();
}

template <typename T>
int launch_copy(const T *x, T *y, int64_t m, int64_t n, cudaStream_t stream) {
  const int64_t threads = m * n / Pack<T>::kWidth + m * n % Pack<T>::kWidth;
  copy<T><<<unsigned((threads + kCopyThreads - 1) / kCopyThreads), kCopyThreads, 0, stream>>>(x, y, m * n);
  return cudaGetLastError();
}

}  // namespace
}  // namespace softmax

const char *softmax_cuda_error(int code) {
  return cudaGetErrorString(cudaError_t(code));
}

int softmax_cuda_naive(const void *x, void *y, int64_t m, int64_t n, int dtype, struct CUstream_st *stream) {
  return SOFTMAX_DISPATCH(softmax::launch_naive);
}

int softmax_cuda_online(const void *x, void *y, int64_t m, int64_t n, int dtype, struct CUstream_st *stream) {
  return SOFTMAX_DISPATCH(softmax::launch_online);
}

int softmax_cuda_copy(const void *x, void *y, int64_t m, int64_t n, int dtype, struct CUstream_st *stream) {
  return SOFTMAX_DISPATCH(softmax::launch_copy);
}
