// The method MD_ALL_PAIRS: each step computes the forces of all pairs of atoms, with tiles of atoms in shared memory.
#include "iteration.cuh"

namespace md {
namespace {

__global__ void __launch_bounds__(kThreads, kResident) pack(const Leg leg) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= leg.n) return;
  const float3 at = into_box(leg, i);
  const float *v = leg.v + 3 * int64_t(i);
  leg.positions[0][i] = make_float4(at.x, at.y, at.z, __int_as_float(i));
  leg.velocities[i] = make_float4(v[0], v[1], v[2], 0.0f);
  if (i == 0) begin_row(leg);
}

template <bool kMeasure, bool kLast>
__global__ void __launch_bounds__(kThreads, kResident) step(const Leg leg, const float4 *from, float4 *to) {
  __shared__ float4 tile[kThreads];
  const int at = blockIdx.x * kThreads + threadIdx.x;
  const float4 here = from[min(at, leg.n)];
  Sum sum;
  for (int first = 0; first < leg.n; first += kThreads) {
    __syncthreads();
    tile[threadIdx.x] = from[min(first + int(threadIdx.x), leg.n)];
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < kThreads; k++)
      if (first + k < leg.n) add_pair<true, kMeasure>(leg, here, tile[k], sum);
  }
  double kinetic = 0;
  if (at < leg.n) kinetic = advance<kLast>(leg, at, here, sum, to);
  if (kMeasure) add_measures(leg, 0.5 * double(sum.potential), kinetic, 0.5 * double(sum.virial));
  if (kLast && blockIdx.x == 0 && threadIdx.x == 0) tick(leg);
}

struct ByPair {
  static constexpr int kLanes = 1;
  template <bool kMeasure, bool kLast>
  static void launch(const Leg &leg, const float4 *from, float4 *to, unsigned blocks, cudaStream_t stream) {
    step<kMeasure, kLast><<<blocks, kThreads, 0, stream>>>(leg, from, to);
  }
};

}  // namespace

int launch_all_pairs(const Leg &leg, cudaStream_t stream) {
  pack<<<unsigned(leg.n + kThreads - 1) / kThreads, kThreads, 0, stream>>>(leg);
  return launch_steps<ByPair>(leg, stream);
}

}  // namespace md
