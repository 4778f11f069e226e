// The method MD_HALF: the force of each pair is computed once, by the thread of the first atom. The opposite force is
// added to the second atom by atomic operations.
#include "iteration.cuh"

namespace md {
namespace {

__device__ __forceinline__ void add_force(float4 *force, float x, float y, float z) {
  atomicAdd(&force->x, x);
  atomicAdd(&force->y, y);
  atomicAdd(&force->z, z);
}

template <bool kImages, bool kMeasure>
__device__ __forceinline__ Sum half_row(const Leg &leg, const float4 *from, int at, float4 here) {
  Sum all;
  const int count = leg.neighbours[at];
#pragma unroll 4
  for (int e = 0; e < count; e++) {
    Sum one;
    const int other = leg.list[Transposed::at(leg, at, e)];
    add_pair<kImages, kMeasure>(leg, here, from[other], one);
    if (one.x != 0.0f || one.y != 0.0f || one.z != 0.0f) add_force(leg.forces + other, -one.x, -one.y, -one.z);
    all.x += one.x;
    all.y += one.y;
    all.z += one.z;
    all.potential += one.potential;
    all.virial += one.virial;
  }
  return all;
}

template <bool kMeasure>
__global__ void __launch_bounds__(kThreads, kResident) push(const Leg leg, const float4 *from) {
  const int at = blockIdx.x * kThreads + threadIdx.x;
  const float4 here = from[min(at, leg.n)];
  Sum sum;
  if (at < leg.n) {
    sum = near_face(leg, here) ? half_row<true, kMeasure>(leg, from, at, here)
                               : half_row<false, kMeasure>(leg, from, at, here);
    add_force(leg.forces + at, sum.x, sum.y, sum.z);
  }
  if (kMeasure) add_measures(leg, sum.potential, 0.0, sum.virial);
}

template <bool kMeasure, bool kLast>
__global__ void __launch_bounds__(kThreads, kResident) move(const Leg leg, const float4 *from, float4 *to) {
  const int at = blockIdx.x * kThreads + threadIdx.x;
  double kinetic = 0;
  if (at < leg.n) {
    const float4 force = leg.forces[at];
    Sum sum;
    sum.x = force.x;
    sum.y = force.y;
    sum.z = force.z;
    leg.forces[at] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    kinetic = advance<kLast>(leg, at, from[at], sum, to);
  }
  if (kMeasure) add_measures(leg, 0.0, kinetic, 0.0);
  if (kLast && blockIdx.x == 0 && threadIdx.x == 0) tick(leg);
}

struct ByHalf {
  static constexpr int kLanes = 1;
  template <bool kMeasure, bool kLast>
  static void launch(const Leg &leg, const float4 *from, float4 *to, unsigned blocks, cudaStream_t stream) {
    push<kMeasure><<<blocks, kThreads, 0, stream>>>(leg, from);
    move<kMeasure, kLast><<<blocks, kThreads, 0, stream>>>(leg, from, to);
  }
};

}  // namespace

int launch_half(const Leg &leg, cudaStream_t stream) {
  return launch_steps<ByHalf>(leg, stream);
}

}  // namespace md
