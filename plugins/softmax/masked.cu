// Softmax of rows in which a mask hides elements, for CUDA. Hidden elements count as -inf. This file does not use the
// plugin interface.
#include "device.cuh"
#include "kernels.h"

namespace softmax {
namespace {

// ---- Masks ---------------------------------------------------------------------------------------------------------

// The causal mask, which shows elements 0 to i of row i. Packs (16 bytes) with hidden elements only are not read.
struct Causal {
  template <int kWidth>
  struct Of {
    int count;
    __device__ __forceinline__ bool operator[](int i) const {
      return i < count;
    }
  };
  int end;
  __device__ __forceinline__ Causal(const masked_call &, unsigned row) : end(int(row) + 1) {}
  __device__ __forceinline__ bool any(int column) const {
    return column < end;
  }
  template <int kWidth>
  __device__ __forceinline__ Of<kWidth> of(int column) const {
    return {end - column};
  }
};

// A mask tensor with one byte per element. It is read kWidth bytes at a time if its rows are aligned to 8 bytes, and
// otherwise byte by byte.
struct Given {
  template <int kWidth>
  struct Of {
    unsigned word[(kWidth + 3) / 4];
    __device__ __forceinline__ bool operator[](int i) const {
      return (word[i / 4] & (0xffu << (i % 4 * 8))) != 0;
    }
  };
  const uint8_t *row;
  bool aligned;
  __device__ __forceinline__ Given(const masked_call &call, unsigned at)
      : row(call.mask + int64_t(at) * call.n), aligned(call.n % 8 == 0) {}
  __device__ __forceinline__ bool any(int) const {
    return true;
  }
  template <int kWidth>
  __device__ __forceinline__ Of<kWidth> of(int column) const {
    Of<kWidth> found = {};
    if (kWidth == 8 && aligned) {
      const uint2 both = __ldg(reinterpret_cast<const uint2 *>(row + column));
      found.word[0] = both.x, found.word[(kWidth + 3) / 4 - 1] = both.y;
    } else if (kWidth == 4 && aligned) {
      found.word[0] = __ldg(reinterpret_cast<const unsigned *>(row + column));
    } else {
#pragma unroll
      for (int i = 0; i < kWidth; i++)
        found.word[i / 4] |= unsigned(__ldg(row + column + i)) << (i % 4 * 8);
    }
    return found;
  }
};

// ---- Kernels -------------------------------------------------------------------------------------------------------

template <typename T, typename Seen>
__global__ void naive(const masked_call call) {
  __shared__ float maxima[kMaxWarps], sums[kMaxWarps];
  const int n = int(call.n), step = blockDim.x;
  const T *in = static_cast<const T *>(call.x) + int64_t(blockIdx.x) * n;
  T *out = static_cast<T *>(call.y) + int64_t(blockIdx.x) * n;
  const Seen seen(call, blockIdx.x % unsigned(call.m));
  const auto value = [&](int i) { return seen.template of<1>(i)[0] ? to_float(in[i]) : neg_inf(); };

  float max = neg_inf();
#pragma unroll 8
  for (int i = threadIdx.x; i < n; i += step)
    max = fmaxf(max, value(i));
  const float shift = shift_of(block_max(max, maxima));

  float sum = 0.0f;
#pragma unroll 8
  for (int i = threadIdx.x; i < n; i += step)
    sum += exp_fast(value(i) - shift);
  const float scale = 1.0f / block_sum(sum, sums);

#pragma unroll 8
  for (int i = threadIdx.x; i < n; i += step)
    store(out + i, exp_fast(value(i) - shift) * scale);
}

// The elements of a row that one of kThreads threads holds: E elements in packs of 16 bytes, and at most one edge
// element, that is an element before the first or after the last 16-byte boundary of the row. If kAligned, rows consist
// of whole packs and have no edge elements.
template <typename T, typename Seen, int kThreads, int E, bool kAligned>
struct Slice {
  using P = Pack<T>;
  static constexpr int kPacks = E / P::kWidth;
  Seen seen;
  float value[E];
  float edge;
  int head;     // number of the row's elements before its first 16-byte boundary
  int packs;    // number of whole packs of the row
  int edge_at;  // index of `edge` in the row; -1: none

  static __device__ __forceinline__ int id() {
    return int(threadIdx.x) % kThreads;
  }

  __device__ __forceinline__ Slice(const T *row, int n, const Seen &mask) : seen(mask), head(0), edge_at(-1) {
    if (!kAligned) head = min(n, int((16 - reinterpret_cast<uintptr_t>(row) % 16) % 16 / sizeof(T)));
    packs = (n - head) / P::kWidth;
    const int tail = n - head - packs * P::kWidth;
    if (!kAligned && id() < head + tail) edge_at = id() < head ? id() : n - tail + (id() - head);
  }

  __device__ __forceinline__ int column(int k) const {
    return head + (id() + k * kThreads) * P::kWidth;
  }
  // Returns true if the mask may show an element of pack number k of any thread of this warp.
  __device__ __forceinline__ bool warp_sees(int k) const {
    return seen.any(head + (id() / kWarp * kWarp + k * kThreads) * P::kWidth);
  }
  __device__ __forceinline__ bool holds(int k) const {
    return id() + k * kThreads < packs;
  }

  // Loads the elements of this thread. Elements that are hidden or beyond the end of the row become -inf.
  __device__ __forceinline__ void load(const T *row) {
    const uint4 *body = reinterpret_cast<const uint4 *>(row + head);
    uint4 pack[kPacks];
    typename Seen::template Of<P::kWidth> shown[kPacks];
#pragma unroll
    for (int k = 0; k < kPacks; k++)
      if (holds(k) && seen.any(column(k))) {
        pack[k] = load_pack(body + id() + k * kThreads);
        shown[k] = seen.template of<P::kWidth>(column(k));
      }
    edge = edge_at >= 0 && seen.template of<1>(edge_at)[0] ? to_float(row[edge_at]) : neg_inf();
#pragma unroll
    for (int k = 0; k < kPacks; k++) {
      float *v = value + k * P::kWidth;
#pragma unroll
      for (int i = 0; i < P::kWidth; i++)
        v[i] = neg_inf();
      if (!warp_sees(k)) continue;
      float f[P::kWidth];
      P::unpack(pack[k], f);
      const bool there = holds(k) && seen.any(column(k));
#pragma unroll
      for (int i = 0; i < P::kWidth; i++)
        if (there && shown[k][i]) v[i] = f[i];
    }
  }

  // Replaces the values by exp(value - maximum of this warp). Returns that maximum as an exponent of 2 (see LogStat),
  // and the sum of the warp's new values.
  __device__ __forceinline__ LogStat exponentiate() {
    float max = edge;
#pragma unroll
    for (int k = 0; k < kPacks; k++)
      if (warp_sees(k)) {
#pragma unroll
        for (int i = 0; i < P::kWidth; i++)
          max = fmaxf(max, value[k * P::kWidth + i]);
      }
    const float log = log_of(warp_max(max)), shift = shift_of(log);
    edge = exp_apart(edge, shift);
    float sum[4] = {edge, 0.0f, 0.0f, 0.0f};
#pragma unroll
    for (int k = 0; k < kPacks; k++) {
      float *v = value + k * P::kWidth;
      if (warp_sees(k)) {
#pragma unroll
        for (int i = 0; i < P::kWidth; i++)
          sum[i % 4] += v[i] = exp_apart(v[i], shift);
      } else {
#pragma unroll
        for (int i = 0; i < P::kWidth; i++)
          v[i] = 0.0f;
      }
    }
    return {log, warp_sum((sum[0] + sum[1]) + (sum[2] + sum[3]))};
  }

  // Writes the results. `own` is the maximum of this warp, to which the values are relative. `all` is the maximum and
  // the sum of the whole row. A hidden element becomes 0 / sum, which is NaN if the sum is NaN or 0.
  __device__ __forceinline__ void write(T *row, float own, LogStat all) const {
    uint4 *body = reinterpret_cast<uint4 *>(row + head);
    const float scale = exp2_fast(own - shift_of(all.log)) / all.sum;
    float none[P::kWidth];
#pragma unroll
    for (int i = 0; i < P::kWidth; i++)
      none[i] = 0.0f * scale;
    const uint4 hidden = P::pack(none);
#pragma unroll
    for (int k = 0; k < kPacks; k++) {
      uint4 result = hidden;
      if (warp_sees(k)) {
        float f[P::kWidth];
#pragma unroll
        for (int i = 0; i < P::kWidth; i++)
          f[i] = value[k * P::kWidth + i] * scale;
        result = P::pack(f);
      }
      if (holds(k)) body[id() + k * kThreads] = result;
    }
    if (edge_at >= 0) store(row + edge_at, edge * scale);
  }
};

constexpr int kRowsPerBlock = 4;

template <typename T, typename Seen, int E, bool kAligned>
__global__ void __launch_bounds__(kRowsPerBlock *kWarp) fused_warp(const masked_call call) {
  const int n = int(call.n);
  const unsigned row = blockIdx.x * kRowsPerBlock + threadIdx.x / kWarp;
  if (row >= call.rows) return;
  const T *x = static_cast<const T *>(call.x) + int64_t(row) * n;
  Slice<T, Seen, kWarp, E, kAligned> slice(x, n, Seen(call, row % unsigned(call.m)));
  slice.load(x);
  const LogStat s = slice.exponentiate();
  slice.write(static_cast<T *>(call.y) + int64_t(row) * n, s.log, s);
}

template <typename T, typename Seen, int kThreads, int E, bool kAligned>
__global__ void __launch_bounds__(kThreads, 1024 / kThreads) fused_block(const masked_call call) {
  constexpr int kWarps = kThreads / kWarp;
  __shared__ LogStat part[kWarps];
  const int n = int(call.n), lane = int(threadIdx.x) % kWarp;
  const int64_t start = int64_t(blockIdx.x) * n;
  const T *x = static_cast<const T *>(call.x) + start;
  Slice<T, Seen, kThreads, E, kAligned> slice(x, n, Seen(call, blockIdx.x % unsigned(call.m)));
  slice.load(x);
  const LogStat mine = slice.exponentiate();
  if (lane == 0) part[threadIdx.x / kWarp] = mine;
  __syncthreads();
  slice.write(static_cast<T *>(call.y) + start, mine.log, warp_merge<kWarps>(part[lane % kWarps]));
}

// Copies the elements of x that the mask shows, and writes 0 elsewhere. A block copies one row. Each of its up to 1024
// threads copies one pack (16 bytes) at a time.
template <typename T, typename Seen>
__global__ void __launch_bounds__(1024) copy(const masked_call call) {
  constexpr int kWidth = Pack<T>::kWidth;
  const int n = int(call.n), packs = n % kWidth == 0 ? n / kWidth : 0;
  const T *x = static_cast<const T *>(call.x) + int64_t(blockIdx.x) * n;
  T *y = static_cast<T *>(call.y) + int64_t(blockIdx.x) * n;
  const Seen seen(call, blockIdx.x % unsigned(call.m));
  for (int p = threadIdx.x; p < packs; p += int(blockDim.x)) {
    float v[kWidth] = {};
    if (seen.any(p * kWidth)) {
      const auto shown = seen.template of<kWidth>(p * kWidth);
      Pack<T>::unpack(load_pack(reinterpret_cast<const uint4 *>(x) + p), v);
#pragma unroll
      for (int i = 0; i < kWidth; i++)
        if (!shown[i]) v[i] = 0.0f;
    }
    reinterpret_cast<uint4 *>(y)[p] = Pack<T>::pack(v);
  }
  for (int i = packs * kWidth + threadIdx.x; i < n; i += int(blockDim.x))
    store(y + i, seen.template of<1>(i)[0] ? to_float(x[i]) : 0.0f);
}

// ---- Launch --------------------------------------------------------------------------------------------------------

// Returns how many threads a block has for rows of n elements. For short rows it has fewer, so that a multiprocessor
// holds more blocks.
int threads_for(int64_t n) {
  return n <= 256 ? 64 : n <= 1024 ? 128 : n <= 8192 ? 256 : 1024;
}

template <typename T, typename Seen>
int launch_naive(const masked_call &call) {
  naive<T, Seen><<<unsigned(call.rows), threads_for(call.n), 0, call.stream>>>(call);
  return cudaGetLastError();
}

template <typename T, typename Seen, int E, bool kAligned>
int launch_warp(const masked_call &call) {
  const unsigned blocks = unsigned((call.rows + kRowsPerBlock - 1) / kRowsPerBlock);
  fused_warp<T, Seen, E, kAligned><<<blocks, kRowsPerBlock * kWarp, 0, call.stream>>>(call);
  return cudaGetLastError();
}

template <typename T, typename Seen, int kThreads, int E, bool kAligned>
int launch_block(const masked_call &call) {
  fused_block<T, Seen, kThreads, E, kAligned><<<unsigned(call.rows), kThreads, 0, call.stream>>>(call);
  return cudaGetLastError();
}

template <typename T, typename Seen, bool kAligned>
int launch_fused_as(const masked_call &call) {
  if (call.n <= 256) return launch_warp<T, Seen, 8, kAligned>(call);
  if (call.n <= 512) return launch_warp<T, Seen, 16, kAligned>(call);
  if (call.n <= 1024) return launch_warp<T, Seen, 32, kAligned>(call);
  if (call.n <= 2048) return launch_block<T, Seen, 64, 32, kAligned>(call);
  if (call.n <= 4096) return launch_block<T, Seen, 128, 32, kAligned>(call);
  if (call.n <= 8192) return launch_block<T, Seen, 256, 32, kAligned>(call);
  return launch_block<T, Seen, 512, 32, kAligned>(call);
}

template <typename T, typename Seen>
int launch_fused(const masked_call &call) {
  return call.n % Pack<T>::kWidth == 0 ? launch_fused_as<T, Seen, true>(call) : launch_fused_as<T, Seen, false>(call);
}

template <typename T, typename Seen>
int launch_copy(const masked_call &call) {
  const int64_t packs = (call.n + Pack<T>::kWidth - 1) / Pack<T>::kWidth;
  const int64_t threads = (packs + kWarp - 1) / kWarp * kWarp;
  copy<T, Seen><<<unsigned(call.rows), unsigned(threads < 1024 ? threads : 1024), 0, call.stream>>>(call);
  return cudaGetLastError();
}

}  // namespace
}  // namespace softmax

using namespace softmax;

#define MASKED_AS(launch, Seen)                                \
  (call->dtype == SOFTMAX_FP32   ? launch<float, Seen>(*call)  \
   : call->dtype == SOFTMAX_FP16 ? launch<__half, Seen>(*call) \
                                 : launch<__nv_bfloat16, Seen>(*call))
#define MASKED_DISPATCH(launch) (call->mask != NULL ? MASKED_AS(launch, Given) : MASKED_AS(launch, Causal))

int masked_cuda_naive(const masked_call *call) {
  return MASKED_DISPATCH(launch_naive);
}

int masked_cuda_fused(const masked_call *call) {
  return MASKED_DISPATCH(launch_fused);
}

int masked_cuda_copy(const masked_call *call) {
  return MASKED_DISPATCH(launch_copy);
}
