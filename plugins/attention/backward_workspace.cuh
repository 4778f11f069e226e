// The workspace of the CUDA variants of "backward", and the launchers of the kernels that run before and after their
// main kernel. The first one converts lse to base 2, computes delta (the sum of dO * O) of each query and zeroes the
// sums of dQ; the last one computes dQ from these sums.
#ifndef ATTENTION_BACKWARD_WORKSPACE_CUH
#define ATTENTION_BACKWARD_WORKSPACE_CUH

#include <cuda_runtime.h>
#include <stdint.h>

#include "backward_kernels.h"

namespace attention {

constexpr int kSumRows = 64;   // queries of a tile of dQ's sums
constexpr int kPadding = 128;  // the queries of a head are padded to a multiple of this

struct backward_workspace {
  // Sums of dQ, not yet scaled, in tiles of 64 queries. The layout of a tile is [d / 8][128 threads][4]. The four
  // floats of a thread are its accumulators of an mma of 16 rows by 8 columns: columns 2 (lane % 4) and 2 (lane % 4) +
  // 1 of row lane / 4, then the same columns of row lane / 4 + 8.
  float *dq;
  float *lse;       // [heads][padded], the tensor lse times log2(e); infinity in padding rows, so that P is 0 there
  float *delta;     // [heads][padded]
  unsigned *taken;  // number of blocks of keys that CTAs have claimed, except the first one of each CTA
  int64_t padded;
};

inline int64_t backward_padded(const backward_problem *p) {
  return (static_cast<int64_t>(p->s) + kPadding - 1) / kPadding * kPadding;
}

inline backward_workspace backward_workspace_of(const backward_problem *p) {
  backward_workspace w = {};
  w.padded = backward_padded(p);
  w.dq = static_cast<float *>(p->workspace);
  w.lse = w.dq + p->heads * w.padded * p->d;
  w.delta = w.lse + p->heads * w.padded;
  w.taken = reinterpret_cast<unsigned *>(w.delta + p->heads * w.padded);
  return w;
}

int backward_before(const backward_problem *p, cudaStream_t stream);
int backward_after(const backward_problem *p, cudaStream_t stream);

// The order in which blocks of keys are worked on. Heads are taken in groups of `resident`. Within a group, the blocks
// that the most queries see come first.
struct backward_order {
  unsigned heads;     // heads of keys
  unsigned resident;  // heads of keys that are worked on together
  unsigned tiles;     // blocks of keys of a head; tiles * heads is below 2^31
};

backward_order backward_order_of(const backward_problem *p, int keys);

struct backward_place {
  int head, tile;
};

__host__ __device__ __forceinline__ backward_place backward_place_of(const backward_order &order, unsigned cta) {
  const unsigned first = cta / (order.tiles * order.resident) * order.resident;
  const unsigned left = cta - first * order.tiles;
  const unsigned rest = order.heads - first, size = rest < order.resident ? rest : order.resident;
  backward_place place;
  place.head = static_cast<int>(first + left % size);
  place.tile = static_cast<int>(left / size);
  return place;
}

// Adds four numbers atomically to four contiguous sums of dQ.
__device__ __forceinline__ void add_four(float *to, float a, float b, float c, float d) {
#if __CUDA_ARCH__ >= 900
  asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %2, %3, %4};\n" ::"l"(to), "f"(a), "f"(b), "f"(c), "f"(d)
               : "memory");
#else
  atomicAdd(to, a);
  atomicAdd(to + 1, b);
  atomicAdd(to + 2, c);
  atomicAdd(to + 3, d);
#endif
}

}  // namespace attention
#endif
