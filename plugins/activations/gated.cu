// The kernels of the bench "swiglu" for CUDA, and two kernels for comparison: the sum x + z, which moves the same
// bytes, and a copy of two arrays. This file does not use the plugin interface.
#include "device.cuh"
#include "kernels.h"

namespace activations {
namespace {

constexpr int kThreads = 128;

// SwiGLU of one element: Swish of the gate x, times z.
struct SwiGlu {
  static __device__ __forceinline__ float apply(float x, float z) {
    return x / (1.0f + expf(-x)) * z;
  }
};
struct FastSwiGlu {
  static __device__ __forceinline__ float apply(float x, float z) {
    return approx_swish(x) * z;
  }
};
struct Sum {
  static __device__ __forceinline__ float apply(float x, float z) {
    return x + z;
  }
};

template <typename T>
struct Operands {
  const T *__restrict__ x;
  const T *__restrict__ z;
  T *__restrict__ y;
  int64_t count;
};

template <typename T, typename Op>
__device__ __forceinline__ void element(const Operands<T> &of, int64_t i) {
  store(of.y + i, Op::apply(to_float(of.x[i]), to_float(of.z[i])));
}

template <typename T, typename Op>
__global__ void __launch_bounds__(kThreads) by_element(const Operands<T> of) {
  const int64_t i = int64_t(blockIdx.x) * kThreads + threadIdx.x;
  if (i < of.count) element<T, Op>(of, i);
}

// Applies Op to the two operands, one 16-byte pack of each per thread. Each element after the last whole pack has a
// thread of its own.
template <typename T, typename Op>
__global__ void __launch_bounds__(kThreads) by_pack(const Operands<T> of) {
  constexpr int kWidth = Pack<T>::kWidth;
  const int64_t packs = of.count / kWidth, i = int64_t(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= packs) {
    if (packs * kWidth + i - packs < of.count) element<T, Op>(of, packs * kWidth + i - packs);
    return;
  }
  float x[kWidth], z[kWidth];
  const uint4 gate = load_pack(reinterpret_cast<const uint4 *>(of.x) + i);
  const uint4 linear = load_pack(reinterpret_cast<const uint4 *>(of.z) + i);
  Pack<T>::unpack(gate, x);
  Pack<T>::unpack(linear, z);
#pragma unroll
  for (int k = 0; k < kWidth; k++)
    x[k] = Op::apply(x[k], z[k]);
  reinterpret_cast<uint4 *>(of.y)[i] = Pack<T>::pack(x);
}

// Copies two arrays, whatever their type. Each thread copies 16 bytes of each array, and each byte that remains at the
// end has a thread of its own.
__global__ void __launch_bounds__(kThreads) copy_pair(const activations_call call, int64_t bytes) {
  const int64_t packs = bytes / 16, i = int64_t(blockIdx.x) * kThreads + threadIdx.x, at = packs * 16 + i - packs;
  if (i < packs) {
    const uint4 x = load_pack(static_cast<const uint4 *>(call.x) + i),
                z = load_pack(static_cast<const uint4 *>(call.z) + i);
    static_cast<uint4 *>(call.s)[i] = x;
    static_cast<uint4 *>(call.y)[i] = z;
  } else if (at < bytes) {
    static_cast<char *>(call.s)[at] = static_cast<const char *>(call.x)[at];
    static_cast<char *>(call.y)[at] = static_cast<const char *>(call.z)[at];
  }
}

template <typename T>
Operands<T> operands_of(const activations_call &call) {
  return {static_cast<const T *>(call.x), static_cast<const T *>(call.z), static_cast<T *>(call.y), call.m * call.n};
}

unsigned blocks_of(int64_t threads) {
  return unsigned((threads + kThreads - 1) / kThreads);
}

template <typename T, typename Op>
int launch_by_element(const activations_call &call) {
  by_element<T, Op><<<blocks_of(call.m * call.n), kThreads, 0, call.stream>>>(operands_of<T>(call));
  return cudaGetLastError();
}

template <typename T, typename Op>
int launch_by_pack(const activations_call &call) {
  constexpr int kWidth = Pack<T>::kWidth;
  const int64_t count = call.m * call.n;
  by_pack<T, Op><<<blocks_of(count / kWidth + count % kWidth), kThreads, 0, call.stream>>>(operands_of<T>(call));
  return cudaGetLastError();
}

}  // namespace
}  // namespace activations

using namespace activations;

int activations_cuda_swiglu_naive(const activations_call *call) {
  return ACTIVATIONS_DISPATCH(launch_by_element, SwiGlu);
}

int activations_cuda_swiglu_pack(const activations_call *call) {
  return ACTIVATIONS_DISPATCH(launch_by_pack, FastSwiGlu);
}

int activations_cuda_add(const activations_call *call) {
  return ACTIVATIONS_DISPATCH(launch_by_pack, Sum);
}

int activations_cuda_copy_pair(const activations_call *call) {
  const int64_t bytes = call->m * call->n * (call->dtype == ACTIVATIONS_FP32 ? 4 : 2);
  copy_pair<<<blocks_of(bytes / 16 + bytes % 16), kThreads, 0, call->stream>>>(*call, bytes);
  return cudaGetLastError();
}
