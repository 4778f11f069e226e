// Declares how an iteration consists of kernels: the layouts of neighbour lists, and the functions that launch the
// kernels.
#ifndef MD_ITERATION_CUH
#define MD_ITERATION_CUH

#include "steps.cuh"

namespace md {

// Layouts of the neighbour lists. Narrow has 4 lanes of a warp per atom. Wide has 16 lanes, for fewer than kFew atoms,
// which would not fill the device with 4 lanes each. LAB.md has the times of other widths.
using Wide = Chunks<16, 2>;
using Narrow = Chunks<4, 4>;
constexpr int kFew = 12288;  // number of atoms

Leg leg_of(const md_call *call);

// Launches all steps of an iteration with Steps::launch. The first step also measures energies, and the last one writes
// the state to the tensors r and v.
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
// Sets *blocks to the number of blocks that have work and can be resident at the same time.
int persistent_blocks(int n, int *blocks);

}  // namespace md

#endif
