// Sorts atoms into cells, and makes neighbour lists from them. The list of an atom holds the atoms within the distance
// `reach`. Cells are at least half as wide as `reach`, so that these atoms are at most two cells away. There are at
// least five cells in each direction, so that a search does not visit a cell twice across the periodic boundary.
#ifndef MD_BINS_CUH
#define MD_BINS_CUH

#include "device.cuh"

namespace md {

__device__ __forceinline__ int coordinate(const Leg &leg, float x) {
  const int at = int(fmaf(x, leg.inverse_box, 0.5f) * float(leg.across));
  return min(max(at, 0), leg.across - 1);
}

__device__ __forceinline__ float3 into_box(const Leg &leg, int i) {
  const float *r = leg.r + 3 * int64_t(i);
  return make_float3(nearest(r[0], leg), nearest(r[1], leg), nearest(r[2], leg));
}

// Starts the row of the tensor `thermo` that belongs to this iteration: stores its step number and clears its sums.
// Called by one thread.
__device__ __forceinline__ void begin_row(const Leg &leg) {
  const int row = *leg.clock / leg.steps % MD_RING;
  leg.notes[1] = row;
  leg.thermo[4 * row] = *leg.clock;
  leg.thermo[4 * row + 1] = leg.thermo[4 * row + 2] = leg.thermo[4 * row + 3] = 0;
}

// Finds the cell of atom i and the atom's place in the cell. The thread of atom 0 also starts this iteration's row of
// the tensor `thermo`.
__device__ __forceinline__ void bin_atom(const Leg &leg, int i) {
  const float3 at = into_box(leg, i);
  const int cell = (coordinate(leg, at.z) * leg.across + coordinate(leg, at.y)) * leg.across + coordinate(leg, at.x);
  leg.cell[i] = cell;
  leg.slot[i] = atomicAdd(leg.population + cell, 1);
  if (i == 0) begin_row(leg);
}

constexpr int kScanned = 4096;  // cells that one block of 1024 threads handles

// Computes where each cell begins among the sorted atoms, for the kScanned cells of block number `block`. Blocks do not
// wait for each other: each of them adds up the populations of all cells before its own.
__device__ __forceinline__ void scan_cells(const Leg &leg, int block) {
  __shared__ int parts[32];
  const int cells = leg.across * leg.across * leg.across, first = block * kScanned;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const int4 *all = reinterpret_cast<const int4 *>(leg.population);
  int before = 0;
  for (int c = threadIdx.x; c < first / 4; c += blockDim.x) {
    const int4 some = all[c];
    before += some.x + some.y + some.z + some.w;
  }
#pragma unroll
  for (int d = 16; d > 0; d /= 2)
    before += __shfl_xor_sync(kAll, before, d);
  if (lane == 0) parts[warp] = before;
  __syncthreads();
  before = 0;
  for (int w = 0; w < warps; w++)
    before += parts[w];
  __syncthreads();
  for (int at = first; at < min(first + kScanned, cells); at += 4 * blockDim.x) {
    const int mine = at + 4 * threadIdx.x;
    int count[4], sum = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) {
      count[k] = mine + k < cells ? leg.population[mine + k] : 0;
      sum += count[k];
    }
    int rising = sum;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
      const int other = __shfl_up_sync(kAll, rising, d);
      if (lane >= d) rising += other;
    }
    if (lane == 31) parts[warp] = rising;
    __syncthreads();
    int start = before + rising - sum;
    for (int w = 0; w < warps; w++) {
      if (w < warp) start += parts[w];
      before += parts[w];
    }
#pragma unroll
    for (int k = 0; k < 4; k++) {
      if (mine + k <= cells) leg.start[mine + k] = start;
      start += count[k];
    }
    __syncthreads();
  }
  if (first + kScanned >= cells && threadIdx.x == 0) leg.start[cells] = leg.n;
}

// Copies atom i to its place among the atoms that are sorted by cell, and clears the cells' populations for the next
// iteration. If kKept, also stores its position in `sorted`, which the steps do not change, for searches by cell. If
// kOwnOrder, the atoms that the steps move stay in their own order, and the sorted ones serve only to make the list.
template <bool kKept, bool kOwnOrder>
__device__ __forceinline__ void place_atom(const Leg &leg, int i) {
  const float3 at = into_box(leg, i);
  const int to = leg.start[leg.cell[i]] + leg.slot[i];
  const float *v = leg.v + 3 * int64_t(i);
  const float4 here = make_float4(at.x, at.y, at.z, __int_as_float(i));
  if (kKept || kOwnOrder) leg.sorted[to] = here;
  leg.positions[0][kOwnOrder ? i : to] = here;
  leg.velocities[kOwnOrder ? i : to] = make_float4(v[0], v[1], v[2], 0.0f);
  const int cells = leg.across * leg.across * leg.across;
  for (int c = i; c < cells; c += leg.n)
    leg.population[c] = 0;
}

// Calls visit(first, last, shifted) for each run of consecutive sorted atoms that may be within reach of `a`. `shifted`
// is the periodic image of `a` that is nearest to the atoms of the run.
template <class Visit>
__device__ __forceinline__ void each_run(const Leg &leg, float4 a, Visit visit) {
  const int across = leg.across;
  const float width = leg.width, per_cell = float(across) * leg.inverse_box, middle = 0.5f * float(across);
  const int cx = coordinate(leg, a.x), cy = coordinate(leg, a.y), cz = coordinate(leg, a.z);
  const float most = leg.reach * leg.reach * 1.0001f;
  for (int row = 0; row < 25; row++) {
    float4 at = a;
    int y = cy + row % 5 - 2, z = cz + row / 5 - 2;
    if (y < 0) y += across, at.y += leg.box;
    if (y >= across) y -= across, at.y -= leg.box;
    if (z < 0) z += across, at.z += leg.box;
    if (z >= across) z -= across, at.z -= leg.box;
    const float off_y = fmaxf(fmaxf((y - middle) * width - at.y, at.y - (y + 1 - middle) * width), 0.0f);
    const float off_z = fmaxf(fmaxf((z - middle) * width - at.z, at.z - (z + 1 - middle) * width), 0.0f);
    const float left = most - off_y * off_y - off_z * off_z;
    if (left <= 0.0f) continue;
    const float span = fmaf(left, rsqrtf(left), 1e-3f);
    const int low = max(int(floorf(fmaf(a.x - span, per_cell, middle))), cx - 2);
    const int high = min(int(floorf(fmaf(a.x + span, per_cell, middle))), cx + 2);
    const int *start = leg.start + (z * across + y) * across;
    for (int image = low < 0 ? -1 : 0; image <= (high >= across ? 1 : 0); image++) {
      const int first = max(low - image * across, 0), last = min(high - image * across, across - 1);
      at.x = fmaf(float(-image), leg.box, a.x);
      visit(start[first], start[last + 1], at);
    }
  }
}

// Layout of the neighbour lists in memory for one thread per atom. at() returns the index of entry e in the list of
// atom `row`.
struct Transposed {  // entry e of all lists is contiguous
  static constexpr int kLanes = 1, kChunk = 1;
  static __device__ __forceinline__ int64_t at(const Leg &leg, int row, int e) {
    return int64_t(e) * leg.n + row;
  }
};

// Layout of the neighbour lists in memory for kGroup lanes of a warp per atom, each of which loads kDeep entries at a
// time. Consecutive entries of a list go to adjacent lanes, because these atoms are often adjacent in memory. Lists are
// padded with the atom itself, which add_pair() ignores.
template <int kGroup, int kDeep>
struct Chunks {
  static constexpr int kLanes = kGroup, kChunk = kGroup * kDeep;
  static __device__ __forceinline__ int64_t at(const Leg &, int row, int e) {
    const int within = e % kChunk;
    return int64_t(row) * MD_WIDTH + e - within + within % kLanes * kDeep + within / kLanes;
  }
};

// A row of five neighbouring cells along x. 25 lanes of a warp have one row each. Together the rows are all cells that
// are at most two cells away from a given cell. The atoms of a row are one run of sorted atoms, or two runs if a face
// of the box divides the row.
struct Row {
  int first[2], count[2];
  float x[2], y, z;  // added to positions of atoms in the row, to get their image near the given cell
};

// Returns the row of lane `lane`, one of the 25 rows around cell (cx, cy, cz).
__device__ __forceinline__ Row row_around(const Leg &leg, int cx, int cy, int cz, int lane) {
  const int across = leg.across;
  Row row = {};
  if (lane >= 25) return row;
  int y = cy + lane % 5 - 2, z = cz + lane / 5 - 2;
  if (y < 0) y += across, row.y = -leg.box;
  if (y >= across) y -= across, row.y = leg.box;
  if (z < 0) z += across, row.z = -leg.box;
  if (z >= across) z -= across, row.z = leg.box;
  const int *start = leg.start + (z * across + y) * across;
  const int low = max(cx - 2, 0), high = min(cx + 2, across - 1);
  row.first[0] = start[low];
  row.count[0] = start[high + 1] - row.first[0];
  if (cx < 2) {
    row.first[1] = start[across + cx - 2];
    row.count[1] = start[across] - row.first[1];
    row.x[1] = -leg.box;
  } else if (cx + 2 >= across) {
    row.first[1] = start[0];
    row.count[1] = start[cx + 3 - across] - row.first[1];
    row.x[1] = leg.box;
  }
  return row;
}

// Returns the inclusive prefix sum of `count` over the lanes of a warp.
__device__ __forceinline__ int up_to_here(int count, int lane) {
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    const int other = __shfl_up_sync(kAll, count, d);
    if (lane >= d) count += other;
  }
  return count;
}

// Returns the index of candidate t among the sorted atoms, and stores in `at` its position, moved to the periodic image
// near the cell. Returns -1 if t is beyond the last candidate. Candidates are the atoms of the rows of all lanes,
// numbered consecutively. `end` is the prefix sum of the number of atoms up to this lane's row. All lanes of a warp
// must call this function.
__device__ __forceinline__ int candidate(const Leg &leg, const float4 *sorted, const Row &row, int end, int t,
                                         float4 *at) {
  int lane = 0;  // first lane with end > t
#pragma unroll
  for (int d = 16; d > 0; d /= 2)
    if (__shfl_sync(kAll, end, lane + d - 1) <= t) lane += d;
  const int first0 = __shfl_sync(kAll, row.first[0], lane), count0 = __shfl_sync(kAll, row.count[0], lane);
  const int first1 = __shfl_sync(kAll, row.first[1], lane), count1 = __shfl_sync(kAll, row.count[1], lane);
  const float x = __shfl_sync(kAll, row.x[1], lane), y = __shfl_sync(kAll, row.y, lane);
  const float z = __shfl_sync(kAll, row.z, lane);
  const int off = t - (__shfl_sync(kAll, end, lane) - count0 - count1);
  if (off >= count0 + count1) return -1;  // there is no candidate t
  const int q = off < count0 ? first0 + off : first1 + off - count0;
  *at = sorted[q];
  at->x += off < count0 ? 0.0f : x;
  at->y += y;
  at->z += z;
  return q;
}

// Pads the list of atom `row` and stores its length. `found` is the number of neighbours. If it exceeds MD_WIDTH, notes
// that the list overflowed.
template <class Layout>
__device__ __forceinline__ void end_list(const Leg &leg, int row, int found) {
  if (found > MD_WIDTH) {
    leg.notes[0] = 1;
    found = MD_WIDTH;
  }
  const int full = (found + Layout::kChunk - 1) / Layout::kChunk * Layout::kChunk;
  for (int e = found; e < full; e++)
    leg.list[Layout::at(leg, row, e)] = row;
  leg.neighbours[row] = full;
}

constexpr int kAtATime = 4;  // number of atoms for which a warp makes lists at once; most cells have no more

// Makes the lists of all atoms of a cell, with one warp, which compares 32 candidates at a time with several atoms of
// the cell. If kOwnOrder, atoms in lists are given by their own numbers, otherwise by their places among the sorted
// atoms. If kHalf, each pair is in the list of its first atom only.
template <class Layout, bool kOwnOrder, bool kHalf>
__device__ __forceinline__ void list_cell(const Leg &leg, int cell) {
  const float4 *sorted = kOwnOrder ? leg.sorted : leg.positions[0];
  const int lane = threadIdx.x % 32, begin = leg.start[cell], behind = leg.start[cell + 1];
  if (begin == behind) return;
  const Row row =
      row_around(leg, cell % leg.across, cell / leg.across % leg.across, cell / leg.across / leg.across, lane);
  const int end = up_to_here(row.count[0] + row.count[1], lane), all = __shfl_sync(kAll, end, 31);
  const unsigned before = (1u << lane) - 1;
  const float reach2 = leg.reach * leg.reach;
  for (int some = begin; some < behind; some += kAtATime) {
    float4 a[kAtATime];
    int found[kAtATime] = {};
#pragma unroll
    for (int k = 0; k < kAtATime; k++)
      a[k] = sorted[min(some + k, behind - 1)];
    for (int t = 0; t < all; t += 32) {
      float4 b = {};
      const int q = candidate(leg, sorted, row, end, t + lane, &b);
#pragma unroll
      for (int k = 0; k < kAtATime; k++) {
        if (some + k >= behind) break;
        const float dx = a[k].x - b.x, dy = a[k].y - b.y, dz = a[k].z - b.z;
        const bool near = q >= 0 && fmaf(dx, dx, fmaf(dy, dy, dz * dz)) < reach2;
        const bool within = near && (kHalf ? q > some + k : q != some + k);
        const unsigned those = __ballot_sync(kAll, within);
        const int e = found[k] + __popc(those & before);
        if (within && e < MD_WIDTH) {
          const int at = kOwnOrder ? __float_as_int(a[k].w) : some + k;
          leg.list[Layout::at(leg, at, e)] = kOwnOrder ? __float_as_int(b.w) : q;
        }
        found[k] += __popc(those);
      }
    }
#pragma unroll
    for (int k = 0; k < kAtATime; k++)
      if (lane == k && some + k < behind)
        end_list<Layout>(leg, kOwnOrder ? __float_as_int(a[k].w) : some + k, found[k]);
  }
}

}  // namespace md

#endif
