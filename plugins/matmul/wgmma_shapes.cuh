// Describes a tile shape of the wgmma kernels at run time (struct shape): its kernels, and the numbers that launches
// and the model of a product's duration need. Declares the lists of tile shapes, one for each arithmetic.
#ifndef MATMUL_WGMMA_SHAPES_CUH
#define MATMUL_WGMMA_SHAPES_CUH

#include "kernels.h"
#include "wgmma_single.cuh"

namespace matmul {

struct shape {
  const void *kernel, *plain;  // plain: the kernel for rows of c that are not multiples of 16 bytes; NULL: none
  const char *name;
  int rows, columns, down, across, threads, bytes, box_a, box_b;
  int split;    // number of CTAs that share the depth of a tile
  int single;   // true: each CTA has only one tile, or one part of a tile
  int clipped;  // true: copies fetch no more rows of a than a has, as the kernel expects
  // The range of m for which the shape is meant, from `least` to `most`; if `most` is 0, any m.
  int least, most;
  CUtensorMapL2promotion line;  // how many bytes at least the copy engine fetches into L2 at once
  double store;  // for the model of the duration: clocks for storing a result that do not overlap with products
};

// The tile shapes for one choice of types and instructions; the first one is the default.
struct shapes {
  const shape *each;
  int count;
};

shapes shapes_of_bf16();
shapes shapes_of_fp16();
shapes shapes_of_tf32();
shapes shapes_of_3xtf32();
shapes shapes_of_e4m3();
shapes shapes_of_e4m3_fast();
shapes shapes_of_bias_gelu();
shapes shapes_of_add();

template <typename F>
const void *pointer(F *kernel) {
  return reinterpret_cast<const void *>(kernel);
}

template <typename S>
shape extents_of(const char *name) {
  shape s = {};
  s.name = name;
  s.rows = S::rows;
  s.columns = S::columns;
  s.down = S::down;
  s.across = S::across;
  s.bytes = S::bytes;
  s.box_a = S::box_a;
  s.box_b = S::box_b;
  s.threads = kWgmmaThreads;
  s.split = 1;
  s.line = CU_TENSOR_MAP_L2_PROMOTION_L2_256B;
  s.store = S::turns ? 0.02 : S::last > 0 ? 0.03 : 0.05;
  return s;
}

template <typename M, typename S, bool PLAIN>
const void *kernel_of() {
  if constexpr (M::split)
    return pointer(wgmma_kernel_split<M, S, PLAIN>);
  else
    return pointer(wgmma_kernel<M, S, PLAIN>);
}

template <typename M, typename S>
shape shape_of(const char *name) {
  shape s = extents_of<S>(name);
  s.kernel = kernel_of<M, S, false>();
  // Only shapes with few sums per thread get a kernel with ordinary stores; with more sums it would run out of
  // registers.
  if constexpr (M::promoted || S::parts * S::columns <= 256) s.plain = kernel_of<M, S, true>();
  return s;
}

template <typename M, typename S>
shape single_of(const char *name) {
  shape s = extents_of<S>(name);
  if constexpr (S::groups == 1) {
    s.kernel = pointer(wgmma_alone<M, S>);
    s.threads = kAloneThreads;
  } else {
    s.kernel = pointer(wgmma_single<M, S>);
    s.threads = kSingleThreads;
  }
  s.single = 1;
  s.line = CU_TENSOR_MAP_L2_PROMOTION_L2_128B;
  return s;
}

}  // namespace matmul
#endif
