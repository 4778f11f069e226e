// Tile shapes for bf16 and fp16.
#include "wgmma_narrow.cuh"
#include "wgmma_shapes.cuh"

namespace matmul {
namespace {

template <typename T, typename S>
shape narrow_of(const char *name) {
  shape s = {};
  s.kernel = s.plain = pointer(wgmma_narrow<T, S>);
  s.name = name;
  s.rows = S::rows;
  s.columns = S::columns;
  s.down = s.across = 1;
  s.threads = S::threads;
  s.bytes = S::bytes;
  s.box_a = S::box_a;
  s.box_b = S::box_b;
  s.split = S::split;
  s.single = 1;
  s.clipped = 1;
  s.line = CU_TENSOR_MAP_L2_PROMOTION_L2_128B;
  return s;
}

// Makes a shape of wgmma_narrow.cuh for few rows of a. It is meant for up to S::rows rows of a; half as many rows or
// fewer are left to the next smaller shape.
template <typename T, typename S>
shape few_of(const char *name) {
  shape s = narrow_of<T, S>(name);
  s.least = S::rows > 16 ? S::rows / 2 + 1 : 1;
  s.most = S::rows;
  return s;
}

template <typename M>
const shape list[] = {
    shape_of<M, wgmma_shape<128, 256, 4, 2, 1, kTogether>>("128 x 256 together, cluster 2 x 1"),
    shape_of<M, wgmma_shape<256, 128, 4, 1, 2, kTogether, 2>>("256 x 128 in halves, cluster 1 x 2"),
    shape_of<M, wgmma_shape<128, 192, 4, 2, 1, kByTurns>>("128 x 192 by turns, cluster 2 x 1"),
    shape_of<M, wgmma_shape<64, 256, 4, 2, 1, kByTurns>>("64 x 256 by turns, cluster 2 x 1"),
    shape_of<M, wgmma_shape<128, 128, 6, 2, 1, kByTurns>>("128 x 128 by turns, cluster 2 x 1"),
    shape_of<M, wgmma_shape<64, 128, 8, 2, 1, kByTurns>>("64 x 128 by turns, cluster 2 x 1"),
    shape_of<M, wgmma_shape<128, 176, 4, 2, 1, kByTurns>>("128 x 176 by turns, cluster 2 x 1"),
    shape_of<M, wgmma_shape<256, 112, 4, 1, 2, kTogether, 2>>("256 x 112 in halves, cluster 1 x 2"),
    single_of<M, wgmma_shape<64, 80, 8, 1, 1, kAlone>>("64 x 80, a tile a CTA"),
    single_of<M, wgmma_shape<64, 96, 8, 1, 1, kAlone>>("64 x 96, a tile a CTA"),
    single_of<M, wgmma_shape<64, 128, 8, 1, 1, kAlone>>("64 x 128, a tile a CTA"),
    single_of<M, wgmma_shape<128, 96, 6, 1, 1, kTogether>>("128 x 96, a tile a CTA"),
    single_of<M, wgmma_shape<128, 112, 6, 1, 1, kTogether>>("128 x 112, a tile a CTA"),
    single_of<M, wgmma_shape<128, 128, 6, 1, 1, kTogether>>("128 x 128, a tile a CTA"),
    single_of<M, wgmma_shape<128, 144, 5, 1, 1, kTogether>>("128 x 144, a tile a CTA"),
    single_of<M, wgmma_shape<128, 160, 5, 1, 1, kTogether>>("128 x 160, a tile a CTA"),
    single_of<M, wgmma_shape<128, 176, 5, 1, 1, kTogether>>("128 x 176, a tile a CTA"),
    single_of<M, wgmma_shape<128, 208, 4, 1, 1, kTogether>>("128 x 208, a tile a CTA"),
    single_of<M, wgmma_shape<256, 128, 4, 1, 1, kTogether, 2>>("256 x 128 in halves, a tile a CTA"),
    narrow_of<typename M::in, narrow_shape<16, 128, 2, 5, 1>>("16 x 128, a tile a CTA"),
    narrow_of<typename M::in, narrow_shape<16, 64, 4, 5, 2>>("16 x 64, a tile two CTAs"),
    few_of<typename M::in, narrow_shape<16, 48, 4, 6, 1>>("16 x 48, a tile a CTA"),
    few_of<typename M::in, narrow_shape<16, 64, 4, 5, 1>>("16 x 64, a tile a CTA"),
    few_of<typename M::in, narrow_shape<16, 96, 2, 7, 1>>("16 x 96, a tile a CTA"),
    few_of<typename M::in, narrow_shape<16, 112, 2, 6, 1>>("16 x 112, a tile a CTA"),
    few_of<typename M::in, narrow_shape<32, 64, 4, 4, 2>>("32 x 64, a tile two CTAs"),
    few_of<typename M::in, narrow_shape<32, 48, 4, 5, 1>>("32 x 48, a tile a CTA"),
    few_of<typename M::in, narrow_shape<32, 112, 2, 6, 1>>("32 x 112, a tile a CTA"),
    few_of<typename M::in, narrow_shape<64, 64, 2, 6, 2>>("64 x 64, a tile two CTAs"),
    few_of<typename M::in, narrow_shape<64, 48, 2, 7, 1>>("64 x 48, a tile a CTA"),
    few_of<typename M::in, narrow_shape<64, 112, 2, 4, 1>>("64 x 112, a tile a CTA"),
    few_of<typename M::in, narrow_shape<128, 64, 2, 4, 2>>("128 x 64, a tile two CTAs"),
};

}  // namespace

shapes shapes_of_bf16() {
  return {list<math_bf16>, sizeof list<math_bf16> / sizeof(shape)};
}

shapes shapes_of_fp16() {
  return {list<math_fp16>, sizeof list<math_fp16> / sizeof(shape)};
}

}  // namespace matmul
