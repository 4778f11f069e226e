// Declares what the kernels of standard attention share: the layout of scores and probabilities in the workspace, and
// the tiles of CTAs.
#ifndef ATTENTION_STANDARD_H
#define ATTENTION_STANDARD_H

#include <cuda_runtime.h>

#include "kernels.h"

namespace attention {

constexpr int kTile = 128;  // tile size of the queries in both matrix products, and of the keys in the scores kernel

// The number of columns that a thread block works on at a time: all D, or kTile of a wider head. For wider heads, the
// scores kernel adds up the products of all such parts, and the values kernel has a thread block for each part.
template <int D>
constexpr int kPart = D < kTile ? D : kTile;

// Returns the number of thread blocks of the values kernel for each tile of queries.
constexpr unsigned standard_parts(int d) {
  return d > kTile ? static_cast<unsigned>(d) / kTile : 1;
}

// Returns how many elements a row of scores or probabilities has. Rows are padded, so that vector loads stay aligned,
// and tiles need not test for the end of a row.
__host__ __device__ __forceinline__ int standard_pitch(int s) {
  return (s + kTile - 1) / kTile * kTile;
}

struct standard_arguments {
  const void *q;
  const void *k;
  const void *v;
  void *o;
  float *scores;        // [heads][s][pitch]
  void *probabilities;  // [heads][s][pitch] in the storage type; for fp32 the same memory as the scores
  int group;            // heads of queries that share keys and values
  int s;
  int causal;
  float scale;
};

// *_scores launches scores = scale * q * k^T, *_values launches o = probabilities * v.
int standard_half_prepare(int stored, int d);
int standard_half_scores(const standard_arguments &arg, int stored, int d, unsigned ctas, cudaStream_t stream);
int standard_half_values(const standard_arguments &arg, int stored, int d, unsigned ctas, cudaStream_t stream);
int standard_f32_scores(const standard_arguments &arg, int d, unsigned ctas, cudaStream_t stream);
int standard_f32_values(const standard_arguments &arg, int d, unsigned ctas, cudaStream_t stream);

// The tile of the result that a CTA computes. With the CTA's index, row tiles vary fastest, then column tiles, then
// heads.
struct standard_place {
  int64_t head;
  int row0;
  int column0;
};

__device__ __forceinline__ standard_place standard_place_of(unsigned cta, int row_tiles, int column_tiles) {
  const unsigned tiles = static_cast<unsigned>(row_tiles) * static_cast<unsigned>(column_tiles);
  const unsigned left = cta % tiles;
  standard_place place;
  place.head = cta / tiles;
  place.row0 = static_cast<int>(left % static_cast<unsigned>(row_tiles)) * kTile;
  place.column0 = static_cast<int>(left / static_cast<unsigned>(row_tiles)) * kTile;
  return place;
}

// Returns the end of the keys that queries row0 .. row0 + kTile - 1 may see, rounded up to whole tiles.
__device__ __forceinline__ int standard_end(const standard_arguments &arg, int row0) {
  const int pitch = standard_pitch(arg.s);
  return arg.causal && row0 + kTile < pitch ? row0 + kTile : pitch;
}

}  // namespace attention
#endif
