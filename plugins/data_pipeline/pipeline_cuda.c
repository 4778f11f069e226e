/* The pipeline on the backend "cuda", whose last stage is a kernel. Several threads read chunks into pinned memory. One
 * thread enqueues, for each chunk, the copy on one stream, and the kernels on another stream, which waits for the
 * copy's event. The caller's thread waits until each chunk has ended, in the order of chunks, records the times of its
 * events, and so frees its buffers for a later chunk. */
#ifdef GPUBENCH_CUDA
#include <cuda_runtime_api.h>
#include <stdlib.h>

#include "machine.h"
#include "pipeline.h"

enum { COPY_BEGIN, COPY_END, COMPUTE_BEGIN, COMPUTE_MIDDLE, COMPUTE_END, EVENTS };
enum { LANE_COPY = FLOW_STAGES, LANE_PREPROCESS, LANE_CONSUME }; /* indices for line_times() */

struct line_slot {
  char *raw;      /* pinned memory: records as in the file */
  float *floats;  /* pinned memory: images that the CPU has preprocessed; used if floats are sent */
  void *received; /* device memory to which the chunk is copied */
  cudaEvent_t events[EVENTS];
};

struct line_device {
  cudaStream_t copy, compute;
  cudaEvent_t anchor; /* recorded at time `anchor_ns`, so that times of events can be converted to the host's clock */
  int64_t anchor_ns;
  /* A preprocessed chunk. One buffer serves all chunks, because the compute stream processes one chunk after the
   * other. */
  float *y;
  int ordinal;
};

static gb_status line_cuda_failed(gb_case *c, cudaError_t code, const char *call) {
  if (code == cudaSuccess) return GB_OK;
  (void)cudaGetLastError(); /* clears the error, so that later calls do not report it again */
  return gb_failf(&gb, c, GB_EDEVICE, "%s: %s", call, cudaGetErrorString(code));
}

static int line_cuda_trouble(struct line *line, cudaError_t code, const char *call) {
  if (code == cudaSuccess) return 0;
  return trouble_set(line->trouble, GB_EDEVICE, "%s: %s", call, cudaGetErrorString(code));
}

static struct line_slot *cuda_slot_of(struct line *line, int64_t chunk) {
  return &line->slots[flow_slot(&line->flow, chunk)];
}

/* ---- Stages ---------------------------------------------------------------------------------------------------- */

static int cuda_read_stage(struct line *line, int64_t chunk, int part) {
  return line_read(line, chunk, part, cuda_slot_of(line, chunk)->raw);
}

static int cuda_preprocess_stage(struct line *line, int64_t chunk, int part) {
  const struct line_slot *slot = cuda_slot_of(line, chunk);
  line_preprocess(line, chunk, part, slot->raw, slot->floats);
  return 0;
}

static cudaError_t enqueue_copy(struct line *line, const struct line_slot *slot, int64_t chunk) {
  const struct line_device *d = line->device;
  const uint64_t floats = (uint64_t)(line_records(line, chunk) * image_outputs(&line->p->shape));
  const uint64_t bytes =
      line->ships ? floats * sizeof(float) : layout_chunk_size(&line->p->file.layout, (uint64_t)chunk);
  const void *from = line->ships ? (const void *)slot->floats : slot->raw;
  cudaError_t code = cudaEventRecord(slot->events[COPY_BEGIN], d->copy);
  if (code == cudaSuccess) code = cudaMemcpyAsync(slot->received, from, bytes, cudaMemcpyHostToDevice, d->copy);
  if (code == cudaSuccess) code = cudaEventRecord(slot->events[COPY_END], d->copy);
  if (code == cudaSuccess) code = cudaStreamWaitEvent(d->compute, slot->events[COPY_END], 0);
  return code == cudaSuccess ? cudaEventRecord(slot->events[COMPUTE_BEGIN], d->compute) : code;
}

static cudaError_t enqueue_preprocess(struct line *line, const struct line_slot *slot, int64_t chunk) {
  const struct line_device *d = line->device;
  const struct preprocess p = {.x = slot->received,
                               .geometry = line->p->geometry + line_first(line, chunk) * IMAGE_GEOMETRY,
                               .y = d->y,
                               .shape = line->p->shape,
                               .scale = line->p->scale,
                               .n = line_records(line, chunk)};
  const cudaError_t code = line->ships ? cudaSuccess : (cudaError_t)preprocess_cuda_fused(&p, d->compute);
  return code == cudaSuccess ? cudaEventRecord(slot->events[COMPUTE_MIDDLE], d->compute) : code;
}

static cudaError_t enqueue_consumer(struct line *line, const struct line_slot *slot, int64_t chunk) {
  const struct line_device *d = line->device;
  const float *y = line->ships ? slot->received : d->y;
  const cudaError_t code = (cudaError_t)consume_cuda(y, &line->p->shape, line->p->repeats, line_records(line, chunk),
                                                     line->p->sums + line_first(line, chunk), d->compute);
  return code == cudaSuccess ? cudaEventRecord(slot->events[COMPUTE_END], d->compute) : code;
}

static int submit_stage(struct line *line, int64_t chunk, int part) {
  (void)part;
  const struct line_slot *slot = cuda_slot_of(line, chunk);
  cudaError_t code = cudaSetDevice(line->device->ordinal); /* each thread has a current device of its own */
  if (code == cudaSuccess) code = enqueue_copy(line, slot, chunk);
  if (code == cudaSuccess) code = enqueue_preprocess(line, slot, chunk);
  if (code == cudaSuccess) code = enqueue_consumer(line, slot, chunk);
  return line_cuda_trouble(line, code, "enqueueing a chunk");
}

/* Sets `*ns` to the time of an event, converted to the host's clock, on which spans are based. */
static cudaError_t event_ns(const struct line_device *d, cudaEvent_t event, int64_t *ns) {
  float ms = 0.0f;
  const cudaError_t code = cudaEventElapsedTime(&ms, d->anchor, event);
  *ns = d->anchor_ns + (int64_t)((double)ms * 1e6);
  return code;
}

static int reap_stage(struct line *line, int64_t chunk, int part) {
  (void)part;
  const struct line_slot *slot = cuda_slot_of(line, chunk);
  int64_t at[EVENTS] = {0};
  cudaError_t code = cudaEventSynchronize(slot->events[COMPUTE_END]);
  for (int i = 0; i < EVENTS && code == cudaSuccess; i++)
    code = event_ns(line->device, slot->events[i], &at[i]);
  line_times(line, LANE_COPY)[chunk] = (struct flow_time){at[COPY_BEGIN], at[COPY_END]};
  line_times(line, LANE_PREPROCESS)[chunk] = (struct flow_time){at[COMPUTE_BEGIN], at[COMPUTE_MIDDLE]};
  line_times(line, LANE_CONSUME)[chunk] = (struct flow_time){at[COMPUTE_MIDDLE], at[COMPUTE_END]};
  return line_cuda_trouble(line, code, "waiting for a chunk");
}

/* ---- Resources -------------------------------------------------------------------------------------------------- */

static gb_status open_slot(struct line *line, gb_case *c, struct line_slot *slot) {
  const struct layout *layout = &line->p->file.layout;
  const uint64_t raw = layout_chunk_bytes(layout);
  const uint64_t floats = layout->chunk_records * (uint64_t)image_outputs(&line->p->shape) * sizeof(float);
  gb_status status = GB_OK;
  slot->raw = gb.mem->alloc(c, GB_MEM_PINNED, raw);
  slot->received = slot->raw == NULL ? NULL : gb.mem->alloc(c, GB_MEM_DEVICE, line->ships ? floats : raw);
  if (slot->received == NULL) return GB_ENOMEM;
  if (line->ships && (slot->floats = gb.mem->alloc(c, GB_MEM_PINNED, floats)) == NULL) return GB_ENOMEM;
  for (int i = 0; i < EVENTS && status == GB_OK; i++)
    status = line_cuda_failed(c, cudaEventCreate(&slot->events[i]), "cudaEventCreate");
  return status;
}

static gb_status open_line_device(struct line *line, gb_case *c) {
  struct line_device *d = line->device;
  const struct layout *layout = &line->p->file.layout;
  const uint64_t floats = layout->chunk_records * (uint64_t)image_outputs(&line->p->shape) * sizeof(float);
  d->ordinal = (int)gb.device->i64(c, "ordinal");
  if (!line->ships && (d->y = gb.mem->alloc(c, GB_MEM_DEVICE, floats)) == NULL) return GB_ENOMEM;
  gb_status status = line_cuda_failed(c, cudaEventCreate(&d->anchor), "cudaEventCreate");
  if (status == GB_OK)
    status = line_cuda_failed(c, cudaStreamCreateWithFlags(&d->copy, cudaStreamNonBlocking), "cudaStreamCreate");
  if (status == GB_OK)
    status = line_cuda_failed(c, cudaStreamCreateWithFlags(&d->compute, cudaStreamNonBlocking), "cudaStreamCreate");
  return status;
}

static void add_stages(struct line *line) {
  line_add_stage(line, line->p->workers, cuda_read_stage, "read");
  if (line->ships) line_add_stage(line, line->p->workers, cuda_preprocess_stage, "preprocess");
  line_add_stage(line, 1, submit_stage, NULL);
  line_add_stage(line, 1, reap_stage, NULL);
  line_add_lane(line, "h2d", line_times(line, LANE_COPY));
  if (!line->ships) line_add_lane(line, "preprocess", line_times(line, LANE_PREPROCESS));
  line_add_lane(line, "consume", line_times(line, LANE_CONSUME));
}

gb_status pipeline_cuda_open(struct line *line, gb_case *c) {
  line->slots = calloc((size_t)line->depth, sizeof *line->slots);
  line->device = calloc(1, sizeof *line->device);
  if (line->slots == NULL || line->device == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no host memory");
  gb_status status = open_line_device(line, c);
  for (int i = 0; i < line->depth && status == GB_OK; i++)
    status = open_slot(line, c, &line->slots[i]);
  add_stages(line);
  return status;
}

void pipeline_cuda_close(struct line *line) {
  struct line_device *d = line->device;
  for (int i = 0; line->slots != NULL && i < line->depth; i++)
    for (int j = 0; j < EVENTS; j++)
      if (line->slots[i].events[j] != NULL) (void)cudaEventDestroy(line->slots[i].events[j]);
  if (d != NULL && d->anchor != NULL) (void)cudaEventDestroy(d->anchor);
  if (d != NULL && d->copy != NULL) (void)cudaStreamDestroy(d->copy);
  if (d != NULL && d->compute != NULL) (void)cudaStreamDestroy(d->compute);
  free(line->slots);
  free(d);
}

/* ---- An iteration ---------------------------------------------------------------------------------------------- */

/* Copies the tensor `geometry` from the device to p->drawn, if the CPU preprocesses images. */
static cudaError_t fetch_geometry(struct line *line) {
  const uint64_t bytes = line->p->file.layout.records * IMAGE_GEOMETRY * sizeof(int32_t);
  return line->ships ? cudaMemcpy(line->p->drawn, line->p->geometry, bytes, cudaMemcpyDeviceToHost) : cudaSuccess;
}

static cudaError_t drop_anchor(struct line_device *d) {
  cudaError_t code = cudaEventRecord(d->anchor, d->copy);
  if (code == cudaSuccess) code = cudaEventSynchronize(d->anchor);
  d->anchor_ns = now_ns();
  return code;
}

gb_status pipeline_cuda_run(struct line *line, gb_case *c) {
  struct trouble trouble = TROUBLE_NONE;
  struct line_device *d = line->device;
  const double cpu = machine_cpu_seconds();
  const int64_t begin = now_ns();
  gb_status status = line_cuda_failed(c, fetch_geometry(line), "cudaMemcpy");
  if (status == GB_OK) status = line_cuda_failed(c, drop_anchor(d), "cudaEventRecord");
  if (status != GB_OK) return status;
  line_flow(line, &trouble);
  const cudaError_t copied = cudaStreamSynchronize(d->copy), computed = cudaStreamSynchronize(d->compute);
  const int64_t end = now_ns();
  if (trouble.status != GB_OK) return trouble_tell(&trouble, c);
  status = line_cuda_failed(c, copied, "cudaStreamSynchronize");
  if (status == GB_OK) status = line_cuda_failed(c, computed, "cudaStreamSynchronize");
  if (status == GB_OK) line_report(line, c, begin, end, machine_cpu_seconds() - cpu);
  return status;
}
#else
typedef int pipeline_cuda_is_not_built; /* declared because a translation unit must not be empty */
#endif
