/* The copies of the bench `transfer`: one copy from or to host memory of a given kind, or staging, in which threads
 * copy chunks through pinned memory. Each function returns when its copies have completed. */
#include "transfer.h"

#ifdef GPUBENCH_CUDA
#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#include "bulk.h"
#include "machine.h"

#define SLOTS 2 /* pinned buffers of a staging thread, which fills one while the other is being copied */

/* What a staging thread needs, which copies chunks through pinned memory: its stream, events and pinned buffers. */
struct lane {
  cudaStream_t stream;
  cudaEvent_t sent[SLOTS];
  char *slot[SLOTS];
};

struct transfer_buffers {
  struct transfer *t;
  enum transfer_kind kind;
  char *send, *receive; /* host memory to send from and to receive in; NULL: not needed */
  bool send_registered, receive_registered;
  cudaStream_t up, down;
  int lanes;
  struct lane lane[MACHINE_THREADS_MAX];
};

static gb_status transfer_cuda_failed(gb_case *c, cudaError_t code, const char *call) {
  if (code == cudaSuccess) return GB_OK;
  (void)cudaGetLastError(); /* clears the error, so that later calls do not report it again */
  return gb_failf(&gb, c, GB_EDEVICE, "%s: %s", call, cudaGetErrorString(code));
}

static int transfer_cuda_trouble(struct trouble *t, cudaError_t code, const char *call) {
  return code == cudaSuccess ? 0 : trouble_set(t, GB_EDEVICE, "%s: %s", call, cudaGetErrorString(code));
}

/* ---- Memory ---------------------------------------------------------------------------------------------------- */

static gb_status take_buffer(struct transfer_buffers *b, gb_case *c, char **memory, bool *registered) {
  const uint64_t bytes = b->t->bytes;
  if (b->kind == TRANSFER_COMBINED) { /* write-combined memory, which gb.mem->alloc() does not offer */
    if (gb.mem->claim(c, GB_MEM_PINNED, bytes) != GB_OK) return GB_ENOMEM;
    return transfer_cuda_failed(c, cudaHostAlloc((void **)memory, bytes, cudaHostAllocWriteCombined), "cudaHostAlloc");
  }
  *memory = gb.mem->alloc(c, b->kind == TRANSFER_PINNED ? GB_MEM_PINNED : GB_MEM_HOST, bytes);
  if (*memory == NULL) return GB_ENOMEM;
  if (b->kind != TRANSFER_REGISTERED) return GB_OK;
  const gb_status status =
      transfer_cuda_failed(c, cudaHostRegister(*memory, bytes, cudaHostRegisterDefault), "cudaHostRegister");
  *registered = status == GB_OK;
  return status;
}

static gb_status open_lane(struct transfer_buffers *b, gb_case *c, struct lane *lane) {
  gb_status status =
      transfer_cuda_failed(c, cudaStreamCreateWithFlags(&lane->stream, cudaStreamNonBlocking), "cudaStreamCreate");
  for (int i = 0; i < SLOTS && status == GB_OK; i++) {
    status =
        transfer_cuda_failed(c, cudaEventCreateWithFlags(&lane->sent[i], cudaEventDisableTiming), "cudaEventCreate");
    lane->slot[i] = status == GB_OK ? gb.mem->alloc(c, GB_MEM_PINNED, b->t->chunk) : NULL;
    if (status == GB_OK && lane->slot[i] == NULL) status = GB_ENOMEM;
  }
  return status;
}

static gb_status open_lanes(struct transfer_buffers *b, gb_case *c) {
  gb_status status = GB_OK;
  for (b->lanes = 0; b->lanes < b->t->threads && status == GB_OK; b->lanes++)
    status = open_lane(b, c, &b->lane[b->lanes]);
  if (status == GB_OK)
    status =
        gb_notef(&gb, c, "threads", "%d, two chunks of %llu bytes each", b->lanes, (unsigned long long)b->t->chunk);
  return status;
}

gb_status transfer_refresh(struct transfer_buffers *b, gb_case *c) {
  if (!b->t->to_device) return GB_OK;
  return transfer_cuda_failed(c, cudaMemcpy(b->send, b->t->x, b->t->bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
}

static gb_status open_all(struct transfer_buffers *b, gb_case *c) {
  gb_status status =
      transfer_cuda_failed(c, cudaStreamCreateWithFlags(&b->up, cudaStreamNonBlocking), "cudaStreamCreate");
  if (status == GB_OK)
    status = transfer_cuda_failed(c, cudaStreamCreateWithFlags(&b->down, cudaStreamNonBlocking), "cudaStreamCreate");
  if (status == GB_OK && b->t->to_device) status = take_buffer(b, c, &b->send, &b->send_registered);
  if (status == GB_OK) status = transfer_refresh(b, c);
  if (status == GB_OK && b->t->to_host) status = take_buffer(b, c, &b->receive, &b->receive_registered);
  return status == GB_OK && b->kind == TRANSFER_STAGED ? open_lanes(b, c) : status;
}

struct transfer_buffers *transfer_open(struct transfer *t, enum transfer_kind kind, gb_case *c, gb_status *status) {
  struct transfer_buffers *b = calloc(1, sizeof *b);
  *status = b == NULL ? gb_failf(&gb, c, GB_ENOMEM, "no host memory") : GB_OK;
  if (b == NULL) return NULL;
  b->t = t;
  b->kind = kind;
  *status = open_all(b, c);
  if (*status == GB_OK) return b;
  transfer_close(b);
  return NULL;
}

static void close_lane(struct lane *lane) {
  for (int i = 0; i < SLOTS; i++)
    if (lane->sent[i] != NULL) (void)cudaEventDestroy(lane->sent[i]);
  if (lane->stream != NULL) (void)cudaStreamDestroy(lane->stream);
}

void transfer_close(struct transfer_buffers *b) {
  if (b->t->arrived == b->receive) b->t->arrived = NULL;
  for (int i = 0; i < b->lanes; i++)
    close_lane(&b->lane[i]);
  if (b->up != NULL) (void)cudaStreamDestroy(b->up);
  if (b->down != NULL) (void)cudaStreamDestroy(b->down);
  if (b->send_registered) (void)cudaHostUnregister(b->send);
  if (b->receive_registered) (void)cudaHostUnregister(b->receive);
  if (b->kind == TRANSFER_COMBINED && b->send != NULL) (void)cudaFreeHost(b->send);
  free(b);
}

/* ---- One copy -------------------------------------------------------------------------------------------------- */

struct job {
  struct transfer_buffers *b;
  struct trouble trouble;
};

/* Copies in one direction, on its own stream and thread: index 0 to the device, index 1 to the host. The thread is
 * needed because the call itself blocks with pageable memory. */
static void one_way(void *context, int index) {
  struct job *job = context;
  const struct transfer_buffers *b = job->b;
  const cudaStream_t stream = index == 0 ? b->up : b->down;
  if (transfer_cuda_trouble(&job->trouble, cudaSetDevice(b->t->device), "cudaSetDevice") != 0) return;
  const cudaError_t code = index == 0
                               ? cudaMemcpyAsync(b->t->y, b->send, b->t->bytes, cudaMemcpyHostToDevice, stream)
                               : cudaMemcpyAsync(b->receive, b->t->x, b->t->bytes, cudaMemcpyDeviceToHost, stream);
  if (transfer_cuda_trouble(&job->trouble, code, "cudaMemcpyAsync") != 0) return;
  transfer_cuda_trouble(&job->trouble, cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

static gb_status run_pageable(struct job *job, gb_case *c) {
  const struct transfer *t = job->b->t;
  if (t->to_device && t->to_host) {
    pool_run(t->pool, 2, one_way, job);
    return trouble_tell(&job->trouble, c);
  }
  if (t->to_device)
    return transfer_cuda_failed(c, cudaMemcpy(t->y, job->b->send, t->bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  return transfer_cuda_failed(c, cudaMemcpy(job->b->receive, t->x, t->bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
}

/* Starts asynchronous copies, then waits for all of them. It waits even for a copy within the device, so that all
 * variants are timed in the same way. */
static gb_status run_async(const struct transfer_buffers *b, gb_case *c) {
  const struct transfer *t = b->t;
  cudaError_t code = cudaSuccess;
  if (t->on_device) code = cudaMemcpyAsync(t->y, t->x, t->bytes, cudaMemcpyDeviceToDevice, b->up);
  if (t->to_device) code = cudaMemcpyAsync(t->y, b->send, t->bytes, cudaMemcpyHostToDevice, b->up);
  if (code == cudaSuccess && t->to_host)
    code = cudaMemcpyAsync(b->receive, t->x, t->bytes, cudaMemcpyDeviceToHost, b->down);
  if (code == cudaSuccess) code = cudaStreamSynchronize(b->up);
  if (code == cudaSuccess) code = cudaStreamSynchronize(b->down);
  return transfer_cuda_failed(c, code, "cudaMemcpyAsync");
}

/* ---- Staging --------------------------------------------------------------------------------------------------- */

/* Which chunks a staging thread copies: every `step`th chunk, starting with number `first`. */
struct share {
  uint64_t first, step;
};

static uint64_t size_at(const struct transfer *t, uint64_t at) {
  return t->bytes - at < t->chunk ? t->bytes - at : t->chunk;
}

static int lane_up(struct job *job, const struct lane *lane, struct share share) {
  const struct transfer_buffers *b = job->b;
  const struct transfer *t = b->t;
  uint64_t turn = 0;
  for (uint64_t at = share.first * t->chunk; at < t->bytes; at += share.step * t->chunk, turn++) {
    const int i = (int)(turn % SLOTS);
    cudaError_t code = turn < SLOTS ? cudaSuccess : cudaEventSynchronize(lane->sent[i]);
    if (code == cudaSuccess) {
      memcpy(lane->slot[i], b->send + at, size_at(t, at));
      code = cudaMemcpyAsync((char *)t->y + at, lane->slot[i], size_at(t, at), cudaMemcpyHostToDevice, lane->stream);
    }
    if (code == cudaSuccess) code = cudaEventRecord(lane->sent[i], lane->stream);
    if (transfer_cuda_trouble(&job->trouble, code, "staging to the device") != 0) return -1;
  }
  return transfer_cuda_trouble(&job->trouble, cudaStreamSynchronize(lane->stream), "cudaStreamSynchronize");
}

static cudaError_t fetch_chunk(const struct transfer *t, const struct lane *lane, int i, uint64_t at) {
  const cudaError_t code =
      cudaMemcpyAsync(lane->slot[i], (const char *)t->x + at, size_at(t, at), cudaMemcpyDeviceToHost, lane->stream);
  return code == cudaSuccess ? cudaEventRecord(lane->sent[i], lane->stream) : code;
}

/* Copies the chunks of a staging thread to the host. The GPU copies a chunk into one pinned buffer while the thread
 * copies the preceding chunk out of the other. */
static int lane_down(struct job *job, const struct lane *lane, struct share share) {
  const struct transfer_buffers *b = job->b;
  const struct transfer *t = b->t;
  const uint64_t stride = share.step * t->chunk;
  uint64_t turn = 0;
  cudaError_t code = share.first * t->chunk < t->bytes ? fetch_chunk(t, lane, 0, share.first * t->chunk) : cudaSuccess;
  for (uint64_t at = share.first * t->chunk; at < t->bytes && code == cudaSuccess; at += stride, turn++) {
    const int i = (int)(turn % SLOTS);
    if (at + stride < t->bytes) code = fetch_chunk(t, lane, (i + 1) % SLOTS, at + stride);
    if (code == cudaSuccess) code = cudaEventSynchronize(lane->sent[i]);
    if (code == cudaSuccess) memcpy(b->receive + at, lane->slot[i], size_at(t, at));
  }
  /* the result is ignored, because `code` has the failure, or the next CUDA call reports it */
  (void)cudaStreamSynchronize(lane->stream);
  return transfer_cuda_trouble(&job->trouble, code, "staging to the host");
}

/* The task of a staging thread. If data goes both ways, half of the threads copy in each direction. A single thread
 * copies in one direction after the other. */
static void lane_task(void *context, int index) {
  struct job *job = context;
  const struct transfer *t = job->b->t;
  const int lanes = job->b->lanes, up = t->to_device && t->to_host && lanes > 1 ? (lanes + 1) / 2 : lanes;
  const bool sends = t->to_device && index < up;
  const int first_down = up < lanes ? up : 0, downs = up < lanes ? lanes - up : lanes;
  if (transfer_cuda_trouble(&job->trouble, cudaSetDevice(t->device), "cudaSetDevice") != 0) return;
  if (sends && lane_up(job, &job->b->lane[index], (struct share){(uint64_t)index, (uint64_t)up}) != 0) return;
  if (t->to_host && index >= first_down)
    lane_down(job, &job->b->lane[index], (struct share){(uint64_t)(index - first_down), (uint64_t)downs});
}

gb_status transfer_run(struct transfer_buffers *b, gb_case *c) {
  struct job job = {.b = b, .trouble = TROUBLE_NONE};
  b->t->arrived = b->receive;
  b->t->seen = false;
  if (b->kind == TRANSFER_PAGEABLE) return run_pageable(&job, c);
  if (b->kind != TRANSFER_STAGED) return run_async(b, c);
  pool_run(b->t->pool, b->lanes, lane_task, &job);
  return trouble_tell(&job.trouble, c);
}

/* ---- The check ------------------------------------------------------------------------------------------------- */

gb_status transfer_digest(const struct transfer *t, const void *memory, gb_case *c, uint64_t *sum) {
  gb_status status = GB_OK;
  *sum = 0;
  for (uint64_t at = 0; at < t->bytes && status == GB_OK; at += TRANSFER_WINDOW) {
    const uint64_t size = t->bytes - at < TRANSFER_WINDOW ? t->bytes - at : TRANSFER_WINDOW;
    status = transfer_cuda_failed(c, cudaMemcpy(t->window, (const char *)memory + at, size, cudaMemcpyDeviceToHost),
                                  "cudaMemcpy");
    *sum += bulk_digest(t->pool, t->threads, t->window, size, at);
  }
  return status;
}
#endif
