// L2 eviction policies for loads. A kernel that reads one buffer and writes another, each once, takes 1 to 2% less time
// if the lines of its input are evicted last, although it moves the same bytes. plugins/activations/LAB.md has the
// measurements. Stores must not use these policies, because their lines would stay in L2 and be written back after the
// timed interval.
#ifndef PLUGINS_L2_CUH
#define PLUGINS_L2_CUH

#include <stdint.h>

namespace l2 {

// Returns the policy "evict last". Source: PTX ISA, "createpolicy". The assembler folds it to a constant.
__device__ __forceinline__ uint64_t evict_last() {
  uint64_t policy;
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}

// Returns the policy "evict first", for data that is read once and not overwritten, so that lines that will be read
// again stay in L2.
__device__ __forceinline__ uint64_t evict_first() {
  uint64_t policy;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}

}  // namespace l2
#endif
