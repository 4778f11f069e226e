/* Isolated samples on the cuda device. The stream is held back by a gate while work is enqueued, so that the time
 * between the events of a sample is the device's and not that of the host's launches. */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "device_cuda.h"

/* The queue behind the gate takes about 1000 operations and a launch into a full one waits for ever. One operation
 * costs the host a microsecond or more, so time bounds their number, whatever an iteration enqueues. */
#define HOLD_NS INT64_C(400000)

/* After this long the device gives up waiting: the one who should have opened the gate is itself waiting. */
#define GATE_LIMIT_NS UINT64_C(2000000000)

struct block {
  uint32_t samples;                /* fully enqueued */
  int64_t gate_ns, longest_run_ns; /* host time in the gate's launch and in one iteration */
  bool gave_up;
};

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static enum slot_result enqueue_sample(struct cuda_device *cuda, const struct slot_request *request,
                                       struct block *block, struct err *err) {
  if (request->before != NULL && request->before(request->context) != 0) return SLOT_CALLBACK;
  if (request->flush && cuda_check(kernels_read(cuda->stream, cuda->flush, cuda->flush_bytes, cuda->scan), err) != 0)
    return SLOT_DEVICE;
  if (cuda_check(cudaEventRecord(cuda->started[block->samples], cuda->stream), err) != 0) return SLOT_DEVICE;
  int64_t start = now_ns();
  int rc = request->run(request->context);
  int64_t spent = now_ns() - start;
  if (spent > block->longest_run_ns) block->longest_run_ns = spent;
  if (rc != 0) return SLOT_CALLBACK;
  if (cuda_check(cudaEventRecord(cuda->stopped[block->samples], cuda->stream), err) != 0) return SLOT_DEVICE;
  block->samples++;
  return SLOT_OK;
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

/* Enqueues up to `limit` samples behind the gate, opens it and waits for them. */
static enum slot_result run_block(struct cuda_device *cuda, const struct slot_request *request, uint32_t limit,
                                  bool gated, struct block *block, struct err *err) {
  *block = (struct block){0};
  if (limit > BLOCK_SAMPLES) limit = BLOCK_SAMPLES;
  enum slot_result result = gated ? close_gate(cuda, block, err) : SLOT_OK;
  int64_t start = now_ns();
  while (result == SLOT_OK && block->samples < limit) {
    result = enqueue_sample(cuda, request, block, err);
    if (gated && (gate_gave_up(cuda) || now_ns() - start > HOLD_NS)) break;
  }
  cuda->gate->opened = cuda->closings;
  if (cuda_check(cudaDeviceSynchronize(), err) != 0) return SLOT_DEVICE;
  block->gave_up = gated && gate_gave_up(cuda);
  return result;
}

static enum slot_result serial(struct err *err) {
  err_set(err, EXIT_DEVICE, "the GPU does not run queued work (profiler or CUDA_LAUNCH_BLOCKING?): use --profile");
  return SLOT_SERIAL;
}

/* Says who waited, by where the host spent the time. */
static enum slot_result blocked(const struct block *block, struct err *err) {
  int64_t most = (int64_t)GATE_LIMIT_NS / 2;
  if (block->gate_ns > most) return serial(err);
  if (block->longest_run_ns > most)
    err_set(err, EXIT_FAILED,
            "run does not return until queued work has finished: it synchronises, it enqueues more than "
            "about 1000 operations, or nothing runs behind the blocker (profiler, sanitizer or "
            "CUDA_LAUNCH_BLOCKING?)");
  else
    err_set(err, EXIT_FAILED, "the host was held up for more than 2 s while it enqueued work");
  return SLOT_BLOCKED;
}

static int read_times(struct cuda_device *cuda, uint32_t samples, double *ns, struct err *err) {
  for (uint32_t i = 0; i < samples; i++) {
    float ms = 0;
    if (cuda_check(cudaEventElapsedTime(&ms, cuda->started[i], cuda->stopped[i]), err) != 0) return -1;
    ns[i] = (double)ms * 1e6;
  }
  return 0;
}

enum slot_result cuda_slot(struct device *device, const struct slot_request *request, bool unblocked, double *ns,
                           struct err *err) {
  struct cuda_device *cuda = (struct cuda_device *)device;
  bool gated = !unblocked;
  if (gated && cuda->serial) return serial(err);
  if (cuda_check(cudaSetDevice(cuda->ordinal), err) != 0) return SLOT_DEVICE;
  /* A variant may have asked for lines to stay in L2; where there is no such thing there is nothing to reset. */
  if (request->flush && cudaCtxResetPersistingL2Cache() != cudaSuccess) (void)cudaGetLastError();
  for (uint32_t done = 0; done < request->count;) {
    struct block block;
    enum slot_result result = run_block(cuda, request, request->count - done, gated, &block, err);
    if (result != SLOT_OK) return result;
    if (block.gave_up) return blocked(&block, err);
    if (read_times(cuda, block.samples, ns + done, err) != 0) return SLOT_DEVICE;
    done += block.samples;
  }
  return SLOT_OK;
}

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static int nothing(void *context) {
  (void)context;
  return 0;
}

int cuda_measure_tick(struct cuda_device *cuda, double *tick_ns, struct err *err) {
  enum { PAIRS = 4 * BLOCK_SAMPLES };
  double ns[PAIRS];
  const struct slot_request request = {.run = nothing, .count = PAIRS};
  if (cuda_slot(&cuda->base, &request, true, ns, err) != SLOT_OK) return -1;
  qsort(ns, PAIRS, sizeof *ns, compare_doubles);
  double tick = INFINITY;
  for (int i = 1; i < PAIRS; i++) {
    double step = ns[i] - ns[i - 1];
    if (step > 0.25 && step < tick) tick = step; /* below lies the rounding of float milliseconds */
  }
  *tick_ns = isfinite(tick) ? rint(tick * 4) / 4 : -1;
  return 0;
}
