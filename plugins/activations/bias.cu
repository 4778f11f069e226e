// The kernels of the bench "bias_gelu" for CUDA, and a plain copy, with which benches that also store statistics of
// each row are compared. This file does not use the plugin interface.
#include "device.cuh"
#include "kernels.h"

namespace activations {
namespace {

constexpr int kThreads = 128;

struct Erf {
  template <typename T>
  static __device__ __forceinline__ float apply(float x) {
    return 0.5f * x * (1.0f + erff(x * 0.707106781f));
  }
};
struct Tanh {
  template <typename T>
  static __device__ __forceinline__ float apply(float x) {
    return 0.5f * x * (1.0f + tanhf(0.797884561f * (x + 0.044715f * x * x * x)));
  }
};
struct FastErf {
  template <typename T>
  static __device__ __forceinline__ float apply(float x) {
    return gelu_erf<T>(x);
  }
};
struct FastTanh {
  template <typename T>
  static __device__ __forceinline__ float apply(float x) {
    return approx_gelu_tanh(x);
  }
};

template <typename T>
struct Matrix {
  const T *__restrict__ x;
  const T *__restrict__ bias;
  T *__restrict__ y;
  int64_t count;
  int n;
};

template <typename T, typename Op>
__global__ void __launch_bounds__(kThreads) by_element(const Matrix<T> of) {
  const int64_t i = int64_t(blockIdx.x) * kThreads + threadIdx.x;
  if (i < of.count) store(of.y + i, Op::template apply<T>(to_float(of.x[i]) + to_float(of.bias[i % of.n])));
}

// Applies Op to x + bias, one 16-byte pack per thread. A row consists of whole packs, and the x dimension of the grid
// runs along a row, so that a thread finds its row and column without a division.
template <typename T, typename Op>
__global__ void __launch_bounds__(kThreads) by_pack(const Matrix<T> of, int m) {
  constexpr int kWidth = Pack<T>::kWidth;
  const int packs = of.n / kWidth, row = int(blockIdx.z * gridDim.y + blockIdx.y);
  const int column = int(blockIdx.x * kThreads + threadIdx.x);
  if (column >= packs || row >= m) return;
  const int64_t at = int64_t(row) * packs + column;
  float x[kWidth], b[kWidth];
  Pack<T>::unpack(load_pack(reinterpret_cast<const uint4 *>(of.x) + at), x);
  Pack<T>::unpack(reinterpret_cast<const uint4 *>(of.bias)[column], b);
#pragma unroll
  for (int k = 0; k < kWidth; k++)
    x[k] = Op::template apply<T>(x[k] + b[k]);
  reinterpret_cast<uint4 *>(of.y)[at] = Pack<T>::pack(x);
}

// Copies x and writes zeros as statistics. There is a thread for every 16 bytes, one for each remaining byte, and one
// for the statistics of each row.
__global__ void __launch_bounds__(kThreads) copy_saved(const activations_call call, int64_t bytes) {
  const int64_t packs = bytes / 16, i = int64_t(blockIdx.x) * kThreads + threadIdx.x, at = packs * 16 + i - packs;
  if (i < packs)
    static_cast<uint4 *>(call.y)[i] = load_pack(static_cast<const uint4 *>(call.x) + i);
  else if (at < bytes)
    static_cast<char *>(call.y)[at] = static_cast<const char *>(call.x)[at];
  if (i >= call.m) return;
  if (call.mean != nullptr) call.mean[i] = 0.0f;
  call.rstd[i] = 0.0f;
}

// ---- Launch --------------------------------------------------------------------------------------------------------

template <typename T>
Matrix<T> matrix_of(const activations_call &call) {
  return {static_cast<const T *>(call.x), static_cast<const T *>(call.bias), static_cast<T *>(call.y), call.m * call.n,
          int(call.n)};
}

unsigned blocks_of(int64_t threads) {
  return unsigned((threads + kThreads - 1) / kThreads);
}

template <typename T, typename Op>
int launch_by_element(const activations_call &call) {
  by_element<T, Op><<<blocks_of(call.m * call.n), kThreads, 0, call.stream>>>(matrix_of<T>(call));
  return cudaGetLastError();
}

template <typename T, typename Op>
int launch_by_pack(const activations_call &call) {
  const int64_t most = 65535, layers = (call.m + most - 1) / most;
  const dim3 grid(blocks_of(call.n / Pack<T>::kWidth), unsigned((call.m + layers - 1) / layers), unsigned(layers));
  by_pack<T, Op><<<grid, kThreads, 0, call.stream>>>(matrix_of<T>(call), int(call.m));
  return cudaGetLastError();
}

}  // namespace
}  // namespace activations

using namespace activations;

int activations_cuda_bias_gelu_naive(const activations_call *call) {
  return call->form == ACTIVATIONS_ERF ? ACTIVATIONS_DISPATCH(launch_by_element, Erf)
                                       : ACTIVATIONS_DISPATCH(launch_by_element, Tanh);
}

int activations_cuda_bias_gelu_pack(const activations_call *call) {
  return call->form == ACTIVATIONS_ERF ? ACTIVATIONS_DISPATCH(launch_by_pack, FastErf)
                                       : ACTIVATIONS_DISPATCH(launch_by_pack, FastTanh);
}

int activations_cuda_copy_saved(const activations_call *call) {
  const int64_t bytes = call->m * call->n * (call->dtype == ACTIVATIONS_FP32 ? 4 : 2), packs = bytes / 16 + bytes % 16;
  copy_saved<<<blocks_of(packs > call->m ? packs : call->m), kThreads, 0, call->stream>>>(*call, bytes);
  return cudaGetLastError();
}
