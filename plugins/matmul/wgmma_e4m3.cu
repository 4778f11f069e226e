// Tile shapes for e4m3, of two kinds: sums that stay in the tensor cores for all of k, and sums that leave them after
// every 128 products and are added by ordinary instructions.
#include "wgmma_shapes.cuh"

namespace matmul {
namespace {

const shape fast[] = {
    shape_of<math_e4m3_fast, wgmma_shape<128, 256, 4, 2, 1, kTogether>>("128 x 256 together, cluster 2 x 1"),
    shape_of<math_e4m3_fast, wgmma_shape<256, 128, 4, 1, 2, kTogether, 2>>("256 x 128 in halves, cluster 1 x 2"),
    shape_of<math_e4m3_fast, wgmma_shape<128, 192, 4, 2, 1, kByTurns>>("128 x 192 by turns, cluster 2 x 1"),
    shape_of<math_e4m3_fast, wgmma_shape<64, 256, 4, 2, 1, kByTurns>>("64 x 256 by turns, cluster 2 x 1"),
    shape_of<math_e4m3_fast, wgmma_shape<128, 128, 6, 2, 1, kByTurns>>("128 x 128 by turns, cluster 2 x 1"),
    shape_of<math_e4m3_fast, wgmma_shape<64, 128, 8, 2, 1, kByTurns>>("64 x 128 by turns, cluster 2 x 1"),
    shape_of<math_e4m3_fast, wgmma_shape<128, 176, 4, 2, 1, kByTurns>>("128 x 176 by turns, cluster 2 x 1"),
    shape_of<math_e4m3_fast, wgmma_shape<256, 112, 4, 1, 2, kTogether, 2>>("256 x 112 in halves, cluster 1 x 2"),
    single_of<math_e4m3_fast, wgmma_shape<64, 80, 8, 1, 1, kAlone>>("64 x 80, a tile a CTA"),
    single_of<math_e4m3_fast, wgmma_shape<64, 128, 8, 1, 1, kAlone>>("64 x 128, a tile a CTA"),
    single_of<math_e4m3_fast, wgmma_shape<128, 112, 6, 1, 1, kTogether>>("128 x 112, a tile a CTA"),
    single_of<math_e4m3_fast, wgmma_shape<128, 144, 5, 1, 1, kTogether>>("128 x 144, a tile a CTA"),
    single_of<math_e4m3_fast, wgmma_shape<128, 176, 5, 1, 1, kTogether>>("128 x 176, a tile a CTA"),
    single_of<math_e4m3_fast, wgmma_shape<128, 208, 4, 1, 1, kTogether>>("128 x 208, a tile a CTA"),
    single_of<math_e4m3_fast, wgmma_shape<256, 128, 4, 1, 1, kTogether, 2>>("256 x 128 in halves, a tile a CTA"),
};

const shape promoted[] = {
    shape_of<math_e4m3, wgmma_shape<128, 192, 4, 2, 1, kAlternating>>("128 x 192 alternating, cluster 2 x 1"),
    shape_of<math_e4m3, wgmma_shape<128, 176, 4, 2, 1, kAlternating>>("128 x 176 alternating, cluster 2 x 1"),
    shape_of<math_e4m3, wgmma_shape<128, 160, 4, 2, 1, kAlternating>>("128 x 160 alternating, cluster 2 x 1"),
    shape_of<math_e4m3, wgmma_shape<128, 144, 4, 2, 1, kAlternating>>("128 x 144 alternating, cluster 2 x 1"),
    shape_of<math_e4m3, wgmma_shape<128, 112, 6, 2, 1, kTogether>>("128 x 112 together, cluster 2 x 1"),
    shape_of<math_e4m3, wgmma_shape<128, 96, 6, 2, 1, kTogether>>("128 x 96 together, cluster 2 x 1"),
    shape_of<math_e4m3, wgmma_shape<128, 128, 6, 2, 1, kTogether>>("128 x 128 together, cluster 2 x 1"),
};

}  // namespace

shapes shapes_of_e4m3_fast() {
  return {fast, sizeof fast / sizeof *fast};
}

shapes shapes_of_e4m3() {
  return {promoted, sizeof promoted / sizeof *promoted};
}

}  // namespace matmul
