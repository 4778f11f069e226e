// Device functions that run for each row before and after the main kernel of "backward": begin_row() computes delta
// (the row sums of dO * O) and zeroes the sums of dQ, end_rows() computes dQ from these sums. They read and write each
// byte once.
#ifndef ATTENTION_BACKWARD_ROWS_CUH
#define ATTENTION_BACKWARD_ROWS_CUH

#include <cuda_bf16.h>

#include "backward_workspace.cuh"
#include "tile.cuh"

namespace attention {

constexpr int kRowsThreads = 256;
constexpr float kLog2E = 1.4426950408889634f;

struct rows_arguments {
  const __nv_bfloat16 *o, *d_o;
  const float *lse;
  __nv_bfloat16 *dq;
  backward_workspace work;
  int64_t rows;  // number of rows of all heads, each padded to a multiple of kPadding
  int s;
  float scale;
};

__device__ __forceinline__ float product_of_pairs(uint32_t a, uint32_t b) {
  const float2 x = __bfloat1622float2(reinterpret_cast<const __nv_bfloat162 &>(a));
  const float2 y = __bfloat1622float2(reinterpret_cast<const __nv_bfloat162 &>(b));
  return fmaf(x.x, y.x, x.y * y.y);
}

// Computes delta of a row, stores its lse times log2(e), and zeroes its sums of dQ. Each thread handles eight columns
// of a row.
template <int D>
__device__ __forceinline__ void begin_row(const rows_arguments &arg, int64_t item) {
  constexpr int lanes = D / 8;
  const int64_t row = item / lanes;
  const int lane = static_cast<int>(threadIdx.x) % lanes;
  if (row >= arg.rows) return;
  float4 *sums = reinterpret_cast<float4 *>(arg.work.dq + row * D) + lane * 2;
  sums[0] = sums[1] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  const int64_t head = row / arg.work.padded, query = row - head * arg.work.padded;
  const bool inside = query < arg.s;
  float delta = 0.0f;
  if (inside) {
    const int64_t from = (head * arg.s + query) * D + lane * 8;
    const uint4 a = __ldg(reinterpret_cast<const uint4 *>(arg.o + from));
    const uint4 b = __ldg(reinterpret_cast<const uint4 *>(arg.d_o + from));
    delta = product_of_pairs(a.x, b.x) + product_of_pairs(a.y, b.y) + product_of_pairs(a.z, b.z) +
            product_of_pairs(a.w, b.w);
  }
#pragma unroll
  for (int i = lanes / 2; i > 0; i /= 2)
    delta += __shfl_xor_sync(0xffffffffu, delta, i);
  if (lane != 0) return;
  if (row == 0) *arg.work.taken = 0;
  arg.work.delta[row] = delta;
  arg.work.lse[row] = inside ? __ldg(arg.lse + head * arg.s + query) * kLog2E : INFINITY;
}

// Scales the sums of dQ and stores them as bf16. Each thread handles eight columns of two rows that are eight apart,
// because four neighbouring threads of the main kernel held these elements as accumulators of one mma.
template <int D>
__device__ __forceinline__ void end_rows(const rows_arguments &arg, int64_t item) {
  constexpr int chunks = D / 8;
  const int chunk = static_cast<int>(item % chunks);
  const int64_t pair = item / chunks;  // number of the pair of rows
  const int64_t tile = pair / (kSumRows / 2);
  // the pair was held by the threads of the main kernel whose warp * 8 + lane / 4 has this value
  const int within = static_cast<int>(pair % (kSumRows / 2));
  if (tile * kSumRows >= arg.rows) return;
  const int64_t head = tile * kSumRows / arg.work.padded;
  const int query = static_cast<int>(tile * kSumRows - head * arg.work.padded) + within / 8 * 16 + within % 8;
  const float4 *from = reinterpret_cast<const float4 *>(arg.work.dq) + (tile * chunks + chunk) * 128 + within * 4;
  uint32_t upper[4], lower[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float4 x = __ldcs(from + i);
    upper[i] = pack_bf16(x.x * arg.scale, x.y * arg.scale);
    lower[i] = pack_bf16(x.z * arg.scale, x.w * arg.scale);
  }
  uint4 *to = reinterpret_cast<uint4 *>(arg.dq + (head * arg.s + query) * D) + chunk;
  if (query < arg.s) to[0] = make_uint4(upper[0], upper[1], upper[2], upper[3]);
  if (query + 8 < arg.s) to[8 * chunks] = make_uint4(lower[0], lower[1], lower[2], lower[3]);
}

inline rows_arguments rows_arguments_of(const backward_problem *p) {
  rows_arguments arg = {};
  arg.o = static_cast<const __nv_bfloat16 *>(p->o);
  arg.d_o = static_cast<const __nv_bfloat16 *>(p->d_o);
  arg.lse = p->lse;
  arg.dq = static_cast<__nv_bfloat16 *>(p->dq);
  arg.work = backward_workspace_of(p);
  arg.rows = p->heads * arg.work.padded;
  arg.s = p->s;
  arg.scale = p->d == 64 ? 0.125f : 0.08838834764831845f;
  return arg;
}

inline unsigned rows_ctas(int64_t threads) {
  return static_cast<unsigned>((threads + kRowsThreads - 1) / kRowsThreads);
}

}  // namespace attention
#endif
