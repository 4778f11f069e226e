/* Attention as plain as it gets on a GPU: a warp for each query, which walks over the keys with a running maximum and
 * sum. Each lane holds d / 32 elements of the query and of the output. */
#include <cuda_runtime.h>
#include <math.h>

#include "kernel.h"

#define WARP 32
#define WARPS 4 /* of a block */
#define PART 4  /* elements of a lane, at most: d up to 128 */

static __device__ float sum_of_warp(float value) {
  for (int step = WARP / 2; step > 0; step /= 2)
    value += __shfl_xor_sync(0xffffffffu, value, step);
  return value;
}

static __global__ void attend(struct attention p) {
  const int lane = threadIdx.x % WARP;
  const int64_t row = (int64_t)blockIdx.x * WARPS + threadIdx.x / WARP; /* query of all heads together */
  if (row >= p.heads * p.s) return;                                     /* the whole warp together */
  const int64_t head = row / p.s * p.s * p.d, query = row % p.s;
  const int part = (int)(p.d / WARP);
  const int64_t keys = p.causal ? query + 1 : p.s;
  const float scale = rsqrtf((float)p.d);
  float q[PART], o[PART], top = -INFINITY, sum = 0.0f;
  for (int x = 0; x < PART; x++) {
    q[x] = x < part ? p.q[row * p.d + x * WARP + lane] * scale : 0.0f;
    o[x] = 0.0f;
  }
  for (int64_t key = 0; key < keys; key++) {
    const float *k = p.k + head + key * p.d, *v = p.v + head + key * p.d;
    float score = 0.0f;
    for (int x = 0; x < PART; x++)
      if (x < part) score += q[x] * k[x * WARP + lane];
    score = sum_of_warp(score);
    const float now = fmaxf(top, score), old = expf(top - now), weight = expf(score - now);
    sum = sum * old + weight;
    for (int x = 0; x < PART; x++)
      if (x < part) o[x] = o[x] * old + weight * v[x * WARP + lane];
    top = now;
  }
  for (int x = 0; x < PART; x++)
    if (x < part) p.o[row * p.d + x * WARP + lane] = o[x] / sum;
}

int attention_run(const struct attention *p, struct CUstream_st *stream) {
  const int64_t blocks = (p->heads * p->s + WARPS - 1) / WARPS;
  attend<<<(unsigned)blocks, WARP * WARPS, 0, stream>>>(*p);
  return (int)cudaGetLastError();
}

const char *attention_error(int code) {
  return cudaGetErrorString((cudaError_t)code);
}
