// The variant `naive` of "decode", attention of a few queries at the end of a long sequence: one CTA for each row.
#include <cuda_runtime.h>

#include "decode_kernels.h"
#include "decode_parts.cuh"
#include "flash.h"

namespace attention {
namespace {

__device__ __forceinline__ float to_float(float x) {
  return x;
}

__device__ __forceinline__ float to_float(__nv_bfloat16 x) {
  return __bfloat162float(x);
}

__device__ __forceinline__ void store(float *to, float x) {
  *to = x;
}

__device__ __forceinline__ void store(__nv_bfloat16 *to, float x) {
  *to = __float2bfloat16_rn(x);
}

constexpr int kNaiveWarps = 8;

// Computes the output of one row per CTA. Each warp takes every eighth key, and each thread of a warp D / 32 columns of
// that key.
template <typename T, int D>
__global__ void __launch_bounds__(kNaiveWarps * 32)
    naive_kernel(const T *q, const T *k, const T *v, T *o, int rows, int s_q, int s, float scale_log2) {
  constexpr int columns = D / 32;
  __shared__ float outputs[kNaiveWarps][D];
  __shared__ softmax_state states[kNaiveWarps];
  const int64_t row = blockIdx.x;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int64_t first = row / rows * s * D + lane;
  const int end = s - s_q + static_cast<int>(row % rows) % s_q + 1;
  softmax_state state = {-INFINITY, 0.0f};
  float query[columns], sum[columns] = {};
#pragma unroll
  for (int i = 0; i < columns; ++i)
    query[i] = to_float(q[row * D + lane + i * 32]) * scale_log2;
  for (int key = warp; key < end; key += kNaiveWarps) {
    const int64_t at = first + static_cast<int64_t>(key) * D;
    float score = 0.0f;
#pragma unroll
    for (int i = 0; i < columns; ++i)
      score += query[i] * to_float(k[at + i * 32]);
#pragma unroll
    for (int lanes = 16; lanes > 0; lanes /= 2)
      score += __shfl_xor_sync(kAll, score, lanes);
    const float top = fmaxf(state.largest, score);
    const float rescale = exp2f(state.largest - top);
    const float weight = exp2f(score - top);
    state = {top, state.sum * rescale + weight};
#pragma unroll
    for (int i = 0; i < columns; ++i)
      sum[i] = sum[i] * rescale + weight * to_float(v[at + i * 32]);
  }
#pragma unroll
  for (int i = 0; i < columns; ++i)
    outputs[warp][lane + i * 32] = sum[i];
  if (lane == 0) states[warp] = state;
  __syncthreads();
  if (threadIdx.x == 0) states[0].sum = weigh(states, kNaiveWarps, 1).sum;
  __syncthreads();
  for (int column = static_cast<int>(threadIdx.x); column < D; column += kNaiveWarps * 32) {
    float all = 0.0f;
    for (int i = 0; i < kNaiveWarps; ++i)
      all += states[i].largest * outputs[i][column];
    store(o + row * D + column, all / states[0].sum);
  }
}

template <typename T>
int naive(const decode_problem *p, cudaStream_t stream) {
  const auto kernel = p->d == 64 ? naive_kernel<T, 64> : naive_kernel<T, 128>;
  kernel<<<static_cast<unsigned>(p->units * p->rows), kNaiveWarps * 32, 0, stream>>>(
      static_cast<const T *>(p->q), static_cast<const T *>(p->k), static_cast<const T *>(p->v), static_cast<T *>(p->o),
      p->rows, p->s_q, p->s, flash_scale_log2(p->d));
  return cudaPeekAtLastError();
}

}  // namespace
}  // namespace attention

using namespace attention;

int decode_cuda_naive_run(const struct decode_problem *p, struct CUstream_st *stream) {
  return p->bf16 ? naive<__nv_bfloat16>(p, stream) : naive<float>(p, stream);
}
