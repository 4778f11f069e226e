// Around the kernels of "backward": delta and zeros before them, dQ after them. Reads and writes each byte once.
#include <cuda_bf16.h>

#include "backward_workspace.cuh"
#include "tile.cuh"

namespace attention {
namespace {

constexpr int kThreads = 256;
constexpr float kLog2E = 1.4426950408889634f;

struct rows_arguments {
  const __nv_bfloat16 *o, *d_o;
  const float *lse;
  __nv_bfloat16 *dq;
  backward_workspace work;
  int64_t rows;  // of all heads, padded
  int s;
  float scale;
};

__device__ __forceinline__ float product_of_pairs(uint32_t a, uint32_t b) {
  const float2 x = __bfloat1622float2(reinterpret_cast<const __nv_bfloat162 &>(a));
  const float2 y = __bfloat1622float2(reinterpret_cast<const __nv_bfloat162 &>(b));
  return fmaf(x.x, y.x, x.y * y.y);
}

// A thread for eight columns of a row.
template <int D>
__global__ void __launch_bounds__(kThreads) before_kernel(const rows_arguments arg) {
  constexpr int lanes = D / 8;
  const int64_t row = (static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x) / lanes;
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

// A thread for eight columns of two rows, eight apart: what four threads of a product had.
template <int D>
__global__ void __launch_bounds__(kThreads) after_kernel(const rows_arguments arg) {
  constexpr int chunks = D / 8;
  const int64_t item = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  const int chunk = static_cast<int>(item % chunks);
  const int64_t pair = item / chunks;  // of rows
  const int64_t tile = pair / (kSumRows / 2);
  const int within = static_cast<int>(pair % (kSumRows / 2));  // warp * 8 + lane / 4
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

rows_arguments arguments_of(const backward_problem *p) {
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

unsigned ctas_for(int64_t threads) {
  return static_cast<unsigned>((threads + kThreads - 1) / kThreads);
}

}  // namespace

int backward_before(const backward_problem *p, cudaStream_t stream) {
  const rows_arguments arg = arguments_of(p);
  const unsigned ctas = ctas_for(arg.rows * p->d / 8);
  if (p->d == 64)
    before_kernel<64><<<ctas, kThreads, 0, stream>>>(arg);
  else
    before_kernel<128><<<ctas, kThreads, 0, stream>>>(arg);
  return cudaPeekAtLastError();
}

int backward_after(const backward_problem *p, cudaStream_t stream) {
  const rows_arguments arg = arguments_of(p);
  const unsigned ctas = ctas_for(arg.rows / 2 * p->d / 8);
  if (p->d == 64)
    after_kernel<64><<<ctas, kThreads, 0, stream>>>(arg);
  else
    after_kernel<128><<<ctas, kThreads, 0, stream>>>(arg);
  return cudaPeekAtLastError();
}

// So many heads at a time that what their CTAs read and add to stays in L2; but if causal, parts of at least 256 blocks
// of keys, so that what is left to do when the last one begins is no less than its longest block.
backward_order backward_order_of(const backward_problem *p, int keys) {
  const int64_t budget = 24 << 20, enough = 256;
  backward_order order = {};
  const int64_t heads = p->heads / p->group, tiles = (p->s + keys - 1) / keys;
  const int64_t fit = budget / (backward_padded(p) * p->group * p->d * 8);
  const int64_t parts = p->causal ? heads * tiles / enough : heads;
  const int64_t least = parts > 1 ? (heads + parts - 1) / parts : heads;
  const int64_t resident = fit > least ? fit : least;
  order.heads = static_cast<unsigned>(heads);
  order.tiles = static_cast<unsigned>(tiles);
  order.resident = static_cast<unsigned>(resident < heads ? resident : heads);
  return order;
}

}  // namespace attention

uint64_t backward_cuda_workspace(const struct backward_problem *p) {
  return static_cast<uint64_t>(p->heads * attention::backward_padded(p)) * (static_cast<uint64_t>(p->d) + 2) *
             sizeof(float) +
         sizeof(unsigned);
}
