// How an iteration is put together from kernels.
#ifndef MD_ITERATION_CUH
#define MD_ITERATION_CUH

#include "steps.cuh"

namespace md {

// How many lanes an atom has: more where there are fewer atoms than would fill the device. LAB.md has what others take.
using Wide = Chunks<16, 2>;
using Narrow = Chunks<4, 4>;
constexpr int kFew = 12288;  // atoms

Leg leg_of(const md_call *call);

// All steps, by Steps::launch; the first is measured, the last brings the state home.
template <class Steps>
int launch_steps(const Leg &leg, cudaStream_t stream) {
  constexpr int kAtoms = kThreads / Steps::kLanes;
  const unsigned blocks = unsigned(leg.n + kAtoms - 1) / kAtoms;
  for (int s = 0; s < leg.steps; s++) {
    const float4 *from = leg.positions[s % 2];
    float4 *to = leg.positions[(s + 1) % 2];
    if (leg.steps == 1)
      Steps::template launch<true, true>(leg, from, to, blocks, stream);
    else if (s == 0)
      Steps::template launch<true, false>(leg, from, to, blocks, stream);
    else if (s == leg.steps - 1)
      Steps::template launch<false, true>(leg, from, to, blocks, stream);
    else
      Steps::template launch<false, false>(leg, from, to, blocks, stream);
  }
  return cudaGetLastError();
}

int launch_half(const Leg &leg, cudaStream_t stream);
int launch_all_pairs(const Leg &leg, cudaStream_t stream);
int launch_persistent(const Leg &leg, int blocks, cudaStream_t stream);
int persistent_blocks(int n, int *blocks);  // as many as there is work for and as can be there at once

}  // namespace md

#endif
