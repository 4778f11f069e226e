// Cheating variants that do GPU work outside the timed call: in the callbacks `after`, `refresh` and `prepare`, in a
// thread, or in a kernel that keeps running and watches the inputs.
#include <pthread.h>
#include <unistd.h>

#include <atomic>

#include "gpu.cuh"

const char guest_id[] = "gpu_untimed", guest_backend[] = "cuda";
void (*const guest_close)(void) = nullptr;

struct state {
  float *kept, *seen;
  // [0]: checksum of the inputs to which `kept` belongs; [1]: of the present inputs; [3]: not 0 if stay() must end
  unsigned long long *sums;
  cudaStream_t side;
  pthread_t thread;
  std::atomic<bool> quit;
  struct call call;
  bool idle;
  int device;
};

static size_t bytes(const struct call *call) {
  return static_cast<size_t>(call->n) * sizeof(float);
}

static state *of(struct call *call) {
  return static_cast<state *>(*call->state);
}

static int open(struct call *call) {
  state *s = new state{};
  *call->state = s;
  s->call = *call;
  int rc = cudaMalloc(&s->kept, bytes(call));
  if (rc == 0) rc = cudaMalloc(&s->seen, bytes(call));
  if (rc == 0) rc = cudaMalloc(&s->sums, 4 * sizeof *s->sums);
  if (rc == 0) rc = cudaMemset(s->sums, 0, 4 * sizeof *s->sums);
  return rc != 0 ? rc : cudaStreamCreateWithFlags(&s->side, cudaStreamNonBlocking);
}

static int close(struct call *call) {
  state *s = of(call);
  cudaStreamSynchronize(s->side);
  cudaFree(s->kept);
  cudaFree(s->seen);
  cudaFree(s->sums);
  cudaStreamDestroy(s->side);
  delete s;
  return 0;
}

// ---- `after`, `refresh`, `prepare` ----

static int take_inputs(struct call *call) {
  return cudaMemcpyAsync(of(call)->seen, call->x, bytes(call), cudaMemcpyDeviceToDevice, call->stream);
}

static int compute_seen(struct call *call) {
  honest<<<blocks(call->n), 256, 0, call->stream>>>(of(call)->seen, call->y, call->n, call->steps);
  return cudaGetLastError();
}

static int to_kept(struct call *call) {
  return honest_on(call, of(call)->kept, call->stream);
}

static int deliver(struct call *call) {
  return cudaMemcpyAsync(call->y, of(call)->kept, bytes(call), cudaMemcpyDeviceToDevice, call->stream);
}

static int open_results(struct call *call) {
  const int rc = open(call);
  return rc != 0 ? rc : to_kept(call);
}

static int open_layout(struct call *call) {
  const int rc = open(call);
  return rc != 0 ? rc : take_inputs(call);
}

// ---- A thread that watches the inputs ----

static __global__ void add(const float *x, int64_t n, unsigned long long *sum) {
  const unsigned long long own = sum_of(x, n * blockIdx.x / gridDim.x, n * (blockIdx.x + 1) / gridDim.x, 1);
  if (threadIdx.x == 0) atomicAdd(sum, own);
}

static void note(struct call *call, unsigned long long *sum, cudaStream_t stream) {
  cudaMemsetAsync(sum, 0, sizeof *sum, stream);
  add<<<64, 1024, 0, stream>>>(call->x, call->n, sum);
}

// Copies the kept results if they belong to the present inputs and `may` is set. Otherwise computes.
static __global__ void give(const float *x, float *y, const float *kept, int64_t n, int steps,
                            const unsigned long long *sums, bool may) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) y[i] = may && sums[0] == sums[1] ? kept[i] : f(x[i], steps);
}

static int watched(struct call *call, bool may) {
  state *s = of(call);
  note(call, s->sums + 1, call->stream);
  give<<<blocks(call->n), 256, 0, call->stream>>>(call->x, call->y, s->kept, call->n, call->steps, s->sums, may);
  return cudaGetLastError();
}

static int watch_run(struct call *call) {
  return watched(call, true);
}

static int watch_twin(struct call *call) {
  return watched(call, false);
}

static __global__ void compute_if_new(const float *x, float *kept, int64_t n, int steps,
                                      const unsigned long long *sums) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n && sums[0] != sums[2]) kept[i] = f(x[i], steps);
}

static __global__ void known(unsigned long long *sums) {
  sums[0] = sums[2];
}

static void *watch(void *argument) {
  state *s = static_cast<state *>(argument);
  struct call *call = &s->call;
  cudaSetDevice(s->device);  // a new thread uses device 0
  while (!s->quit) {
    if (!s->idle) {
      note(call, s->sums + 2, s->side);
      compute_if_new<<<blocks(call->n), 256, 0, s->side>>>(call->x, s->kept, call->n, call->steps, s->sums);
      known<<<1, 1, 0, s->side>>>(s->sums);
      cudaStreamSynchronize(s->side);
    }
    usleep(300);
  }
  return nullptr;
}

static int start(struct call *call) {
  const int rc = cudaGetDevice(&of(call)->device);
  return rc != 0 ? rc : pthread_create(&of(call)->thread, nullptr, watch, of(call));
}

static int watch_open(struct call *call) {
  const int rc = open(call);
  return rc != 0 ? rc : start(call);
}

static int idle_open(struct call *call) {
  const int rc = open(call);
  of(call)->idle = true;
  return rc != 0 ? rc : start(call);
}

static int watch_close(struct call *call) {
  of(call)->quit = true;
  pthread_join(of(call)->thread, nullptr);
  return close(call);
}

// ---- A persistent kernel ----

// A kernel that keeps running and computes results whenever the inputs change. Each of its sixteen blocks computes a
// part. Block 0 publishes the checksum of the inputs for which all blocks are done. The kernel ends after 20 s at the
// latest.
static __global__ void stay(const float *x, float *kept, int64_t n, int steps, volatile unsigned long long *sums) {
  const unsigned long long start = time_ns();
  const int64_t first = n * blockIdx.x / gridDim.x, end = n * (blockIdx.x + 1) / gridDim.x;
  unsigned long long done = 0;
  while (sums[3] == 0 && time_ns() - start < 20000000000ull) {
    const unsigned long long now = sum_of(x, 0, n, 61);
    if (now == done) {
      __nanosleep(20000);
      continue;
    }
    for (int64_t i = first + threadIdx.x; i < end; i += blockDim.x)
      kept[i] = f(reinterpret_cast<const volatile float *>(x)[i], steps);
    __threadfence();
    __syncthreads();
    done = now;
    if (threadIdx.x == 0 && blockIdx.x == 0) sums[0] = now;
  }
}

static int stay_open(struct call *call) {
  const int rc = open(call);
  if (rc != 0) return rc;
  state *s = of(call);
  cudaStreamSynchronize(call->stream);
  stay<<<16, 1024, 0, s->side>>>(call->x, s->kept, call->n, call->steps, s->sums);
  return cudaGetLastError();
}

static __global__ void note_some(const float *x, int64_t n, unsigned long long *sum) {
  const unsigned long long now = sum_of(x, 0, n, 61);
  if (threadIdx.x == 0) *sum = now;
}

static int stay_run(struct call *call) {
  state *s = of(call);
  note_some<<<1, 1024, 0, call->stream>>>(call->x, call->n, s->sums + 1);
  give<<<blocks(call->n), 256, 0, call->stream>>>(call->x, call->y, s->kept, call->n, call->steps, s->sums, true);
  return cudaGetLastError();
}

static int stay_twin(struct call *call) {
  state *s = of(call);
  note_some<<<1, 1024, 0, call->stream>>>(call->x, call->n, s->sums + 1);
  give<<<blocks(call->n), 256, 0, call->stream>>>(call->x, call->y, s->kept, call->n, call->steps, s->sums, false);
  return cudaGetLastError();
}

static int stay_close(struct call *call) {
  const unsigned long long stop = 1;
  cudaStream_t other;
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaMemcpyAsync(of(call)->sums + 3, &stop, sizeof stop, cudaMemcpyHostToDevice, other);
  cudaStreamSynchronize(other);
  cudaStreamDestroy(other);
  return close(call);
}

#define NONE nullptr
enum : uint32_t { DERIVED = GB_VARIANT_DERIVED };
const struct guest guests[] = {
    {"after", TEST, take_inputs, open, NONE, NONE, compute_seen, close},
    {"after-honest", TEST, to_kept, open, NONE, NONE, deliver, close},
    {"refresh", TEST, deliver, open_results, to_kept, NONE, NONE, close, DERIVED},
    {"refresh-honest", TEST, compute_seen, open_layout, take_inputs, NONE, NONE, close, DERIVED},
    {"prepare", TEST, deliver, open_results, NONE, NONE, NONE, close, DERIVED},
    {"prepare-honest", TEST, compute_seen, open_layout, NONE, NONE, NONE, close, DERIVED},
    {"watch", TEST, watch_run, watch_open, NONE, NONE, NONE, watch_close},
    {"watch-honest", TEST, watch_twin, idle_open, NONE, NONE, NONE, watch_close},
    {"stay", TEST, stay_run, stay_open, NONE, NONE, NONE, stay_close},
    {"stay-honest", TEST, stay_twin, open, NONE, NONE, NONE, close},
    {NONE, NONE, NONE}};
