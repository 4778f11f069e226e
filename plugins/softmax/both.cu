// Row softmax for CUDA with a row in shared memory and in registers: what is on its way to a multiprocessor while
// others wait for their row's sum decides how busy memory is kept, and the two together hold most. A block has a share
// of a row, the blocks of a cluster have the row. Knows nothing of the plugin ABI.
#include <cooperative_groups.h>

#include "../shared/bulk.cuh"
#include "cluster.cuh"
#include "kernels.h"
#include "part.cuh"

namespace cg = cooperative_groups;

namespace softmax {
namespace {

constexpr int kUnit = 8;  // packs: shares start at lines of 128 bytes

// Greater of two words element by element, of 4 bytes or twice 2; what is no number yields to what is one.
template <typename T>
struct Greatest;

template <>
struct Greatest<float> {
  static constexpr unsigned kNone = 0xff800000u;  // -inf
  static __device__ __forceinline__ unsigned of(unsigned a, unsigned b) {
    return __float_as_uint(fmaxf(__uint_as_float(a), __uint_as_float(b)));
  }
  static __device__ __forceinline__ float value(unsigned a) {
    return __uint_as_float(a);
  }
};

template <typename Two, typename Pair, unsigned kBoth>
struct GreatestOfTwo {
  static constexpr unsigned kNone = kBoth;
  static __device__ __forceinline__ unsigned of(unsigned a, unsigned b) {
    const Two m = __hmax2(*reinterpret_cast<const Two *>(&a), *reinterpret_cast<const Two *>(&b));
    return *reinterpret_cast<const unsigned *>(&m);
  }
  static __device__ __forceinline__ float value(unsigned a) {
    float f[2];
    Pair::split(a, f);
    return fmaxf(f[0], f[1]);
  }
};
template <>
struct Greatest<__half> : GreatestOfTwo<__half2, HalfPair, 0xfc00fc00u> {};
template <>
struct Greatest<__nv_bfloat16> : GreatestOfTwo<__nv_bfloat162, BfloatPair, 0xff80ff80u> {};

// A thread's packs of a part: `staged` is where the part's first packs come to lie, kPacks for each thread behind them
// wait in registers. They stay as they came, so that 16 bits take no more than that.
template <typename T, int kPacks, int kThreads>
struct Held {
  using P = Pack<T>;
  static constexpr int kWidth = P::kWidth;
  const Part<T> &part;
  const uint4 *slot;
  int staged;
  uint4 pack[kPacks];
  float edge;

  __device__ __forceinline__ int index(int k) const {
    return staged + int(threadIdx.x) + k * kThreads;
  }
  __device__ __forceinline__ bool holds(int k) const {
    return index(k) >= part.low && index(k) < part.high;
  }

  // What does not exist is -inf.
  __device__ __forceinline__ void load(const T *x) {
    const uint4 *from = reinterpret_cast<const uint4 *>(x) + part.begin;
#pragma unroll
    for (int k = 0; k < kPacks; k++) {
      constexpr unsigned kNone = Greatest<T>::kNone;
      pack[k] = make_uint4(kNone, kNone, kNone, kNone);
      if (holds(k)) pack[k] = load_pack(from + index(k));
    }
    edge = part.edge >= 0 ? to_float(x[part.begin * kWidth + part.edge]) : neg_inf();
  }

  // f(index of a whole pack in shared memory, the pack)
  template <typename F>
  __device__ __forceinline__ void for_each_staged(F f) const {
#pragma unroll 4
    for (int p = part.low + int(threadIdx.x); p < min(part.high, staged); p += kThreads)
      f(p, slot[p]);
  }

  static __device__ __forceinline__ unsigned greatest_of(const uint4 &v) {
    return Greatest<T>::of(Greatest<T>::of(v.x, v.y), Greatest<T>::of(v.z, v.w));
  }

  static __device__ __forceinline__ void add_to(float *sum, const uint4 &v, float shift) {
    float f[kWidth];
    P::unpack(v, f);
#pragma unroll
    for (int i = 0; i < kWidth; i++)
      sum[i % 2] += exp_apart(f[i], shift);
  }

  static __device__ __forceinline__ uint4 result(const uint4 &v, float shift, float scale) {
    float f[kWidth];
    P::unpack(v, f);
#pragma unroll
    for (int i = 0; i < kWidth; i++)
      f[i] = exp_apart(f[i], shift) * scale;
    return P::pack(f);
  }

  // Keeps the compiler from keeping elements of 16 bits as floats from one use to the next.
  __device__ __forceinline__ void again() {
#pragma unroll
    for (int k = 0; k < kPacks; k++)
      asm volatile("" : "+r"(pack[k].x), "+r"(pack[k].y), "+r"(pack[k].z), "+r"(pack[k].w));
  }

  // Of this warp's elements.
  __device__ __forceinline__ LogStat stat() {
    unsigned most = Greatest<T>::kNone;
#pragma unroll
    for (int k = 0; k < kPacks; k++)
      most = Greatest<T>::of(most, greatest_of(pack[k]));
    for_each_staged([&](int, const uint4 &v) { most = Greatest<T>::of(most, greatest_of(v)); });
    const float log = log_of(warp_max(fmaxf(edge, Greatest<T>::value(most)))), shift = shift_of(log);
    float sum[2] = {exp_apart(edge, shift), 0.0f};
    again();
#pragma unroll
    for (int k = 0; k < kPacks; k++)
      add_to(sum, pack[k], shift);
    for_each_staged([&](int, const uint4 &v) { add_to(sum, v, shift); });
    return {log, warp_sum(sum[0] + sum[1])};
  }

  __device__ __forceinline__ void write(T *y, LogStat all) {
    const float shift = shift_of(all.log), scale = 1.0f / all.sum;
    uint4 *to = reinterpret_cast<uint4 *>(y) + part.begin;
    again();
#pragma unroll
    for (int k = 0; k < kPacks; k++)
      if (holds(k)) to[index(k)] = result(pack[k], shift, scale);
    for_each_staged([&](int p, const uint4 &v) { to[p] = result(v, shift, scale); });
    if (part.edge >= 0) store(y + part.begin * kWidth + part.edge, exp_apart(edge, shift) * scale);
  }
};

__device__ __forceinline__ void pause(int64_t cycles) {
  const int64_t begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

// The first `resident` rows, which all find room at once, begin `apart` cycles after one another.
struct Pace {
  int resident, apart;
};

// `staged` packs of a block's share go to shared memory, the others to registers.
template <typename T, int kPacks, int kThreads, int kBlocks>
__global__ void __launch_bounds__(kThreads, kBlocks)
    both(const T *__restrict__ x, T *__restrict__ y, int n, int ranks_log2, int staged, Pace pace) {
#if __CUDA_ARCH__ >= 900
  constexpr int kWarps = kThreads / kWarp;
  extern __shared__ __align__(128) uint4 slot[];
  __shared__ uint64_t arrived;
  __shared__ LogStat stats[kMaxRanks * kWarps];
  const int ranks = 1 << ranks_log2, rank = int(blockIdx.x) & (ranks - 1);
  const Part<T> part(blockIdx.x >> ranks_log2, n, rank, ranks_log2, kUnit);
  Held<T, kPacks, kThreads> held = {part, slot, staged};
  const int row = int(blockIdx.x >> ranks_log2);
  if (row < pace.resident) pause(int64_t(row) * pace.apart);
  cg::this_cluster().barrier_arrive();
  if (threadIdx.x == 0) {
    const unsigned bytes = unsigned(max(min(part.high, staged) - part.low, 0)) * 16;
    bulk::barrier_init(&arrived, 1);
    bulk::barriers_ready();
    bulk::arrive_and_expect(&arrived, bytes);
    const uint4 *from = reinterpret_cast<const uint4 *>(x) + part.begin + part.low;
    if (bytes > 0) bulk::load(slot + part.low, from, bytes, &arrived);
  }
  held.load(x);
  __syncthreads();
  bulk::wait(&arrived, 0);
  held.write(y, cluster_stat<kWarps>(held.stat(), stats, rank, ranks));
#endif
}

// ---- Launch --------------------------------------------------------------------------------------------------------

constexpr int kPacks = 8, kThreads = 256, kBlocks = 4;  // of a multiprocessor: 128 KiB in registers
constexpr int64_t kMost = 4096;                         // packs of a block, while there may be more blocks
constexpr int64_t kBrought = 2560;                      // bytes in a cycle from memory, about

struct Shape {
  int ranks_log2, staged;
};

// As few blocks for a row as hold it.
Shape shape_of(int64_t n, int64_t size) {
  const int64_t slack = n * size % 128 == 0 ? 0 : kUnit;  // rows that start anywhere touch more packs
  const int64_t touched = (n * size + 15) / 16 + 2 * slack;
  int log2 = 0;
  while ((touched >> log2) + slack > kMost && (1 << log2) < kMaxRanks)
    log2++;
  const int64_t share = ((((touched - 1) >> log2) + kUnit) / kUnit * kUnit) + slack, rest = share - kPacks * kThreads;
  return {log2, int(rest > 0 ? rest : 0)};
}

cudaError_t pace_of(int64_t n, int64_t size, int ranks, Pace *pace) {
  int device = 0, processors = 0;
  cudaError_t code = cudaGetDevice(&device);
  if (code == cudaSuccess) code = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  *pace = {processors * kBlocks / ranks, int(n * size / kBrought)};
  return code;
}

template <typename T, bool kPaced>
int launch_as(const T *x, T *y, int64_t m, int64_t n, cudaStream_t stream) {
  const auto kernel = both<T, kPacks, kThreads, kBlocks>;
  const Shape shape = shape_of(n, sizeof(T));
  const int bytes = shape.staged * 16, ranks = 1 << shape.ranks_log2;
  cudaError_t code = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  if (code == cudaSuccess && ranks > 8)
    code = cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  Pace pace = {0, 0};
  if (code == cudaSuccess && kPaced) code = pace_of(n, sizeof(T), ranks, &pace);
  if (code != cudaSuccess) return code;
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = unsigned(ranks), cluster.val.clusterDim.y = 1, cluster.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(unsigned(m * ranks)), config.blockDim = dim3(kThreads), config.stream = stream;
  config.dynamicSmemBytes = size_t(bytes);
  config.attrs = &cluster, config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, x, y, int(n), shape.ranks_log2, shape.staged, pace);
}

template <typename T>
int launch_both(const T *x, T *y, int64_t m, int64_t n, cudaStream_t stream) {
  return launch_as<T, false>(x, y, m, n, stream);
}

template <typename T>
int launch_paced(const T *x, T *y, int64_t m, int64_t n, cudaStream_t stream) {
  return launch_as<T, true>(x, y, m, n, stream);
}

}  // namespace
}  // namespace softmax

int64_t softmax_cuda_both_bytes(int64_t n, int64_t size) {
  return int64_t(softmax::shape_of(n, size).staged) * 16;
}

int softmax_cuda_both(const void *x, void *y, int64_t m, int64_t n, int dtype, struct CUstream_st *stream) {
  return SOFTMAX_DISPATCH(softmax::launch_both);
}

int softmax_cuda_paced(const void *x, void *y, int64_t m, int64_t n, int dtype, struct CUstream_st *stream) {
  return SOFTMAX_DISPATCH(softmax::launch_paced);
}
