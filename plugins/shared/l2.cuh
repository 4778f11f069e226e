// What L2 is asked to do with the lines of a load. A kernel that reads here and writes there, both once, takes 1 to 2%
// less time where what it reads is the last to leave, and moves the same bytes: activations' README has the counters.
// Stores do not ask for it: they would be written back when the time is over.
#ifndef PLUGINS_L2_CUH
#define PLUGINS_L2_CUH

#include <stdint.h>

namespace l2 {

// PTX ISA, "createpolicy": a constant to the assembler.
__device__ __forceinline__ uint64_t evict_last() {
  uint64_t policy;
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}

// The first to leave: of what is read once and not written over, while other lines are wanted again.
__device__ __forceinline__ uint64_t evict_first() {
  uint64_t policy;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}

}  // namespace l2
#endif
