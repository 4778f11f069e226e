// Shapes for fp32: one product of tf32, and three products of large and small parts, which are split before.
#include "wgmma_shapes.cuh"

namespace matmul {
namespace {

const shape single_term[] = {
    shape_of<math_tf32, wgmma_shape<128, 256, 4, 2, 1, kTogether>>("128 x 256 together, cluster 2 x 1"),
    shape_of<math_tf32, wgmma_shape<256, 128, 4, 1, 2, kTogether, 2>>("256 x 128 in halves, cluster 1 x 2"),
    shape_of<math_tf32, wgmma_shape<128, 192, 4, 2, 1, kByTurns>>("128 x 192 by turns, cluster 2 x 1"),
    shape_of<math_tf32, wgmma_shape<64, 128, 8, 2, 1, kByTurns>>("64 x 128 by turns, cluster 2 x 1"),
};

const shape three_terms[] = {
    shape_of<math_3xtf32, wgmma_shape<128, 176, 4, 2, 1, kAlternating>>("128 x 176 alternating, cluster 2 x 1"),
    shape_of<math_3xtf32, wgmma_shape<128, 192, 4, 2, 1, kAlternating>>("128 x 192 alternating, cluster 2 x 1"),
    shape_of<math_3xtf32, wgmma_shape<128, 128, 6, 2, 1, kAlternating>>("128 x 128 alternating, cluster 2 x 1"),
};

// The copy engine rounds to tf32 on the way: to nearest, ties to even (an H200 does). It does so with what is left,
// too.
__device__ float small_part(float x) {
  uint32_t large;
  asm("cvt.rn.tf32.f32 %0, %1;\n" : "=r"(large) : "f"(x));
  return x - __uint_as_float(large);
}

constexpr int kSplitThreads = 256, kSplitLoads = 4;

// Of `count` four elements each: `count_a` of a, then b's.
__global__ void __launch_bounds__(kSplitThreads)
    split_kernel(const float4 *a, const float4 *b, float4 *small, int64_t count_a, int64_t count) {
  const int64_t first = int64_t(blockIdx.x) * (kSplitThreads * kSplitLoads) + threadIdx.x;
  float4 x[kSplitLoads];
#pragma unroll
  for (int i = 0; i < kSplitLoads; ++i) {
    const int64_t at = first + i * kSplitThreads;
    if (at < count) x[i] = at < count_a ? a[at] : b[at - count_a];
  }
#pragma unroll
  for (int i = 0; i < kSplitLoads; ++i) {
    const int64_t at = first + i * kSplitThreads;
    if (at < count)
      small[at] = make_float4(small_part(x[i].x), small_part(x[i].y), small_part(x[i].z), small_part(x[i].w));
  }
}

}  // namespace

shapes shapes_of_tf32() {
  return {single_term, sizeof single_term / sizeof *single_term};
}

shapes shapes_of_3xtf32() {
  return {three_terms, sizeof three_terms / sizeof *three_terms};
}

int split(const matmul_problem *p, cudaStream_t stream) {
  constexpr int64_t kBlock = kSplitThreads * kSplitLoads;
  const int64_t count_a = p->m * p->k / 4, count = count_a + p->n * p->k / 4;
  split_kernel<<<static_cast<unsigned>((count + kBlock - 1) / kBlock), kSplitThreads, 0, stream>>>(
      static_cast<const float4 *>(p->a), static_cast<const float4 *>(p->b), reinterpret_cast<float4 *>(p->workspace),
      count_a, count);
  return cudaGetLastError();
}

}  // namespace matmul
