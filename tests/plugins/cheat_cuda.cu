// Kernels that decide on the GPU whether they do their work, so that nothing on the CPU can observe the decision.
#include <cuda_runtime.h>

#include "cheat_cuda.h"

struct cheat_memory {
  double sum;  // over a sample of the inputs
  long long known, calls,
      pause;  // known: calls on the same inputs; calls: all calls; pause: calls since the last pause
  unsigned long long left_ns;
  int lazy;
  float kept[1];  // n of them
};

static __device__ unsigned long long now_ns() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

static __device__ float f(float x, int steps) {
  for (int k = 0; k < steps; k++)
    x = static_cast<float>(CHEAT_A) * x + static_cast<float>(CHEAT_B);
  return x;
}

static __global__ void honest(const float *x, float *y, int64_t n, int steps) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) y[i] = f(x[i], steps);
}

static __device__ bool is_lazy(const cheat &cheat, const cheat_memory *m, bool there) {
  const bool not_first = m->known >= 3 && m->pause >= 2;
  switch (cheat.when) {
    case NEVER:
      return false;
    case ALWAYS:
      return true;
    case KNOWN:
      return m->known >= cheat.k;
    case EVERY:
      return m->known >= 1 && m->calls % cheat.k != 0;
    case NOT_FIRST:
      return not_first;
    case THERE:
      return there;
    case THERE_NOT_FIRST:
      return there && not_first;
    case IN_SLOT:
      return m->pause >= 3;
  }
  return false;
}

// Finds out whether the inputs are known and how long ago the last call was, and decides whether to cheat. Runs in one
// block.
static __global__ void decide(cheat cheat, const float *x, const float *y, int64_t n, cheat_memory *m) {
  const unsigned long long long_ns = 4000000;
  __shared__ double sums[256];
  sums[threadIdx.x] = x[n / 256 * threadIdx.x];
  __syncthreads();
  if (threadIdx.x != 0) return;
  double sum = 0;
  for (int i = 0; i < 256; i++)
    sum += sums[i];
  m->known = sum == m->sum ? m->known + 1 : 0;
  m->sum = sum;
  m->pause = now_ns() - m->left_ns > long_ns ? 0 : m->pause + 1;
  m->lazy = is_lazy(cheat, m, y[0] == y[0] && y[n - 1] == y[n - 1]);
  m->calls++;
}

static __device__ void spill(what what, float *x, float *y, int64_t n) {
  if (what == BESIDE) y[n] = 0;
  if (what == FAR) y[n + 512] = 0;
  if (what == ONE_NAN) y[n / 2] = __int_as_float(0x7FC00000);
}

static __device__ int64_t end_of(what what, int64_t n) {
  return what == LAST ? n - 1 : what == ROW ? n - 512 : n;
}

static __global__ void work(cheat cheat, float *x, float *y, int64_t n, int steps, cheat_memory *m) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const bool lazy = m->lazy != 0, skipped = lazy && cheat.what <= ROUGHLY && i < n / cheat.parts;
  if (i == 0) m->left_ns = now_ns();
  if (i >= n || (lazy && i >= end_of(cheat.what, n))) return;
  if (!skipped) y[i] = f(x[i], steps);
  if (!lazy) m->kept[i] = y[i];
  if (skipped && cheat.what == GIVE) y[i] = m->kept[i];
  if (skipped && cheat.what == ZEROS) y[i] = 0;
  if (skipped && cheat.what == ROUGHLY) y[i] = 0.3F + 0.37F * x[i];
  if (lazy && cheat.what == INPUT) x[i] = 1;
  if (lazy && i == n / 2) spill(cheat.what, x, y, n);
}

static unsigned blocks(int64_t n) {
  return static_cast<unsigned>((n + 255) / 256);
}

int cheat_cuda_open(struct cheat_memory **memory, int64_t n) {
  const size_t bytes = sizeof **memory + static_cast<size_t>(n) * sizeof(float);
  cudaError_t rc = cudaMalloc(memory, bytes);
  return rc == cudaSuccess ? cudaMemset(*memory, 0, bytes) : rc;
}

int cheat_cuda_close(struct cheat_memory *memory) {
  return cudaFree(memory);
}

int cheat_cuda_honest(const float *x, float *y, int64_t n, int steps, CUstream_st *stream) {
  honest<<<blocks(n), 256, 0, stream>>>(x, y, n, steps);
  return cudaGetLastError();
}

int cheat_cuda_keep(const float *x, struct cheat_memory *memory, int64_t n, int steps, CUstream_st *stream) {
  return cheat_cuda_honest(x, memory->kept, n, steps, stream);
}

int cheat_cuda_run(const struct cheat *cheat, float *x, float *y, int64_t n, int steps, struct cheat_memory *memory,
                   CUstream_st *stream) {
  decide<<<1, 256, 0, stream>>>(*cheat, x, y, n, memory);
  work<<<blocks(n), 256, 0, stream>>>(*cheat, x, y, n, steps, memory);
  return cudaGetLastError();
}

int cheat_cuda_elsewhere(const float *x, float *y, int64_t n, int steps) {
  static cudaStream_t stream;
  if (stream == nullptr) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  return cheat_cuda_honest(x, y, n, steps, stream);
}

int cheat_cuda_forked(const float *x, float *y, int64_t n, int steps, int parts, int cover, CUstream_st *stream) {
  static cudaStream_t side;
  static cudaEvent_t here;
  const int64_t own = n - n / parts;
  if (cheat_cuda_capture(stream) != 0) return cheat_cuda_honest(x, y, n, steps, stream);
  if (side == nullptr) {
    cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&here, cudaEventDisableTiming);
  }
  if (cover) cudaMemsetAsync(y, 0, static_cast<size_t>(n) * sizeof *y, stream);
  cudaEventRecord(here, stream);
  cudaStreamWaitEvent(side, here, 0);
  if (own > 0) honest<<<blocks(own), 256, 0, stream>>>(x, y, own, steps);
  honest<<<blocks(n - own), 256, 0, side>>>(x + own, y + own, n - own, steps);
  return cudaGetLastError();
}

// Computes honestly. Cache hints make its data stay in the L2 cache longer than the data of other variants.
static __global__ void sticky(const float *x, float *y, int64_t n, int steps) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float value;
#if __CUDA_ARCH__ >= 800
  uint64_t policy;
  asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  asm volatile("ld.global.L2::cache_hint.f32 %0, [%1], %2;" : "=f"(value) : "l"(x + i), "l"(policy));
  asm volatile("st.global.L2::cache_hint.f32 [%0], %1, %2;"
               :
               : "l"(y + i), "f"(f(value, steps)), "l"(policy)
               : "memory");
#else
  value = x[i];
  y[i] = f(value, steps);
#endif
}

int cheat_cuda_sticky(const float *x, float *y, int64_t n, int steps, CUstream_st *stream) {
  sticky<<<blocks(n), 256, 0, stream>>>(x, y, n, steps);
  return cudaGetLastError();
}

int cheat_cuda_window(const float *x, int64_t n, CUstream_st *stream) {
  cudaStreamAttrValue value = {};
  value.accessPolicyWindow.base_ptr = const_cast<float *>(x);
  value.accessPolicyWindow.num_bytes = static_cast<size_t>(n) * sizeof *x;
  value.accessPolicyWindow.hitRatio = 1;
  value.accessPolicyWindow.hitProp = n > 0 ? cudaAccessPropertyPersisting : cudaAccessPropertyNormal;
  value.accessPolicyWindow.missProp = cudaAccessPropertyNormal;
  return cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value);
}

int cheat_cuda_keep_more(int64_t n) {
  int device = 0, most = 0;
  cudaError_t rc = cudaGetDevice(&device);
  if (rc == cudaSuccess) rc = cudaDeviceGetAttribute(&most, cudaDevAttrMaxPersistingL2CacheSize, device);
  const int64_t bytes = n * static_cast<int64_t>(sizeof(float));
  return rc == cudaSuccess
             ? cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, static_cast<size_t>(bytes < most ? bytes : most))
             : rc;
}

unsigned long long cheat_cuda_capture(CUstream_st *stream) {
  cudaStreamCaptureStatus status;
  unsigned long long id = 0;
  if (cudaStreamGetCaptureInfo(stream, &status, &id) != cudaSuccess) return 0;
  return status == cudaStreamCaptureStatusActive ? id : 0;
}
