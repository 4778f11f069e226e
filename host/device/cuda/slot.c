/* Takes samples on a GPU. If they are timed by the device's clock, a gate (a kernel that waits for the host) holds the
 * stream back until the work of several samples is enqueued. The time between the two events of a sample then does not
 * include the time that the host takes for launches. */
#include <math.h>
#include <time.h>

#include "device/cuda/cuda.h"
#include "device/two_clocks.h"
#include "stats/math.h"

/* How many ns the host may enqueue samples behind a closed gate. The queue holds about 1000 operations, and a launch
 * into a full queue would wait for ever. An operation takes the host at least a microsecond, so this time limits their
 * number, however many of them an iteration enqueues. */
#define HOLD_NS INT64_C(400000)

/* The most operations behind a closed gate. In a longer queue samples are slower. Measured on an H200 in cold mode (a
 * flush, two events, a 20 us spin): a sample takes 3.07 us more than the spin for the first five samples behind the
 * gate, 3.4 us more for the next three, and 3.7 us more in longer queues. */
enum { QUEUE_OPERATIONS = 20 };

/* After this many ns the gate opens without the host. That happens if the host is waiting for the device instead of
 * opening the gate. */
#define GATE_LIMIT_NS UINT64_C(2000000000)

/* The longest time in ns for which the host waits while the gate is closed. In that time work that wrongly bypasses the
 * stream writes its results, which can then be detected. */
#define EARLY_WRITE_NS 2e6

/* STATE_NS: shortest interval between two queries of NVML. CLOCK_NS: shortest time over which a mean clock is
 * computed. */
#define STATE_NS INT64_C(50000000)
#define CLOCK_NS UINT64_C(200000)

struct block {
  uint32_t samples;    /* number of samples that are completely enqueued */
  uint32_t operations; /* number of operations (launches, events) that these samples enqueued */
  /* how long the CPU took to launch the gate (the kernel that holds the stream back), and to enqueue the slowest
   * iteration */
  int64_t gate_ns, longest_run_ns;
  bool gave_up;
};

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void sleep_ns(long ns) {
  const struct timespec time = {0, ns};
  nanosleep(&time, NULL);
}

/* Enqueues the iterations of a sample. Returns SLOT_OK, SLOT_CALLBACK or SLOT_DEVICE. */
static enum slot_result enqueue_work(struct cuda_device *cuda, const struct slot_request *request, struct err *err) {
  if (request->capture != NULL)
    return cuda_check(cuda_replay(request->capture, cuda->stream), err) == 0 ? SLOT_OK : SLOT_DEVICE;
  for (uint32_t i = 0; i < request->replicas; i++)
    if (request->run(request->context) != 0) return SLOT_CALLBACK;
  return SLOT_OK;
}

static bool call(int (*callback)(void *context), const struct slot_request *request) {
  return callback == NULL || callback(request->context) == 0;
}

static bool is_last(const struct slot_request *request, uint32_t sample) {
  return sample + 1 == request->count;
}

static cudaError_t flush(struct cuda_device *cuda) {
  return kernels_flush(cuda->stream, cuda->flush, cuda->flush_bytes, (uint32_t)cuda->base.facts.sm_count, cuda->scan);
}

/* Enqueues the untimed work before a sample: new inputs, callbacks and the flush of the caches. */
static enum slot_result enqueue_before(struct cuda_device *cuda, const struct slot_request *request, uint32_t sample,
                                       struct err *err) {
  if (request->inputs != NULL && request->inputs(request->context, sample) != 0) return SLOT_CALLBACK;
  if (!call(request->before, request)) return SLOT_CALLBACK;
  if (is_last(request, sample) && !call(request->last, request)) return SLOT_CALLBACK;
  if (request->flush && cuda_check(flush(cuda), err) != 0) return SLOT_DEVICE;
  if (sample == 0 && !call(request->sudden, request)) return SLOT_CALLBACK;
  return !is_last(request, sample) || call(request->ready, request) ? SLOT_OK : SLOT_CALLBACK;
}

/* Returns the number of operations that a sample enqueues: two events, the flush (or `before`), and the kernels of its
 * iterations. Writing new inputs is not included. */
static uint32_t operations_of(const struct slot_request *request) {
  enum { BESIDE_KERNELS = 3 };
  return BESIDE_KERNELS + request->replicas * (request->kernels > 0 ? request->kernels : 1);
}

static enum slot_result enqueue_sample(struct cuda_device *cuda, const struct slot_request *request, uint32_t done,
                                       struct block *block, struct err *err) {
  const uint32_t shuffles = cuda->shuffles;
  enum slot_result result = enqueue_before(cuda, request, done + block->samples, err);
  if (result != SLOT_OK) return result;
  if (cuda_check(cudaEventRecord(cuda->started[block->samples], cuda->stream), err) != 0) return SLOT_DEVICE;
  int64_t start = now_ns();
  result = enqueue_work(cuda, request, err);
  int64_t spent = now_ns() - start;
  if (spent > block->longest_run_ns) block->longest_run_ns = spent;
  if (result != SLOT_OK) return result;
  if (cuda_check(cudaEventRecord(cuda->stopped[block->samples], cuda->stream), err) != 0) return SLOT_DEVICE;
  block->samples++;
  block->operations += operations_of(request) + cuda->shuffles - shuffles;
  return is_last(request, done + block->samples - 1) && !call(request->done, request) ? SLOT_CALLBACK : SLOT_OK;
}

static enum slot_result close_gate(struct cuda_device *cuda, struct block *block, struct err *err) {
  int64_t start = now_ns();
  cudaError_t code = kernels_gate(cuda->stream, cuda->gate, ++cuda->closings, GATE_LIMIT_NS);
  block->gate_ns = now_ns() - start;
  return cuda_check(code, err) == 0 ? SLOT_OK : SLOT_DEVICE;
}

static bool gate_gave_up(const struct cuda_device *cuda) {
  return cuda->gate->gave_up == cuda->closings;
}

/* Returns true if another sample may be enqueued in this block (the samples behind one closed gate). `extra`: number of
 * samples at the beginning of the block that the caller drops; at most 1, and only in the first block of a slot. They
 * do not count towards the limits. The first sample after them may always be enqueued, however many operations it
 * needs. */
static bool has_room(const struct slot_request *request, const struct block *block, uint32_t extra) {
  const uint32_t each = operations_of(request);
  if (request->unblocked) return block->samples < BLOCK_SAMPLES;
  if (block->samples <= extra) return true;
  return block->samples < BLOCK_SAMPLES - 1 + extra && block->operations + each <= QUEUE_OPERATIONS + extra * each;
}

/* Enqueues an iteration that is not timed, before the samples of a block. The first iteration after the gate opens
 * takes shorter or longer than later ones, so it must not be a sample. Not called for the first block of a slot: there
 * the caller drops the first sample instead. */
static enum slot_result enqueue_lead(struct cuda_device *cuda, const struct slot_request *request, struct err *err) {
  enum slot_result result = enqueue_before(cuda, request, UINT32_MAX, err);
  return result == SLOT_OK ? enqueue_work(cuda, request, err) : result;
}

/* Enqueues a block of samples, from sample number `done` on, behind a closed gate if `gated`; then opens the gate and
 * waits for the samples. */
static enum slot_result run_block(struct cuda_device *cuda, const struct slot_request *request, uint32_t done,
                                  bool gated, struct block *block, struct err *err) {
  const bool first = done == 0;
  const uint32_t extra = gated && first ? 1 : 0;
  *block = (struct block){0};
  enum slot_result result = gated ? close_gate(cuda, block, err) : SLOT_OK;
  int64_t start = now_ns();
  if (result == SLOT_OK && gated && !first && request->replicas == 1) result = enqueue_lead(cuda, request, err);
  while (result == SLOT_OK && done + block->samples < request->count && has_room(request, block, extra)) {
    result = enqueue_sample(cuda, request, done, block, err);
    if (gated && (gate_gave_up(cuda) || now_ns() - start > HOLD_NS)) break;
  }
  if (result == SLOT_OK && gated && request->held != NULL) {
    sleep_ns((long)fmin(request->held_ns, EARLY_WRITE_NS)); /* waits so that work that bypassed the stream can write */
    if (request->held(request->context) != 0) result = SLOT_CALLBACK;
  }
  cuda->gate->opened = cuda->closings;
  if (cuda_check(cudaDeviceSynchronize(), err) != 0) return SLOT_DEVICE;
  block->gave_up = gated && gate_gave_up(cuda);
  return result;
}

static enum slot_result serial(struct err *err) {
  err_set(err, EXIT_DEVICE, "kernel launches are blocking (profiler or CUDA_LAUNCH_BLOCKING?): use --profile");
  return SLOT_SERIAL;
}

/* Sets the error that explains why the host did not open the gate in time: it spent most of that time in launching the
 * gate, or in enqueueing an iteration. */
static enum slot_result blocked(const struct block *block, struct err *err) {
  int64_t most = (int64_t)GATE_LIMIT_NS / 2;
  if (block->gate_ns > most) return serial(err);
  if (block->longest_run_ns > most)
    err_set(err, EXIT_FAILED,
            "run blocks until queued work has finished: it synchronizes, it enqueues more than about 1000 operations, "
            "or kernel launches are blocking (profiler, sanitizer or CUDA_LAUNCH_BLOCKING?)");
  else
    err_set(err, EXIT_FAILED, "the host took more than 2 s to enqueue the work");
  return SLOT_BLOCKED;
}

static int read_times(struct cuda_device *cuda, uint32_t samples, uint32_t replicas, double *ns, struct err *err) {
  for (uint32_t i = 0; i < samples; i++) {
    float ms = 0;
    if (cuda_check(cudaEventElapsedTime(&ms, cuda->started[i], cuda->stopped[i]), err) != 0) return -1;
    ns[i] = (double)ms * 1e6 / replicas;
  }
  return 0;
}

/* ---- The device's state ---- */

/* Returns the mean clock between two readings; NaN if they are from different multiprocessors or too close to each
 * other. */
static double mean_clock_mhz(const struct clock_reading *from, const struct clock_reading *to) {
  uint64_t ns = to->ns - from->ns;
  if (from->multiprocessor != to->multiprocessor || to->ns <= from->ns || ns < CLOCK_NS) return NAN;
  return (double)(to->cycles - from->cycles) * 1e3 / (double)ns;
}

static void note_state(struct cuda_device *cuda, struct slot_state *state) {
  int64_t now = now_ns();
  if (cuda->nvml != NULL && now - cuda->state_ns > STATE_NS) {
    nvml_slot_state(cuda->nvml, NVML_TEMPERATURE | NVML_POWER | NVML_THROTTLE, &cuda->state);
    cuda->state_ns = now;
  }
  *state = cuda->state;
  state->sm_clock_mhz = mean_clock_mhz(&cuda->clocks[0], &cuda->clocks[1]);
}

/* ---- Slots timed by the device's clock ---- */

static enum slot_result time_on_device(struct cuda_device *cuda, const struct slot_request *request, double *ns,
                                       struct err *err) {
  bool gated = !request->unblocked;
  for (uint32_t done = 0; done < request->count;) {
    struct block block;
    enum slot_result result = run_block(cuda, request, done, gated, &block, err);
    if (result != SLOT_OK) return result;
    if (block.gave_up) return blocked(&block, err);
    if (read_times(cuda, block.samples, request->replicas, ns + done, err) != 0) return SLOT_DEVICE;
    done += block.samples;
  }
  return SLOT_OK;
}

/* ---- Slots timed by the host's clock ---- */

static cudaError_t wait_for(struct cuda_device *cuda, const struct slot_request *request) {
  return request->timing == TIMING_WALL ? cudaDeviceSynchronize() : cudaStreamSynchronize(cuda->stream);
}

static enum slot_result time_on_host(struct cuda_device *cuda, const struct slot_request *request, double *ns,
                                     struct err *err) {
  struct two_clocks clocks = two_clocks_begin(request->doubt);
  for (uint32_t i = 0; i < request->count; i++) {
    enum slot_result result = enqueue_before(cuda, request, i, err);
    if (result != SLOT_OK) return result;
    if (cuda_check(cudaDeviceSynchronize(), err) != 0) return SLOT_DEVICE;
    two_clocks_start(&clocks);
    result = enqueue_work(cuda, request, err);
    cudaError_t code = wait_for(cuda, request);
    ns[i] = two_clocks_stop(&clocks);
    if (result != SLOT_OK) return result;
    if (cuda_check(code, err) != 0) return SLOT_DEVICE;
    if (is_last(request, i) && !call(request->done, request)) return SLOT_CALLBACK;
  }
  return SLOT_OK;
}

enum slot_result cuda_slot(struct device *device, const struct slot_request *request, double *ns,
                           struct slot_state *state, struct err *err) {
  struct cuda_device *cuda = (struct cuda_device *)device;
  const bool by_host = mode_is_by_host((struct mode){request->timing, LOAD_PLAIN});
  *state = SLOT_STATE_UNKNOWN;
  if (!request->unblocked && !by_host && cuda->serial) return serial(err);
  if (cuda_check(cudaSetDevice(cuda->ordinal), err) != 0) return SLOT_DEVICE;
  /* lines of another variant may have been marked as persisting in L2; an error is ignored, because some devices have
   * no persisting lines */
  if (cudaCtxResetPersistingL2Cache() != cudaSuccess) (void)cudaGetLastError();
  if (cuda_check(kernels_clock(cuda->stream, &cuda->clocks[0]), err) != 0) return SLOT_DEVICE;
  enum slot_result result = by_host ? time_on_host(cuda, request, ns, err) : time_on_device(cuda, request, ns, err);
  if (result != SLOT_OK) return result;
  if (cuda_check(kernels_clock(cuda->stream, &cuda->clocks[1]), err) != 0) return SLOT_DEVICE;
  if (cuda_check(cudaStreamSynchronize(cuda->stream), err) != 0) return SLOT_DEVICE;
  note_state(cuda, state);
  return SLOT_OK;
}

int cuda_nothing(struct device *device, uint32_t shape) {
  struct cuda_device *cuda = (struct cuda_device *)device;
  struct null_launch launch;
  kernels_null_shape(shape, (uint32_t)device->facts.sm_count, (uint32_t)device->facts.shared_memory_per_block_bytes,
                     &launch);
  return kernels_null(cuda->stream, &launch, cuda->nothing) == cudaSuccess ? 0 : -1;
}

static int nothing(void *context) {
  (void)context;
  return 0;
}

int cuda_measure_tick(struct cuda_device *cuda, double *tick_ns, struct err *err) {
  enum { PAIRS = 256 };
  double ns[PAIRS];
  struct slot_state state;
  const struct slot_request request = {.run = nothing, .count = PAIRS, .replicas = 1, .unblocked = true};
  if (cuda_slot(&cuda->base, &request, ns, &state, err) != SLOT_OK) return -1;
  stats_sort(ns, PAIRS);
  double tick = INFINITY;
  for (int i = 1; i < PAIRS; i++) {
    double step = ns[i] - ns[i - 1];
    /* event times are floats in ms, so smaller steps are rounding errors */
    if (step > 0.25 && step < tick) tick = step;
  }
  *tick_ns = isfinite(tick) ? rint(tick * 4) / 4 : -1;
  return 0;
}
