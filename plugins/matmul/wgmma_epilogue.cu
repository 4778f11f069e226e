// Tile shapes for products with an epilogue, in bf16.
#include "wgmma_shapes.cuh"

namespace matmul {
namespace {

typedef wgmma_math<__nv_bfloat16, __nv_bfloat16, 64, false, false, MATMUL_BIAS_GELU> math_bias_gelu;
typedef wgmma_math<__nv_bfloat16, __nv_bfloat16, 64, false, false, MATMUL_ADD> math_add;

template <typename M, typename S>
shape finished_of(const char *name) {
  shape s = extents_of<S>(name);
  s.kernel = pointer(wgmma_kernel_epilogue<M, S>);
  s.bytes += kWgmmaExtraBarriers;
  return s;
}

template <typename M>
const shape list[] = {
    finished_of<M, wgmma_shape<128, 192, 4, 2, 1, kByTurns>>("128 x 192 by turns, cluster 2 x 1"),
    finished_of<M, wgmma_shape<256, 128, 4, 1, 2, kTogether, 2>>("256 x 128 in halves, cluster 1 x 2"),
    finished_of<M, wgmma_shape<128, 256, 4, 2, 1, kTogether>>("128 x 256 together, cluster 2 x 1"),
};

}  // namespace

shapes shapes_of_bias_gelu() {
  return {list<math_bias_gelu>, sizeof list<math_bias_gelu> / sizeof(shape)};
}

shapes shapes_of_add() {
  return {list<math_add>, sizeof list<math_add> / sizeof(shape)};
}

}  // namespace matmul
