// What a row of scores has taken so far, and parts of rows put together.
#ifndef ATTENTION_DECODE_PARTS_CUH
#define ATTENTION_DECODE_PARTS_CUH

#include "tile.cuh"

namespace attention {

constexpr unsigned kAll = 0xffffffffu;

// Scores are in units of log2: a weight is exp2(score - largest). A row that has seen no key has a largest of -inf.
struct softmax_state {
  float largest;
  float sum;
};

// What a score of -inf can be subtracted from.
__device__ __forceinline__ float finite(float largest) {
  return largest == -INFINITY ? 0.0f : largest;
}

// Of the states of a row's parts, `pitch` apart, `largest` becomes the weight of that part. What they come to all in
// all.
__device__ __forceinline__ softmax_state weigh(softmax_state *parts, int count, int pitch) {
  softmax_state all = {-INFINITY, 0.0f};
  for (int i = 0; i < count; ++i)
    all.largest = fmaxf(all.largest, parts[i * pitch].largest);
  const float shift = finite(all.largest);
  for (int i = 0; i < count; ++i) {
    softmax_state &part = parts[i * pitch];
    part.largest = exp2_fast(part.largest - shift);
    all.sum += part.largest * part.sum;
  }
  return all;
}

}  // namespace attention
#endif
