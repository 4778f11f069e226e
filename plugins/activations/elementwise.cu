// GELU, Swish and the plain copy for CUDA. This file does not use the plugin interface.
#include "device.cuh"
#include "kernels.h"

namespace activations {
namespace {

constexpr int kThreads = 256;
constexpr int kBatch = 4;  // 16-byte loads per thread, all issued before the first is used
constexpr int kPacks = kThreads * kBatch;

// ---- Functions of one element: with the CUDA library first, then with approx.h -----------------------------------

struct GeluErf {
  template <typename T>
  static __device__ __forceinline__ float apply(float x) {
    return 0.5f * x * (1.0f + erff(x * 0.707106781f));
  }
};
struct GeluTanh {
  template <typename T>
  static __device__ __forceinline__ float apply(float x) {
    return 0.5f * x * (1.0f + tanhf(0.797884561f * (x + 0.044715f * x * x * x)));
  }
};
struct Swish {
  template <typename T>
  static __device__ __forceinline__ float apply(float x) {
    return x / (1.0f + expf(-x));
  }
};
struct FastGeluErf {
  template <typename T>
  static __device__ __forceinline__ float apply(float x) {
    return gelu_erf<T>(x);
  }
};
struct FastGeluTanh {
  template <typename T>
  static __device__ __forceinline__ float apply(float x) {
    return approx_gelu_tanh(x);
  }
};
struct FastSwish {
  template <typename T>
  static __device__ __forceinline__ float apply(float x) {
    return approx_swish(x);
  }
};

struct Copy {};

template <typename T, typename Op>
struct Map {
  using P = Pack<T>;
  static __device__ __forceinline__ uint4 pack(const uint4 &v) {
    float f[P::kWidth];
    P::unpack(v, f);
#pragma unroll
    for (int i = 0; i < P::kWidth; i++)
      f[i] = Op::template apply<T>(f[i]);
    return P::pack(f);
  }
  static __device__ __forceinline__ void element(T *y, T x) {
    store(y, Op::template apply<T>(to_float(x)));
  }
};

template <typename T>
struct Map<T, Copy> {
  static __device__ __forceinline__ uint4 pack(const uint4 &v) {
    return v;
  }
  static __device__ __forceinline__ void element(T *y, T x) {
    *y = x;
  }
};

// ---- Kernels -------------------------------------------------------------------------------------------------------

template <typename T, typename Op>
__global__ void __launch_bounds__(kThreads) by_element(const T *__restrict__ x, T *__restrict__ y, int64_t count) {
  const int64_t i = int64_t(blockIdx.x) * kThreads + threadIdx.x;
  if (i < count) Map<T, Op>::element(y + i, x[i]);
}

// Applies Op to the packs (16 bytes of elements) of this thread. If kWhole, the block has all of its kPacks packs, so
// that no bounds are checked.
template <typename T, typename Op, bool kWhole>
__device__ __forceinline__ void map_packs(const uint4 *__restrict__ in, uint4 *__restrict__ out, int packs) {
  uint4 v[kBatch];
#pragma unroll
  for (int k = 0; k < kBatch; k++)
    if (kWhole || int(threadIdx.x) + k * kThreads < packs) v[k] = load_once(in + threadIdx.x + k * kThreads);
#pragma unroll
  for (int k = 0; k < kBatch; k++)
    if (kWhole || int(threadIdx.x) + k * kThreads < packs)
      __stcs(out + threadIdx.x + k * kThreads, Map<T, Op>::pack(v[k]));
}

// Applies Op to all elements. A block handles kPacks packs of 16 bytes. The last block also handles the elements after
// the last whole pack.
template <typename T, typename Op>
__global__ void __launch_bounds__(kThreads) by_pack(const T *__restrict__ x, T *__restrict__ y, int64_t count) {
  constexpr int kWidth = Pack<T>::kWidth;
  const int64_t packs = count / kWidth;
  const int64_t first = int64_t(blockIdx.x) * kPacks;
  const uint4 *in = reinterpret_cast<const uint4 *>(x) + first;
  uint4 *out = reinterpret_cast<uint4 *>(y) + first;
  if (packs - first >= kPacks)
    map_packs<T, Op, true>(in, out, kPacks);
  else
    map_packs<T, Op, false>(in, out, int(packs - first));
  const int tail = int(count - packs * kWidth);
  if (blockIdx.x == gridDim.x - 1 && int(threadIdx.x) < tail) {
    const int64_t i = packs * kWidth + threadIdx.x;
    Map<T, Op>::element(y + i, x[i]);
  }
}

// Applies Op to pack i (16 bytes of elements) or, if i is beyond the last whole pack, to one of the elements after it.
template <typename T, typename Op>
__device__ __forceinline__ void map_one(const T *__restrict__ x, T *__restrict__ y, int64_t count, int64_t i) {
  const int64_t packs = count / Pack<T>::kWidth;
  const int64_t element = packs * Pack<T>::kWidth + i - packs;
  if (i < packs)
    reinterpret_cast<uint4 *>(y)[i] = Map<T, Op>::pack(load_pack(reinterpret_cast<const uint4 *>(x) + i));
  else if (element < count)
    Map<T, Op>::element(y + element, x[element]);
}

// The kernels below apply Op to one or two packs (16 bytes of elements) per thread. Blocks start in the order of their
// addresses, so that all accesses in flight are close together in memory. The loads go through the L1 cache, unlike
// those of by_pack().
constexpr int kPackThreads = 128;

template <typename T, typename Op>
__global__ void __launch_bounds__(kPackThreads) one_pack(const T *__restrict__ x, T *__restrict__ y, int64_t count) {
  map_one<T, Op>(x, y, count, int64_t(blockIdx.x) * kPackThreads + threadIdx.x);
}

template <typename T, typename Op>
__global__ void __launch_bounds__(kPackThreads) two_packs(const T *__restrict__ x, T *__restrict__ y, int64_t count) {
  const int64_t i = int64_t(blockIdx.x) * (2 * kPackThreads) + threadIdx.x;
  if (i + kPackThreads < count / Pack<T>::kWidth) {
    const uint4 *in = reinterpret_cast<const uint4 *>(x) + i;
    uint4 *out = reinterpret_cast<uint4 *>(y) + i;
    const uint4 first = load_pack(in), second = load_pack(in + kPackThreads);
    out[0] = Map<T, Op>::pack(first);
    out[kPackThreads] = Map<T, Op>::pack(second);
  } else {
    map_one<T, Op>(x, y, count, i);
    map_one<T, Op>(x, y, count, i + kPackThreads);
  }
}

// ---- Launch --------------------------------------------------------------------------------------------------------

template <typename T, typename Op>
int launch_by_element(const activations_call &call) {
  const int64_t count = call.m * call.n;
  const unsigned blocks = unsigned((count + kThreads - 1) / kThreads);
  by_element<T, Op>
      <<<blocks, kThreads, 0, call.stream>>>(static_cast<const T *>(call.x), static_cast<T *>(call.y), count);
  return cudaGetLastError();
}

template <typename T, typename Op>
int launch_by_pack(const activations_call &call) {
  constexpr int64_t kPerBlock = int64_t(kPacks) * Pack<T>::kWidth;
  const int64_t count = call.m * call.n;
  const unsigned blocks = unsigned((count + kPerBlock - 1) / kPerBlock);
  by_pack<T, Op><<<blocks, kThreads, 0, call.stream>>>(static_cast<const T *>(call.x), static_cast<T *>(call.y), count);
  return cudaGetLastError();
}

// Returns how many blocks of one_pack() or two_packs() fit on the device at once, or 0 if the CUDA runtime reports an
// error.
int64_t room() {
  int device = 0, processors = 0, threads = 0;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device) != cudaSuccess ||
      cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, device) != cudaSuccess)
    return 0;
  return int64_t(processors) * (threads / kPackThreads);
}

// Launches two_packs() if all its blocks fit on the device at once and those of one_pack() do not. Otherwise launches
// one_pack().
template <typename T, typename Op>
int launch_packs(const activations_call &call) {
  constexpr int kWidth = Pack<T>::kWidth;
  const int64_t count = call.m * call.n, all = count / kWidth + count % kWidth;
  const int64_t blocks = (all + kPackThreads - 1) / kPackThreads, fewer = (blocks + 1) / 2, most = room();
  const bool two = blocks > most && fewer <= most;
  const auto kernel = two ? two_packs<T, Op> : one_pack<T, Op>;
  kernel<<<unsigned(two ? fewer : blocks), kPackThreads, 0, call.stream>>>(static_cast<const T *>(call.x),
                                                                           static_cast<T *>(call.y), count);
  return cudaGetLastError();
}

}  // namespace
}  // namespace activations

using namespace activations;

int activations_cuda_gelu_naive(const activations_call *call) {
  return call->form == ACTIVATIONS_ERF ? ACTIVATIONS_DISPATCH(launch_by_element, GeluErf)
                                       : ACTIVATIONS_DISPATCH(launch_by_element, GeluTanh);
}

int activations_cuda_gelu_vector(const activations_call *call) {
  return call->form == ACTIVATIONS_ERF ? ACTIVATIONS_DISPATCH(launch_by_pack, GeluErf)
                                       : ACTIVATIONS_DISPATCH(launch_by_pack, GeluTanh);
}

int activations_cuda_gelu_fast(const activations_call *call) {
  return call->form == ACTIVATIONS_ERF ? ACTIVATIONS_DISPATCH(launch_by_pack, FastGeluErf)
                                       : ACTIVATIONS_DISPATCH(launch_by_pack, FastGeluTanh);
}

int activations_cuda_gelu_pack(const activations_call *call) {
  return call->form == ACTIVATIONS_ERF ? ACTIVATIONS_DISPATCH(launch_packs, FastGeluErf)
                                       : ACTIVATIONS_DISPATCH(launch_packs, FastGeluTanh);
}

int activations_cuda_swish_naive(const activations_call *call) {
  return ACTIVATIONS_DISPATCH(launch_by_element, Swish);
}

int activations_cuda_swish_vector(const activations_call *call) {
  return ACTIVATIONS_DISPATCH(launch_by_pack, Swish);
}

int activations_cuda_swish_fast(const activations_call *call) {
  return ACTIVATIONS_DISPATCH(launch_by_pack, FastSwish);
}

int activations_cuda_swish_pack(const activations_call *call) {
  return ACTIVATIONS_DISPATCH(launch_packs, FastSwish);
}

int activations_cuda_copy(const activations_call *call) {
  return ACTIVATIONS_DISPATCH(launch_packs, Copy);
}

const char *activations_cuda_error(int code) {
  return cudaGetErrorString(cudaError_t(code));
}
