// Kernels that fail, each in one way. All of them also compute the right results, so that only the fault can be found.
#undef NDEBUG
#include <cassert>

#include <cuda_runtime.h>

#include "bad_cuda.h"

static __device__ __noinline__ int deeper(int depth) {
  volatile int frame[64];
  frame[depth & 63] = depth;
  return depth < 0 ? 0 : deeper(depth + 1) + frame[(depth + 1) & 63];
}

static __device__ void fail(fault kind, const float *x, float *y, int n) {
  if (kind == FAULT_NULL) *reinterpret_cast<volatile float *>(static_cast<size_t>(4)) = 1;
  if (kind == FAULT_WILD) *reinterpret_cast<volatile float *>(static_cast<size_t>(1) << 46) = 1;
  if (kind == FAULT_MISALIGNED) *reinterpret_cast<volatile double *>(reinterpret_cast<char *>(y) + 4) = 1;
  if (kind == FAULT_TRAP) __trap();
  assert(kind != FAULT_ASSERT);
  if (kind == FAULT_STACK) y[0] = static_cast<float>(deeper(n > 0));
  if (kind == FAULT_BEYOND) y[n] = 1;
  if (kind == FAULT_FAR_BEYOND) y[n + 1024] = 1;
  if (kind == FAULT_INPUT) const_cast<float *>(x)[3] = 1.5F;
  if (kind == FAULT_NAN) y[77] = __int_as_float(0x7FFFFFFF);
  volatile int forever = kind == FAULT_HANG;
  while (forever)
    __nanosleep(1000);
}

static __global__ void scale(fault kind, const float *x, float *y, int n) {
  __shared__ float staged[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // the output has values, so that this is not the first call
  if (kind == FAULT_THERE && i < n && y[i] == y[i]) return;
  staged[threadIdx.x] = i < n ? x[i] : 0;
  if (kind != FAULT_RACE) __syncthreads();  // without the barrier, the store of another thread races with this load
  unsigned partner = threadIdx.x ^ 32;
  float mine = staged[partner];
  __syncthreads();
  staged[partner] = mine;
  __syncthreads();
  if (i < n && !(kind == FAULT_PART && i == n - 1))
    y[i] = 2 * (kind == FAULT_RACE ? x[i] + 0 * staged[threadIdx.x] : x[i]);
  if (i == 0) fail(kind, x, y, n);
}

static cudaStream_t elsewhere() {
  static cudaStream_t stream;
  if (stream == nullptr) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  return stream;
}

static cudaError_t allocate(bool asynchronous, cudaStream_t stream) {
  void *memory = nullptr;
  cudaError_t rc = asynchronous ? cudaMallocAsync(&memory, 1 << 20, stream) : cudaMalloc(&memory, 1 << 20);
  if (rc != cudaSuccess) return rc;
  return asynchronous ? cudaFreeAsync(memory, stream) : cudaFree(memory);
}

int bad_cuda_launch(enum fault fault, const float *x, float *y, int n, int calls, CUstream_st *stream) {
  cudaError_t rc = cudaSuccess;
  if (fault == FAULT_FIRST && calls > 0) return 0;
  if (fault == FAULT_ESCAPE) stream = elsewhere();
  if (fault == FAULT_LEGACY) stream = cudaStreamLegacy;
  if (fault == FAULT_ALLOCATE || fault == FAULT_ALLOCATE_ASYNC) rc = allocate(fault == FAULT_ALLOCATE_ASYNC, stream);
  if (rc != cudaSuccess) return rc;
  bool too_many = fault == FAULT_LAUNCH || fault == FAULT_LAUNCH_MUTE;
  scale<<<(n + 255) / 256, too_many ? 4096 : 256, 0, stream>>>(fault, x, y, n);
  if (fault == FAULT_SYNC) return cudaStreamSynchronize(stream);
  if (fault == FAULT_RESET) return cudaDeviceReset();
  if (fault == FAULT_DESTROY) return cudaStreamDestroy(stream);
  return fault == FAULT_LAUNCH_MUTE ? 0 : cudaGetLastError();
}

int bad_cuda_take_all() {
  size_t taken = 0;
  void *memory;
  for (size_t bytes = static_cast<size_t>(1) << 34; bytes >= static_cast<size_t>(1) << 20; bytes /= 2)
    while (cudaMalloc(&memory, bytes) == cudaSuccess)
      taken += bytes;
  cudaGetLastError();  // clears the error, because running out of memory is expected here
  return taken > 0 ? 0 : 1;
}
