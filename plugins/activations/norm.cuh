// Declares what the kernels of norms share: their arguments, the part of a row that a thread holds, and sums over a
// row. Nothing here launches a kernel.
#ifndef ACTIVATIONS_NORM_CUH
#define ACTIVATIONS_NORM_CUH

#include "device.cuh"

namespace activations {

template <typename T>
struct Rows {
  const T *__restrict__ x;
  const T *__restrict__ gamma;
  const T *__restrict__ beta;
  T *__restrict__ y;
  const T *__restrict__ z;   // added to x before the norm, or NULL
  T *__restrict__ s;         // where x + z is stored; the norm is computed from the stored, rounded sum
  float *__restrict__ mean;  // where the mean of each row is stored, or NULL
  float *__restrict__ rstd;  // where the scale of each row is stored, or NULL
  int64_t m;
  int n;
};

template <typename T>
Rows<T> rows_of(const activations_call &call) {
  return {static_cast<const T *>(call.x),
          static_cast<const T *>(call.gamma),
          static_cast<const T *>(call.beta),
          static_cast<T *>(call.y),
          static_cast<const T *>(call.z),
          static_cast<T *>(call.s),
          call.mean,
          call.rstd,
          call.m,
          int(call.n)};
}

// Moments of `count` values: their mean, and the sum of their squared deviations, m2. The moments of two sets of values
// can be merged without cancellation, while a difference of large sums would lose bits (Chan, Golub and LeVeque, 1983).
struct Moments {
  float count, mean, m2;
};

__device__ __forceinline__ float mean_of(float sum, float count) {
  return count > 0.0f ? sum / count : 0.0f;
}

// Returns to every lane the merged moments of all lanes of the warp.
__device__ __forceinline__ Moments warp_merge(const Moments &m) {
  const float count = warp_sum(m.count);
  const float mean = mean_of(warp_sum(m.count * m.mean), count);
  const float d = m.mean - mean;
  return {count, mean, warp_sum(m.m2 + m.count * d * d)};
}

// A thread's part of a row: E elements in packs of 16 bytes, and at most one edge element, that is an element before
// the first or after the last 16-byte boundary. A row has fewer than 2 * kWidth edge elements, so that the first warp
// covers them.
template <typename T, int E>
struct Slice {
  using P = Pack<T>;
  static constexpr int kWidth = P::kWidth;
  static constexpr int kPacks = E / kWidth;
  float value[E];
  float edge;
  int head;     // number of the row's elements before its first 16-byte boundary
  int first;    // index of this thread's first pack; its next packs are `step` apart
  int last;     // index behind the last pack of this thread's block
  int step;     // number of threads that share the packs
  int edge_at;  // index of `edge` in the row; -1: none

  // Computes which part belongs to thread `id` of `threads`, in block `rank`. Each of the `ranks` blocks has an equal
  // share of the packs.
  __device__ __forceinline__ Slice(const T *row, int n, int id, int threads, int rank, int ranks) : step(threads) {
    const int offset = int(reinterpret_cast<uintptr_t>(row) % 16 / sizeof(T));
    head = min(n, (kWidth - offset) % kWidth);
    const int packs = (n - head) / kWidth;
    const int tail = n - head - packs * kWidth;
    const int share = (packs + ranks - 1) / ranks;
    first = rank * share + id;
    last = min(packs, (rank + 1) * share);
    edge_at = -1;
    if (rank == 0 && id < head + tail) edge_at = id < head ? id : n - tail + (id - head);
  }

  __device__ __forceinline__ bool holds(int k) const {
    return first + k * step < last;
  }

  // Loads the elements of this thread. Elements beyond the end of the row become 0.
  __device__ __forceinline__ void load(const T *row) {
    const uint4 *body = reinterpret_cast<const uint4 *>(row + head);
    uint4 pack[kPacks];
#pragma unroll
    for (int k = 0; k < kPacks; k++) {
      pack[k] = make_uint4(0, 0, 0, 0);
      if (holds(k)) pack[k] = load_pack(body + first + k * step);
    }
    edge = edge_at >= 0 ? to_float(row[edge_at]) : 0.0f;
#pragma unroll
    for (int k = 0; k < kPacks; k++)
      P::unpack(pack[k], value + k * kWidth);
  }

  // Returns the sum of term(value) over this thread's values. It is computed in four independent chains, which hide the
  // latency of the additions.
  template <typename F>
  __device__ __forceinline__ float sum(F term) const {
    float s[4] = {edge_at >= 0 ? term(edge) : 0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll
    for (int k = 0; k < kPacks; k++)
      if (holds(k)) {
#pragma unroll
        for (int i = 0; i < kWidth; i++)
          s[i % 4] += term(value[k * kWidth + i]);
      }
    return (s[0] + s[1]) + (s[2] + s[3]);
  }

  __device__ __forceinline__ float count() const {
    float c = edge_at >= 0 ? 1.0f : 0.0f;
#pragma unroll
    for (int k = 0; k < kPacks; k++)
      c += holds(k) ? float(kWidth) : 0.0f;
    return c;
  }

  // Returns the moments of the values of the warp. Computes the mean first, and then the deviations from it.
  __device__ __forceinline__ Moments moments() const {
    const float all = warp_sum(count());
    const float mean = mean_of(warp_sum(sum([](float x) { return x; })), all);
    return {all, mean, warp_sum(sum([mean](float x) { return (x - mean) * (x - mean); }))};
  }

  // Loads kWidth entries of gamma or beta, which have one entry per column. If kAligned, all rows start at 16-byte
  // boundaries, so that one 16-byte access suffices.
  template <bool kAligned>
  static __device__ __forceinline__ void column_pack(const T *at, float *f) {
    if (kAligned) {
      P::unpack(*reinterpret_cast<const uint4 *>(at), f);
    } else {
#pragma unroll
      for (int i = 0; i < kWidth; i++)
        f[i] = to_float(at[i]);
    }
  }

  template <bool kBeta, bool kAligned, typename Finish>
  __device__ __forceinline__ void write_packs(T *row, const T *gamma, const T *beta, float mean, float scale) const {
    uint4 *body = reinterpret_cast<uint4 *>(row + head);
#pragma unroll
    for (int k = 0; k < kPacks; k++)
      if (holds(k)) {
        const int column = head + (first + k * step) * kWidth;
        float g[kWidth], b[kWidth] = {};
        column_pack<kAligned>(gamma + column, g);
        if (kBeta) column_pack<kAligned>(beta + column, b);
#pragma unroll
        for (int i = 0; i < kWidth; i++)
          g[i] = Finish::template apply<T>(fmaf((value[k * kWidth + i] - mean) * scale, g[i], b[i]));
        body[first + k * step] = P::pack(g);
      }
  }

  // Writes Finish(y) with y = (value - mean) * scale * gamma + beta. If not kBeta, there is no beta.
  template <bool kBeta, typename Finish>
  __device__ __forceinline__ void write(T *row, const T *gamma, const T *beta, float mean, float scale) const {
    if (head == 0)
      write_packs<kBeta, true, Finish>(row, gamma, beta, mean, scale);
    else
      write_packs<kBeta, false, Finish>(row, gamma, beta, mean, scale);
    if (edge_at < 0) return;
    const float b = kBeta ? to_float(beta[edge_at]) : 0.0f;
    store(row + edge_at, Finish::template apply<T>(fmaf((edge - mean) * scale, to_float(gamma[edge_at]), b)));
  }
};

// ---- Statistics of a row -------------------------------------------------------------------------------------------

struct Layer {  // LayerNorm: subtracts the mean, divides by the standard deviation
  static constexpr bool kBeta = true;
  template <typename S>
  static __device__ __forceinline__ Moments of(const S &slice) {
    return slice.moments();
  }
  static __device__ __forceinline__ Moments merge(const Moments &m) {
    return warp_merge(m);
  }
};

struct Rms {  // RMSNorm: divides by the root mean square; m2 is the sum of squares, and mean stays 0
  static constexpr bool kBeta = false;
  template <typename S>
  static __device__ __forceinline__ Moments of(const S &slice) {
    return {0.0f, 0.0f, warp_sum(slice.sum([](float x) { return x * x; }))};
  }
  static __device__ __forceinline__ Moments merge(const Moments &m) {
    return {0.0f, 0.0f, warp_sum(m.m2)};
  }
};

__device__ __forceinline__ float scale_of(const Moments &m, int n) {
  return rsqrtf(m.m2 / float(n) + ACTIVATIONS_EPSILON);
}

// The template parameter Finish of the kernels is a class whose apply() changes a normalised value before it is stored.
// Plain leaves the value as it is. If kSave, the statistics of the row are stored, too.
struct Plain {
  static constexpr bool kCheap = true, kSave = false;
  template <typename T>
  static __device__ __forceinline__ float apply(float x) {
    return x;
  }
};

struct Saved : Plain {
  static constexpr bool kSave = true;
};

// Stores the statistics of a row. Must be called by one thread per row.
template <typename T, typename Norm>
__device__ __forceinline__ void save(const Rows<T> &rows, int64_t row, float mean, float scale) {
  if (Norm::kBeta) rows.mean[row] = mean;
  rows.rstd[row] = scale;
}

struct Gelu {
  static constexpr bool kCheap = false, kSave = false;
  template <typename T>
  static __device__ __forceinline__ float apply(float x) {
    return gelu_erf<T>(x);
  }
};

}  // namespace activations

#endif
