// GPU kernels that preprocess images (see image.h), and the kernel that consumes the images at the end of the pipeline.
// This file does not use the plugin interface.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "preprocess.h"

namespace {

constexpr int kThreads = 256;
constexpr int kWarp = 32;

__device__ __forceinline__ void store(float *y, float value) {
  *y = value;
}
__device__ __forceinline__ void store(__half *y, float value) {
  *y = __float2half_rn(value);
}

// ---- Variant "fused": one thread per pixel of the window writes its three channels -------------------------------

template <typename T>
__global__ void __launch_bounds__(kThreads) fused(const preprocess p) {
  const int pixel = static_cast<int>(blockIdx.x) * kThreads + static_cast<int>(threadIdx.x);
  const int64_t image = blockIdx.y;
  const int plane = p.shape.crop * p.shape.crop;
  if (pixel >= plane) return;
  const int row = pixel / p.shape.crop, column = pixel % p.shape.crop;
  const image_window window = image_window_of(p.geometry + image * IMAGE_GEOMETRY, &p.shape);
  const uint8_t *x = p.x + image * image_bytes(&p.shape) + image_source(&p.shape, &window, row, column);
  T *y = static_cast<T *>(p.y) + image * image_outputs(&p.shape) + pixel;
#pragma unroll
  for (int channel = 0; channel < IMAGE_CHANNELS; channel++)
    store(y + channel * plane, static_cast<float>(x[channel]) * p.scale.scale[channel] + p.scale.bias[channel]);
}

// ---- Variant "separate": a kernel for each operation, with arrays in between, as in a framework ------------------

__global__ void __launch_bounds__(kThreads) cast(const uint8_t *x, float *y, int64_t count) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i < count) y[i] = static_cast<float>(x[i]);
}

// Cuts the window (the part that is used) out of each image, and mirrors it if that is asked for. Elements stay in the
// order height, width, channel.
__global__ void __launch_bounds__(kThreads) crop(const preprocess p, const float *x, float *y) {
  const int pixel = static_cast<int>(blockIdx.x) * kThreads + static_cast<int>(threadIdx.x);
  const int64_t image = blockIdx.y;
  if (pixel >= p.shape.crop * p.shape.crop) return;
  const image_window window = image_window_of(p.geometry + image * IMAGE_GEOMETRY, &p.shape);
  const int source = image_source(&p.shape, &window, pixel / p.shape.crop, pixel % p.shape.crop);
  const float *from = x + image * image_bytes(&p.shape) + source;
  float *to = y + image * image_outputs(&p.shape) + pixel * IMAGE_CHANNELS;
#pragma unroll
  for (int channel = 0; channel < IMAGE_CHANNELS; channel++)
    to[channel] = from[channel];
}

__global__ void __launch_bounds__(kThreads) normalise(const float *x, float *y, image_scale s, int64_t count) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  const int channel = static_cast<int>(i % IMAGE_CHANNELS);
  const float scale = channel == 0 ? s.scale[0] : channel == 1 ? s.scale[1] : s.scale[2];
  const float bias = channel == 0 ? s.bias[0] : channel == 1 ? s.bias[1] : s.bias[2];
  if (i < count) y[i] = x[i] * scale + bias;
}

template <typename T>
__global__ void __launch_bounds__(kThreads) transpose(const preprocess p, const float *x) {
  const int pixel = static_cast<int>(blockIdx.x) * kThreads + static_cast<int>(threadIdx.x);
  const int64_t image = blockIdx.y;
  const int plane = p.shape.crop * p.shape.crop;
  if (pixel >= plane) return;
  const float *from = x + image * image_outputs(&p.shape) + pixel * IMAGE_CHANNELS;
  T *y = static_cast<T *>(p.y) + image * image_outputs(&p.shape) + pixel;
#pragma unroll
  for (int channel = 0; channel < IMAGE_CHANNELS; channel++)
    store(y + channel * plane, from[channel]);
}

unsigned blocks_for(int64_t count) {
  return static_cast<unsigned>((count + kThreads - 1) / kThreads);
}

dim3 grid_for(const preprocess *p) {
  return dim3(blocks_for(static_cast<int64_t>(p->shape.crop) * p->shape.crop), static_cast<unsigned>(p->n));
}

// ---- The consumer: a block per image -------------------------------------------------------------------------------

__device__ float block_sum(float value) {
  __shared__ float part[kThreads / kWarp];
#pragma unroll
  for (int step = kWarp / 2; step > 0; step /= 2)
    value += __shfl_xor_sync(0xffffffffu, value, step);
  if (threadIdx.x % kWarp == 0) part[threadIdx.x / kWarp] = value;
  __syncthreads();
  float sum = 0.0f;
  for (int i = 0; i < kThreads / kWarp; i++)
    sum += part[i];
  return sum;
}

__global__ void __launch_bounds__(kThreads) consume(const float *y, int64_t outputs, int repeats, float *sums) {
  const float *image = y + blockIdx.x * outputs;
  float sum = 0.0f;
  for (int r = 0; r < repeats; r++)
    for (int64_t i = threadIdx.x; i < outputs; i += kThreads)
      sum += image[i] * image_weight(image_weight_index(i, r));
  sum = block_sum(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

}  // namespace

int64_t preprocess_cuda_work(const struct preprocess *p, int which) {
  return p->n * (which == 0 ? image_bytes(&p->shape) : image_outputs(&p->shape));
}

int preprocess_cuda_fused(const struct preprocess *p, struct CUstream_st *stream) {
  if (p->half)
    fused<__half><<<grid_for(p), kThreads, 0, stream>>>(*p);
  else
    fused<float><<<grid_for(p), kThreads, 0, stream>>>(*p);
  return cudaGetLastError();
}

int preprocess_cuda_separate(const struct preprocess *p, struct CUstream_st *stream) {
  const int64_t pixels = preprocess_cuda_work(p, 0), outputs = preprocess_cuda_work(p, 1);
  cast<<<blocks_for(pixels), kThreads, 0, stream>>>(p->x, p->work[0], pixels);
  int code = cudaGetLastError();
  if (code != cudaSuccess) return code;
  crop<<<grid_for(p), kThreads, 0, stream>>>(*p, p->work[0], p->work[1]);
  code = cudaGetLastError();
  if (code != cudaSuccess) return code;
  normalise<<<blocks_for(outputs), kThreads, 0, stream>>>(p->work[1], p->work[0], p->scale, outputs);
  code = cudaGetLastError();
  if (code != cudaSuccess) return code;
  if (p->half)
    transpose<__half><<<grid_for(p), kThreads, 0, stream>>>(*p, p->work[0]);
  else
    transpose<float><<<grid_for(p), kThreads, 0, stream>>>(*p, p->work[0]);
  return cudaGetLastError();
}

int consume_cuda(const float *y, const struct image_shape *shape, int32_t repeats, int64_t n, float *sums,
                 struct CUstream_st *stream) {
  consume<<<static_cast<unsigned>(n), kThreads, 0, stream>>>(y, image_outputs(shape), repeats, sums);
  return cudaGetLastError();
}

const char *preprocess_cuda_error(int code) {
  return cudaGetErrorString(static_cast<cudaError_t>(code));
}
