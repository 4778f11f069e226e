// Takes one step of one atom, for each kind of neighbour list.
#ifndef MD_STEPS_CUH
#define MD_STEPS_CUH

#include "bins.cuh"

namespace md {

// Returns force, energy and virial of one atom, added up over its neighbour list, which has the layout Transposed.
template <bool kImages, bool kMeasure>
__device__ __forceinline__ Sum along_row(const Leg &leg, const float4 *from, int at, float4 here) {
  Sum sum;
  const int count = leg.neighbours[at];
#pragma unroll 4
  for (int e = 0; e < count; e++)
    add_pair<kImages, kMeasure>(leg, here, from[leg.list[Transposed::at(leg, at, e)]], sum);
  return sum;
}

template <int kDeep>
struct Entries;
template <>
struct Entries<4> {
  using type = int4;
};
template <>
struct Entries<2> {
  using type = int2;
};

// Returns force, energy and virial of one atom, added up over this lane's share of the neighbour list, which has a
// layout Chunks.
template <class Layout, bool kImages, bool kMeasure>
__device__ __forceinline__ Sum along_chunks(const Leg &leg, const float4 *from, int at, float4 here) {
  constexpr int kDeep = Layout::kChunk / Layout::kLanes;
  using Pack = typename Entries<kDeep>::type;
  Sum sum;
  const int lane = threadIdx.x % Layout::kLanes;
  const Pack *row = reinterpret_cast<const Pack *>(leg.list + int64_t(at) * MD_WIDTH) + lane;
  const int chunks = leg.neighbours[at] / Layout::kChunk;
#pragma unroll 2
  for (int c = 0; c < chunks; c++) {
    const Pack pack = row[c * Layout::kLanes];
    const int *entry = reinterpret_cast<const int *>(&pack);
    float4 other[kDeep];
#pragma unroll
    for (int k = 0; k < kDeep; k++)
      other[k] = from[entry[k]];
#pragma unroll
    for (int k = 0; k < kDeep; k++)
      add_pair<kImages, kMeasure>(leg, here, other[k], sum);
  }
  return sum;
}

template <int kLanes>
__device__ __forceinline__ float over_group(float x) {
#pragma unroll
  for (int d = kLanes / 2; d > 0; d /= 2)
    x += __shfl_xor_sync(kAll, x, d);
  return x;
}

// Takes a step of atom `at` with a group of lanes. All lanes of a warp must call this function. Lanes without an atom
// pass at >= n.
template <class Layout, bool kMeasure, bool kLast>
__device__ __forceinline__ void step_group(const Leg &leg, const float4 *from, float4 *to, int at) {
  const bool mine = at < leg.n;
  const float4 here = from[min(at, leg.n)];
  Sum sum;
  if (__any_sync(kAll, mine && near_face(leg, here))) {
    if (mine) sum = along_chunks<Layout, true, kMeasure>(leg, from, at, here);
  } else {
    if (mine) sum = along_chunks<Layout, false, kMeasure>(leg, from, at, here);
  }
  const double potential = 0.5 * double(sum.potential), virial = 0.5 * double(sum.virial);
  __syncwarp();
  sum.x = over_group<Layout::kLanes>(sum.x);
  sum.y = over_group<Layout::kLanes>(sum.y);
  sum.z = over_group<Layout::kLanes>(sum.z);
  double kinetic = 0;
  if (mine && threadIdx.x % Layout::kLanes == 0) kinetic = advance<kLast>(leg, at, here, sum, to);
  if (kMeasure) add_measures(leg, potential, kinetic, virial);
}

// Takes a step of atom `at` with one thread, which reads a neighbour list of the layout Transposed.
template <bool kMeasure, bool kLast>
__device__ __forceinline__ void step_row(const Leg &leg, const float4 *from, float4 *to, int at) {
  const bool mine = at < leg.n;
  const float4 here = from[min(at, leg.n)];
  Sum sum;
  if (mine && near_face(leg, here)) {
    sum = along_row<true, kMeasure>(leg, from, at, here);
  } else if (mine) {
    sum = along_row<false, kMeasure>(leg, from, at, here);
  }
  double kinetic = 0;
  if (mine) kinetic = advance<kLast>(leg, at, here, sum, to);
  if (kMeasure) add_measures(leg, 0.5 * double(sum.potential), kinetic, 0.5 * double(sum.virial));
}

// Takes a step of atom `at` with one thread, which searches the cells around the atom.
template <bool kMeasure, bool kLast>
__device__ __forceinline__ void step_cells(const Leg &leg, const float4 *from, float4 *to, int at) {
  const bool mine = at < leg.n;
  Sum sum;
  const float4 here = from[min(at, leg.n)];
  if (mine) {
    const float4 binned = leg.sorted[at];
    each_run(leg, binned, [&](int first, int last, float4 shifted) {
      if (shifted.x == binned.x && shifted.y == binned.y && shifted.z == binned.z) {
        for (int q = first; q < last; q++)
          add_pair<false, kMeasure>(leg, here, from[q], sum);
      } else {
        for (int q = first; q < last; q++)
          add_pair<true, kMeasure>(leg, here, from[q], sum);
      }
    });
  }
  double kinetic = 0;
  if (mine) kinetic = advance<kLast>(leg, at, here, sum, to);
  if (kMeasure) add_measures(leg, 0.5 * double(sum.potential), kinetic, 0.5 * double(sum.virial));
}

}  // namespace md

#endif
