// The launchers that kernels.h declares: `standard`, which is three kernels that exchange data through a workspace, and
// `flash`, which chooses between the kernels in flash.cu and flash_f32.cu. Of `standard`, the softmax kernel is here;
// the matrix products are in standard_f32.cu and standard_half.cu.
#include "kernels.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "flash.h"
#include "standard.h"

namespace attention {
namespace {

struct max_sum {
  float largest;
  float sum;  // the sum of exp(x - largest)
};

__device__ __forceinline__ max_sum merge(max_sum a, max_sum b) {
  max_sum r;
  r.largest = fmaxf(a.largest, b.largest);
  if (r.largest == -INFINITY) return a;
  r.sum = a.sum * expf(a.largest - r.largest) + b.sum * expf(b.largest - r.largest);
  return r;
}

__device__ __forceinline__ max_sum merge_warp(max_sum x) {
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    max_sum other;
    other.largest = __shfl_xor_sync(0xffffffffu, x.largest, lanes);
    other.sum = __shfl_xor_sync(0xffffffffu, x.sum, lanes);
    x = merge(x, other);
  }
  return x;
}

template <int THREADS>
__device__ __forceinline__ max_sum merge_cta(max_sum x) {
  __shared__ max_sum of_warp[THREADS / 32];
  x = merge_warp(x);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = x;
  __syncthreads();
  x = of_warp[0];
#pragma unroll
  for (int i = 1; i < THREADS / 32; ++i)
    x = merge(x, of_warp[i]);
  return x;
}

__device__ __forceinline__ void store4(float *to, const float (&x)[4]) {
  *reinterpret_cast<float4 *>(to) = make_float4(x[0], x[1], x[2], x[3]);
}

__device__ __forceinline__ void store4(__nv_bfloat16 *to, const float (&x)[4]) {
  __nv_bfloat162 pair[2] = {__floats2bfloat162_rn(x[0], x[1]), __floats2bfloat162_rn(x[2], x[3])};
  *reinterpret_cast<uint2 *>(to) = *reinterpret_cast<const uint2 *>(pair);
}

__device__ __forceinline__ void store4(__half *to, const float (&x)[4]) {
  __half2 pair[2] = {__floats2half2_rn(x[0], x[1]), __floats2half2_rn(x[2], x[3])};
  *reinterpret_cast<uint2 *>(to) = *reinterpret_cast<const uint2 *>(pair);
}

// Loads four scores from `column` on; those at column `end` and after it become -inf.
__device__ __forceinline__ void load4(float (&x)[4], const float *from, int column, int end) {
  const float4 raw = *reinterpret_cast<const float4 *>(from + column);
  x[0] = raw.x;
  x[1] = column + 1 < end ? raw.y : -INFINITY;
  x[2] = column + 2 < end ? raw.z : -INFINITY;
  x[3] = column + 3 < end ? raw.w : -INFINITY;
}

// Each CTA computes the softmax of one row. Hidden keys get probability 0, up to the last column that the second
// product reads. In fp32 the probabilities replace the scores: each thread writes only elements that it alone has read.
template <typename T, int THREADS>
__global__ void __launch_bounds__(THREADS) softmax_kernel(const standard_arguments arg) {
  const int64_t row = blockIdx.x;
  const int query = static_cast<int>(row % arg.s);
  const int pitch = standard_pitch(arg.s);
  const int end = arg.causal ? query + 1 : arg.s;
  const int zero_end = standard_end(arg, query / kTile * kTile);
  const float *scores = arg.scores + row * pitch;
  T *probabilities = static_cast<T *>(arg.probabilities) + row * pitch;
  const int first = static_cast<int>(threadIdx.x) * 4;

  max_sum total = {-INFINITY, 0.0f};
  for (int column = first; column < end; column += THREADS * 4) {
    float x[4];
    load4(x, scores, column, end);
    const float top = fmaxf(total.largest, fmaxf(fmaxf(x[0], x[1]), fmaxf(x[2], x[3])));
    total.sum *= expf(total.largest - top);
    total.largest = top;
#pragma unroll
    for (int i = 0; i < 4; ++i)
      total.sum += expf(x[i] - top);
  }
  total = merge_cta<THREADS>(total);
  const float inverse = 1.0f / total.sum;
  for (int column = first; column < zero_end; column += THREADS * 4) {
    float x[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    if (column < end) {
      load4(x, scores, column, end);
#pragma unroll
      for (int i = 0; i < 4; ++i)
        x[i] = expf(x[i] - total.largest) * inverse;
    }
    store4(probabilities + column, x);
  }
}

template <typename T>
int softmax(const standard_arguments &arg, unsigned rows, cudaStream_t stream) {
  if (arg.s <= 1024)
    softmax_kernel<T, 128><<<rows, 128, 0, stream>>>(arg);
  else
    softmax_kernel<T, 256><<<rows, 256, 0, stream>>>(arg);
  return cudaPeekAtLastError();
}

int64_t score_count(const attention_problem *p) {
  return p->heads * p->s * standard_pitch(p->s);
}

standard_arguments arguments_of(const attention_problem *p) {
  standard_arguments arg = {};
  arg.q = p->q;
  arg.k = p->k;
  arg.v = p->v;
  arg.o = p->o;
  arg.scores = static_cast<float *>(p->workspace);
  arg.probabilities = p->stored == STORED_FP32 ? p->workspace : static_cast<void *>(arg.scores + score_count(p));
  arg.group = p->group;
  arg.s = p->s;
  arg.causal = p->causal;
  arg.scale = static_cast<float>(p->d == 64 ? 0.125 : p->d == 128 ? 0.08838834764831845 : 0.0625);
  return arg;
}

}  // namespace
}  // namespace attention

using namespace attention;

uint64_t attention_cuda_standard_workspace(const struct attention_problem *p) {
  return static_cast<uint64_t>(score_count(p)) * (p->stored == STORED_FP32 ? 4 : 6);
}

int attention_cuda_standard_prepare(const struct attention_problem *p) {
  return p->stored == STORED_FP32 ? static_cast<int>(cudaSuccess) : standard_half_prepare(p->stored, p->d);
}

int attention_cuda_standard_run(const struct attention_problem *p, struct CUstream_st *stream) {
  const standard_arguments arg = arguments_of(p);
  const int64_t tiles = standard_pitch(p->s) / kTile;
  const int64_t score_tiles = p->heads * tiles * tiles;
  if (score_tiles > INT32_MAX) return cudaErrorInvalidConfiguration;
  const unsigned score_ctas = static_cast<unsigned>(score_tiles);
  const unsigned value_ctas = static_cast<unsigned>(p->heads * tiles);
  const unsigned rows = static_cast<unsigned>(p->heads * p->s);
  const bool floats = p->stored == STORED_FP32;
  int status = floats ? standard_f32_scores(arg, p->d, score_ctas, stream)
                      : standard_half_scores(arg, p->stored, p->d, score_ctas, stream);
  if (status == cudaSuccess)
    status = floats                     ? softmax<float>(arg, rows, stream)
             : p->stored == STORED_BF16 ? softmax<__nv_bfloat16>(arg, rows, stream)
                                        : softmax<__half>(arg, rows, stream);
  if (status == cudaSuccess)
    status = floats ? standard_f32_values(arg, p->d, value_ctas, stream)
                    : standard_half_values(arg, p->stored, p->d, value_ctas, stream);
  return status;
}

int attention_cuda_flash_prepare(const struct attention_problem *p) {
  return p->stored == STORED_FP32 ? flash_f32_prepare(p) : flash_half_prepare(p);
}

int attention_cuda_flash_run(const struct attention_problem *p, struct CUstream_st *stream) {
  return p->stored == STORED_FP32 ? flash_f32_run(p, stream) : flash_half_run(p, stream);
}

const char *attention_cuda_error(int status) {
  return cudaGetErrorString(static_cast<cudaError_t>(status));
}
