// Softmax of rows of which a mask hides elements, for CUDA: hidden ones count as -inf. Knows nothing of the plugin ABI.
#include "kernels.h"
#include "slice.cuh"

namespace softmax {
namespace {

// ---- Masks ---------------------------------------------------------------------------------------------------------

// What comes after the row's own number is hidden; a pack of nothing else is not read.
struct Causal {
  template <int kWidth>
  struct Of {
    int count;
    __device__ __forceinline__ bool operator[](int i) const {
      return i < count;
    }
  };
  int end;
  __device__ __forceinline__ Causal(const masked_call &, int row) : end(row + 1) {}
  __device__ __forceinline__ bool any(int column) const {
    return column < end;
  }
  template <int kWidth>
  __device__ __forceinline__ Of<kWidth> of(int column) const {
    return {end - column};
  }
};

// A byte for each element. Packs of kWidth are read at once where the mask's rows start at a boundary of as many.
struct Given {
  template <int kWidth>
  struct Of {
    uint8_t byte[kWidth];
    __device__ __forceinline__ bool operator[](int i) const {
      return byte[i] != 0;
    }
  };
  const uint8_t *row;
  bool aligned;
  __device__ __forceinline__ Given(const masked_call &call, int at)
      : row(call.mask + int64_t(at) * call.n), aligned(call.n % 8 == 0) {}
  __device__ __forceinline__ bool any(int) const {
    return true;
  }
  template <int kWidth>
  __device__ __forceinline__ Of<kWidth> of(int column) const {
    Of<kWidth> found;
    if (kWidth == 8 && aligned) {
      *reinterpret_cast<uint2 *>(found.byte) = __ldg(reinterpret_cast<const uint2 *>(row + column));
    } else if (kWidth == 4 && aligned) {
      *reinterpret_cast<unsigned *>(found.byte) = __ldg(reinterpret_cast<const unsigned *>(row + column));
    } else {
#pragma unroll
      for (int i = 0; i < kWidth; i++)
        found.byte[i] = __ldg(row + column + i);
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
  const Seen seen(call, int(blockIdx.x % call.m));
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

constexpr int kRowsPerBlock = 4;

template <typename T, typename Seen, int E>
__global__ void __launch_bounds__(kRowsPerBlock *kWarp) fused_warp(const masked_call call) {
  const int n = int(call.n);
  const int64_t row = int64_t(blockIdx.x) * kRowsPerBlock + threadIdx.x / kWarp;
  if (row >= call.rows) return;
  const T *x = static_cast<const T *>(call.x) + row * n;
  Slice<T, E> slice(x, n, threadIdx.x % kWarp, kWarp, 0, 1);
  slice.load(x, Seen(call, int(row % call.m)));
  const Stat s = slice.exponentiate();
  slice.write(static_cast<T *>(call.y) + row * n, s.max, s);
}

template <typename T, typename Seen, int Threads, int E>
__global__ void __launch_bounds__(Threads, 1024 / Threads) fused_block(const masked_call call) {
  constexpr int kWarps = Threads / kWarp;
  __shared__ Stat part[kWarps];
  const int n = int(call.n), lane = threadIdx.x % kWarp;
  const int64_t start = int64_t(blockIdx.x) * n;
  const T *x = static_cast<const T *>(call.x) + start;
  Slice<T, E> slice(x, n, threadIdx.x, Threads, 0, 1);
  slice.load(x, Seen(call, int(blockIdx.x % call.m)));
  const Stat mine = slice.exponentiate();
  if (lane == 0) part[threadIdx.x / kWarp] = mine;
  __syncthreads();
  slice.write(static_cast<T *>(call.y) + start, mine.max,
              warp_merge(lane < kWarps ? part[lane] : Stat{neg_inf(), 0.0f}));
}

// x where it is seen and 0 elsewhere: a block for a row, one pack for each thread as far as threads go.
template <typename T, typename Seen>
__global__ void __launch_bounds__(1024) copy(const masked_call call) {
  constexpr int kWidth = Pack<T>::kWidth;
  const int n = int(call.n), packs = n % kWidth == 0 ? n / kWidth : 0;
  const T *x = static_cast<const T *>(call.x) + int64_t(blockIdx.x) * n;
  T *y = static_cast<T *>(call.y) + int64_t(blockIdx.x) * n;
  const Seen seen(call, int(blockIdx.x % call.m));
  for (int p = threadIdx.x; p < packs; p += int(blockDim.x)) {
    float v[kWidth] = {};
    if (seen.any(p * kWidth)) {
      const auto shown = seen.template of<kWidth>(p * kWidth);
      Pack<T>::unpack(reinterpret_cast<const uint4 *>(x)[p], v);
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

// Long rows get more threads; short ones more blocks per multiprocessor.
int threads_for(int64_t n) {
  return n <= 256 ? 64 : n <= 1024 ? 128 : n <= 8192 ? 256 : 1024;
}

template <typename T, typename Seen>
int launch_naive(const masked_call &call) {
  naive<T, Seen><<<unsigned(call.rows), threads_for(call.n), 0, call.stream>>>(call);
  return cudaGetLastError();
}

template <typename T, typename Seen, int E>
int launch_warp(const masked_call &call) {
  const unsigned blocks = unsigned((call.rows + kRowsPerBlock - 1) / kRowsPerBlock);
  fused_warp<T, Seen, E><<<blocks, kRowsPerBlock * kWarp, 0, call.stream>>>(call);
  return cudaGetLastError();
}

template <typename T, typename Seen, int Threads, int E>
int launch_block(const masked_call &call) {
  fused_block<T, Seen, Threads, E><<<unsigned(call.rows), Threads, 0, call.stream>>>(call);
  return cudaGetLastError();
}

template <typename T, typename Seen>
int launch_fused(const masked_call &call) {
  if (call.n <= 256) return launch_warp<T, Seen, 8>(call);
  if (call.n <= 512) return launch_warp<T, Seen, 16>(call);
  if (call.n <= 1024) return launch_warp<T, Seen, 32>(call);
  if (call.n <= 2048) return launch_block<T, Seen, 128, 16>(call);
  if (call.n <= 4096) return launch_block<T, Seen, 128, 32>(call);
  if (call.n <= 8192) return launch_block<T, Seen, 256, 32>(call);
  return launch_block<T, Seen, 512, 32>(call);
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
