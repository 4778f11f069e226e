// Declares what the kernels of flash.cu and flash_f32.cu share: their launchers, and the order in which CTAs
// take query tiles.
#ifndef ATTENTION_FLASH_H
#define ATTENTION_FLASH_H

#include <cuda_runtime.h>

#include "kernels.h"

namespace attention {

int flash_half_prepare(const attention_problem *p);
int flash_half_run(const attention_problem *p, cudaStream_t stream);
int flash_f32_prepare(const attention_problem *p);
int flash_f32_run(const attention_problem *p, cudaStream_t stream);

// Returns log2(e) / sqrt(d): multiplied by it, unscaled scores can be passed to exp2 instead of exp.
inline float flash_scale_log2(int d) {
  return static_cast<float>(1.4426950408889634 / (d == 64 ? 8.0 : d == 128 ? 11.313708498984761 : 16.0));
}

// Returns how many heads of queries to work on at the same time, so that their keys and values (2 * s * d elements for
// each head of keys) stay in the L2 cache.
inline int flash_resident(const attention_problem *p, int element_bytes) {
  const int64_t budget = 16 << 20;
  const int64_t rows = p->offsets != nullptr ? p->longest : p->s;
  const int64_t head_bytes = 2 * rows * p->d * element_bytes;
  const int64_t fit = budget / head_bytes * p->group;
  return static_cast<int>(fit < 1 ? 1 : fit < p->heads ? fit : p->heads);
}

struct flash_place {
  int64_t head;
  int tile;
};

// Maps a CTA to a head and a query tile. CTAs start in the order of their index, which goes through one group of
// `resident` heads after the other, and within a group begins with the last query tiles, because causal masking makes
// them the longest.
__device__ __forceinline__ flash_place flash_place_of(unsigned cta, int64_t heads, int resident, int tiles) {
  const int64_t first = cta / (static_cast<int64_t>(tiles) * resident) * resident;
  const int64_t left = cta - first * tiles;
  const int64_t size = heads - first < resident ? heads - first : resident;
  flash_place place;
  place.head = first + left % size;
  place.tile = tiles - 1 - static_cast<int>(left / size);
  return place;
}

}  // namespace attention
#endif
