// Declares what the CUDA kernels of the md plugin share: the arguments of an iteration, the force of a pair, and sums
// over a block.
#ifndef MD_DEVICE_CUH
#define MD_DEVICE_CUH

#include <cuda_runtime.h>

#include "kernels.h"

namespace md {

constexpr unsigned kAll = 0xffffffffu;
constexpr int kThreads = 256;
// Number of blocks that are resident on a multiprocessor, for three kinds of kernels. With more blocks, kernels would
// run out of registers.
constexpr int kResident = 5, kStepping = 6, kListing = 4;

// The arguments of all kernels of an iteration: tensors, arrays of the workspace (struct md_workspace), and parameters.
struct Leg {
  float *r, *v;
  int *clock;
  double *thermo;
  float4 *positions[2], *velocities, *sorted, *forces;
  int *cell, *slot, *population, *start, *neighbours, *list, *notes;
  // across: number of cells in each direction; width: length of an edge of a cell.
  int n, steps, across;
  float box, inverse_box, width, cutoff2, reach, timestep, edge_force, edge_energy;
};

// Returns x / box, rounded to the nearest integer. Exact for results below 2^22.
__device__ __forceinline__ float images(float x, float inverse_box) {
  return __fadd_rn(__fadd_rn(__fmul_rn(x, inverse_box), 12582912.0f), -12582912.0f);
}

__device__ __forceinline__ float nearest(float d, const Leg &leg) {
  return fmaf(-leg.box, images(d, leg.inverse_box), d);
}

// Force, potential energy and virial of one atom, added up over its pairs.
struct Sum {
  float x = 0, y = 0, z = 0;
  float potential = 0, virial = 0;  // added up only if add_pair() has kMeasure
};

// Adds the force, energy and virial of atom a due to atom b to `sum`. If kImages, uses the nearest periodic image of b.
template <bool kImages, bool kMeasure>
__device__ __forceinline__ void add_pair(const Leg &leg, float4 a, float4 b, Sum &sum) {
  float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
  if (kImages) {
    dx = nearest(dx, leg);
    dy = nearest(dy, leg);
    dz = nearest(dz, leg);
  }
  const float r2 = fmaf(dx, dx, fmaf(dy, dy, dz * dz));
  const float inverse = rsqrtf(r2), inverse2 = inverse * inverse;
  const float s6 = inverse2 * inverse2 * inverse2;
  const bool within = r2 < leg.cutoff2 && r2 > 0.0f;  // r2 is 0 if b is a itself, with which lists are padded
  float over_r = fmaf(s6 * fmaf(48.0f, s6, -24.0f), inverse2, -leg.edge_force * inverse);
  over_r = within ? over_r : 0.0f;
  sum.x = fmaf(over_r, dx, sum.x);
  sum.y = fmaf(over_r, dy, sum.y);
  sum.z = fmaf(over_r, dz, sum.z);
  if (kMeasure && within) {
    sum.potential += fmaf(4.0f * s6, s6 - 1.0f, fmaf(leg.edge_force, r2 * inverse, leg.edge_energy));
    sum.virial = fmaf(over_r, r2, sum.virial);
  }
}

// Returns true if pairs of atom `a` may cross a face of the box during the iteration.
__device__ __forceinline__ bool near_face(const Leg &leg, float4 a) {
  // Subtracts 1, because atoms leave the box by less than 1 within an iteration.
  const float most = 0.5f * leg.box - leg.reach - 1.0f;
  return !(fabsf(a.x) < most && fabsf(a.y) < most && fabsf(a.z) < most);
}

// Adds the sums of the three values over the threads of the block to this iteration's row of the tensor `thermo`.
__device__ __forceinline__ void add_measures(const Leg &leg, double potential, double kinetic, double virial) {
  __shared__ double parts[3][32];
  double values[3] = {potential, kinetic, virial};
#pragma unroll
  for (int i = 0; i < 3; i++) {
#pragma unroll
    for (int d = 16; d > 0; d /= 2)
      values[i] += __shfl_xor_sync(kAll, values[i], d);
    if (threadIdx.x % 32 == 0) parts[i][threadIdx.x / 32] = values[i];
  }
  __syncthreads();
  if (threadIdx.x < 3) {
    double sum = 0;
    for (int w = 0; w < int(blockDim.x) / 32; w++)
      sum += parts[threadIdx.x][w];
    atomicAdd(leg.thermo + 4 * leg.notes[1] + 1 + threadIdx.x, sum);
  }
  __syncthreads();
}

// Takes a leapfrog step of atom number `at`, which is at `here` and on which the force is `sum`: changes its velocity
// by the force, then its position by the velocity. If kLast, writes the result to the tensors r and v. Returns the
// kinetic energy halfway through the change of the velocity.
template <bool kLast>
__device__ __forceinline__ double advance(const Leg &leg, int at, float4 here, const Sum &sum, float4 *to) {
  float4 v = leg.velocities[at];
  const float half = 0.5f * leg.timestep;
  const float mx = fmaf(half, sum.x, v.x), my = fmaf(half, sum.y, v.y), mz = fmaf(half, sum.z, v.z);
  v.x = fmaf(leg.timestep, sum.x, v.x);
  v.y = fmaf(leg.timestep, sum.y, v.y);
  v.z = fmaf(leg.timestep, sum.z, v.z);
  here.x = fmaf(leg.timestep, v.x, here.x);
  here.y = fmaf(leg.timestep, v.y, here.y);
  here.z = fmaf(leg.timestep, v.z, here.z);
  if (kLast) {  // keeps the number of box lengths by which the former position in r is outside the box
    const int64_t i = 3 * int64_t(__float_as_int(here.w));
    leg.r[i] = fmaf(leg.box, images(leg.r[i], leg.inverse_box), here.x);
    leg.r[i + 1] = fmaf(leg.box, images(leg.r[i + 1], leg.inverse_box), here.y);
    leg.r[i + 2] = fmaf(leg.box, images(leg.r[i + 2], leg.inverse_box), here.z);
    leg.v[i] = v.x;
    leg.v[i + 1] = v.y;
    leg.v[i + 2] = v.z;
  } else {
    leg.velocities[at] = v;
    to[at] = here;
  }
  return 0.5 * (double(mx) * mx + double(my) * my + double(mz) * mz);
}

// Ends the iteration: advances the clock, or sets it to MD_OVERFLOWN if a neighbour list overflowed. Called by one
// thread.
__device__ __forceinline__ void tick(const Leg &leg) {
  *leg.clock = leg.notes[0] ? MD_OVERFLOWN : *leg.clock + leg.steps;
}

}  // namespace md

#endif
