// What a thread holds of a row that stays in registers, and which of a row's elements are seen.
#ifndef SOFTMAX_SLICE_CUH
#define SOFTMAX_SLICE_CUH

#include "device.cuh"

namespace softmax {

// ---- Which elements of a row are seen: of any(column) alone depends whether a pack from there on is read; of<kWidth>
// says it of each of its elements -------------------------------------------------------------------------------------

struct Everything {
  template <int kWidth>
  struct Of {
    __device__ __forceinline__ bool operator[](int) const {
      return true;
    }
  };
  __device__ __forceinline__ bool any(int) const {
    return true;
  }
  template <int kWidth>
  __device__ __forceinline__ Of<kWidth> of(int) const {
    return {};
  }
};

// The part of a row that one thread holds: E elements in packs of 16 bytes, and at most one of the elements before the
// first and after the last 16-byte boundary (fewer than 2 * kWidth together, so the first warp covers them).
template <typename T, int E>
struct Slice {
  using P = Pack<T>;
  static constexpr int kPacks = E / P::kWidth;
  float value[E];
  float edge;
  int head;     // elements before the first boundary
  int first;    // this thread's first pack; the others follow at distance `step`
  int last;     // end of the packs of this thread's block
  int step;     // threads that share the packs
  int edge_at;  // index of `edge` in the row, or -1

  // Block `rank` of `ranks` takes an equal share of the packs; `id` is one of `threads`.
  __device__ __forceinline__ Slice(const T *row, int n, int id, int threads, int rank, int ranks) : step(threads) {
    const int offset = int(reinterpret_cast<uintptr_t>(row) % 16 / sizeof(T));
    head = min(n, (P::kWidth - offset) % P::kWidth);
    const int packs = (n - head) / P::kWidth;
    const int tail = n - head - packs * P::kWidth;
    const int share = (packs + ranks - 1) / ranks;
    first = rank * share + id;
    last = min(packs, (rank + 1) * share);
    edge_at = -1;
    if (rank == 0 && id < head + tail) edge_at = id < head ? id : n - tail + (id - head);
  }

  // What does not exist or is not seen is -inf.
  template <typename Seen>
  __device__ __forceinline__ void load(const T *row, const Seen &seen) {
    const uint4 *body = reinterpret_cast<const uint4 *>(row + head);
    uint4 pack[kPacks];
    typename Seen::template Of<P::kWidth> shown[kPacks];
#pragma unroll
    for (int k = 0; k < kPacks; k++) {
      const int column = head + (first + k * step) * P::kWidth;
      if (first + k * step < last && seen.any(column)) {
        pack[k] = load_pack(body + first + k * step);
        shown[k] = seen.template of<P::kWidth>(column);
      }
    }
    edge = edge_at >= 0 && seen.template of<1>(edge_at)[0] ? to_float(row[edge_at]) : neg_inf();
#pragma unroll
    for (int k = 0; k < kPacks; k++) {
      const int column = head + (first + k * step) * P::kWidth;
      float *v = value + k * P::kWidth;
      P::unpack(pack[k], v);
      const bool there = first + k * step < last && seen.any(column);
#pragma unroll
      for (int i = 0; i < P::kWidth; i++)
        if (!there || !shown[k][i]) v[i] = neg_inf();
    }
  }

  // Turns the values into exp(value - maximum of this warp); returns that maximum and the warp's sum.
  __device__ __forceinline__ Stat exponentiate() {
    float max = edge;
#pragma unroll
    for (int i = 0; i < E; i++)
      max = fmaxf(max, value[i]);
    max = warp_max(max);
    const float shift = shift_of(max);
    edge = exp_fast(edge - shift);
    float sum[4] = {edge, 0.0f, 0.0f, 0.0f};
#pragma unroll
    for (int i = 0; i < E; i++)
      sum[i % 4] += value[i] = exp_fast(value[i] - shift);
    return {max, warp_sum((sum[0] + sum[1]) + (sum[2] + sum[3]))};
  }

  // `own` is the warp's maximum, `all` describes the whole row.
  __device__ __forceinline__ void write(T *row, float own, Stat all) const {
    uint4 *body = reinterpret_cast<uint4 *>(row + head);
    const float scale = exp_fast(own - shift_of(all.max)) / all.sum;
#pragma unroll
    for (int k = 0; k < kPacks; k++) {
      float f[P::kWidth];
#pragma unroll
      for (int i = 0; i < P::kWidth; i++)
        f[i] = value[k * P::kWidth + i] * scale;
      if (first + k * step < last) body[first + k * step] = P::pack(f);
    }
    if (edge_at >= 0) store(row + edge_at, edge * scale);
  }
};

}  // namespace softmax

#endif
