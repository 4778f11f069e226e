// Tile shapes for fp32 operands: for one product in tf32, or for three tf32 products of the large and small parts of
// the operands.
#include "wgmma_shapes.cuh"

namespace matmul {
namespace {

const shape single_term[] = {
    shape_of<math_tf32, wgmma_shape<128, 256, 4, 2, 1, kTogether>>("128 x 256 together, cluster 2 x 1"),
    shape_of<math_tf32, wgmma_shape<256, 128, 4, 1, 2, kTogether, 2>>("256 x 128 in halves, cluster 1 x 2"),
    shape_of<math_tf32, wgmma_shape<128, 192, 4, 2, 1, kByTurns>>("128 x 192 by turns, cluster 2 x 1"),
    shape_of<math_tf32, wgmma_shape<128, 128, 6, 2, 1, kByTurns>>("128 x 128 by turns, cluster 2 x 1"),
    shape_of<math_tf32, wgmma_shape<64, 128, 8, 2, 1, kByTurns>>("64 x 128 by turns, cluster 2 x 1"),
    shape_of<math_tf32, wgmma_shape<128, 176, 4, 2, 1, kByTurns>>("128 x 176 by turns, cluster 2 x 1"),
    shape_of<math_tf32, wgmma_shape<256, 112, 4, 1, 2, kTogether, 2>>("256 x 112 in halves, cluster 1 x 2"),
    single_of<math_tf32, wgmma_shape<128, 96, 6, 1, 1, kTogether>>("128 x 96, a tile a CTA"),
    single_of<math_tf32, wgmma_shape<128, 112, 6, 1, 1, kTogether>>("128 x 112, a tile a CTA"),
    single_of<math_tf32, wgmma_shape<128, 144, 5, 1, 1, kTogether>>("128 x 144, a tile a CTA"),
    single_of<math_tf32, wgmma_shape<128, 176, 5, 1, 1, kTogether>>("128 x 176, a tile a CTA"),
    single_of<math_tf32, wgmma_shape<128, 208, 4, 1, 1, kTogether>>("128 x 208, a tile a CTA"),
    single_of<math_tf32, wgmma_shape<256, 128, 4, 1, 1, kTogether, 2>>("256 x 128 in halves, a tile a CTA"),
};

const shape three_terms[] = {
    shape_of<math_3xtf32, wgmma_shape<128, 176, 4, 2, 1, kAlternating>>("128 x 176 alternating, cluster 2 x 1"),
    shape_of<math_3xtf32, wgmma_shape<128, 192, 4, 2, 1, kAlternating>>("128 x 192 alternating, cluster 2 x 1"),
    shape_of<math_3xtf32, wgmma_shape<128, 160, 4, 2, 1, kAlternating>>("128 x 160 alternating, cluster 2 x 1"),
    shape_of<math_3xtf32, wgmma_shape<128, 144, 4, 2, 1, kAlternating>>("128 x 144 alternating, cluster 2 x 1"),
    shape_of<math_3xtf32, wgmma_shape<128, 112, 6, 2, 1, kAlternating>>("128 x 112 alternating, cluster 2 x 1"),
    shape_of<math_3xtf32, wgmma_shape<128, 128, 6, 2, 1, kAlternating>>("128 x 128 alternating, cluster 2 x 1"),
};

}  // namespace

shapes shapes_of_tf32() {
  return {single_term, sizeof single_term / sizeof *single_term};
}

shapes shapes_of_3xtf32() {
  return {three_terms, sizeof three_terms / sizeof *three_terms};
}

}  // namespace matmul
