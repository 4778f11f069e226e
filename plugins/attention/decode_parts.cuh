// Functions that merge the partial results (parts) of a row of queries. Each part was computed from a different share
// of the keys.
#ifndef ATTENTION_DECODE_PARTS_CUH
#define ATTENTION_DECODE_PARTS_CUH

#include "decode_shares.h"
#include "tile.cuh"

namespace attention {

constexpr unsigned kAll = 0xffffffffu;

// Returns `largest`, or 0 if it is -inf, so that subtracting it from a score of -inf does not give NaN.
__device__ __forceinline__ float finite(float largest) {
  return largest == -INFINITY ? 0.0f : largest;
}

// Computes the weights with which a row's parts are added up, and stores each in the member `largest` of its part. The
// states of the parts are `pitch` apart. Returns the merged state.
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

// Returns true, to all threads of a CTA, if it is the last CTA of its unit to finish its share; the results of the
// other CTAs are then visible to it. All threads of the CTA must call it; `sync` synchronises them. `finished` is 0
// before the first share and after the last one; `last` is in shared memory.
template <typename Sync>
__device__ __forceinline__ bool is_last(unsigned *finished, int shares, bool *last, Sync sync) {
  __threadfence();
  sync();
  if (threadIdx.x == 0) {
    *last = atomicAdd(finished, 1u) == static_cast<unsigned>(shares - 1);
    if (*last) *finished = 0;
  }
  sync();
  __threadfence();
  return *last;
}

}  // namespace attention
#endif
