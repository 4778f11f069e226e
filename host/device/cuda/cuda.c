/* The cuda backend on an opened GPU: memory operations, and the state of the GPU. All work runs on one non-blocking
 * stream. A device error ends the CUDA context: every later call fails, and the caller must replace the process. */
#include "device/cuda/cuda.h"

#include <cuda_profiler_api.h>
#include <nvtx3/nvToolsExt.h>
#include <stdlib.h>

#include "device/energy_source.h"
#include "model/data/dtype.h"
#include "model/data/fill.h"

static int enter(struct cuda_device *cuda, struct err *err) {
  return cuda_check(cudaSetDevice(cuda->ordinal), err); /* a plugin may have made another device current */
}

/* Returns true if the memory is pageable, so that the device cannot access it. */
static bool is_pageable(const void *memory) {
  struct cudaPointerAttributes attributes = {0};
  if (cudaPointerGetAttributes(&attributes, memory) == cudaSuccess)
    return attributes.type == cudaMemoryTypeUnregistered;
  (void)cudaGetLastError();
  return false;
}

static void *cuda_alloc(struct device *device, enum memory_kind kind, size_t bytes) {
  struct cuda_device *cuda = (struct cuda_device *)device;
  void *memory = NULL;
  if (bytes == 0) bytes = 1;
  if (kind == MEMORY_HOST) return device_cpu_ops.alloc(device, kind, bytes);
  cudaError_t code = cudaSetDevice(cuda->ordinal);
  if (code == cudaSuccess) code = kind == MEMORY_PINNED ? cudaMallocHost(&memory, bytes) : cudaMalloc(&memory, bytes);
  if (code == cudaSuccess) return memory;
  (void)cudaGetLastError();
  return NULL;
}

static void cuda_free(struct device *device, enum memory_kind kind, void *memory) {
  (void)device;
  if (kind == MEMORY_HOST)
    free(memory);
  else if (memory != NULL && (kind == MEMORY_PINNED ? cudaFreeHost(memory) : cudaFree(memory)) != cudaSuccess)
    (void)cudaGetLastError();
}

/* Returns a page-locked buffer of at least this size for copies to the host. A copy to pageable memory would take at
 * least 20 us and run at a fifth of the bus's rate. */
static void *cuda_staging(struct device *device, size_t bytes) {
  struct cuda_device *cuda = (struct cuda_device *)device;
  if (bytes <= cuda->staging_bytes) return cuda->staging;
  cuda_free(device, MEMORY_PINNED, cuda->staging);
  cuda->staging = cuda_alloc(device, MEMORY_PINNED, bytes);
  cuda->staging_bytes = cuda->staging != NULL ? bytes : 0;
  return cuda->staging;
}

static int64_t cuda_memory_free(struct device *device) {
  struct cuda_device *cuda = (struct cuda_device *)device;
  size_t available = 0, total = 0;
  if (cudaSetDevice(cuda->ordinal) == cudaSuccess && cudaMemGetInfo(&available, &total) == cudaSuccess)
    return (int64_t)available;
  (void)cudaGetLastError();
  return -1;
}

static int cuda_copy_async(struct device *device, void *to, const void *from, size_t bytes, struct err *err) {
  struct cuda_device *cuda = (struct cuda_device *)device;
  if (enter(cuda, err) != 0) return -1;
  if (is_pageable(to) && is_pageable(from)) return device_cpu_ops.copy_async(device, to, from, bytes, err);
  return cuda_check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, cuda->stream), err);
}

static int cuda_copy(struct device *device, void *to, const void *from, size_t bytes, struct err *err) {
  if (cuda_copy_async(device, to, from, bytes, err) != 0) return -1;
  return cuda_finish((struct cuda_device *)device, cudaSuccess, err);
}

static int cuda_shuffle(struct device *device, void *to, const void *from, size_t element_bytes, uint64_t elements,
                        struct shuffle order, struct err *err) {
  struct cuda_device *cuda = (struct cuda_device *)device;
  if (enter(cuda, err) != 0) return -1;
  cuda->shuffles++;
  return cuda_check(kernels_shuffle(cuda->stream, to, from, element_bytes, elements, order), err);
}

/* Reads elements by a kernel on the stream, so after all work that was enqueued before. Returns 1 for pageable host
 * memory, which the kernel cannot read. A plugin may have named such memory as the place of an output. */
static int cuda_gather(struct device *device, void *to, const void *from, size_t element_bytes,
                       const struct places *places, struct err *err) {
  struct cuda_device *cuda = (struct cuda_device *)device;
  if (enter(cuda, err) != 0) return -1;
  if (is_pageable(from)) return 1;
  return cuda_check(kernels_gather(cuda->stream, to, from, element_bytes, places), err);
}

static int cuda_plant(struct device *device, void *to, void *memory, size_t element_bytes, const struct places *places,
                      uint64_t kept, uint64_t flipped, struct err *err) {
  struct cuda_device *cuda = (struct cuda_device *)device;
  if (enter(cuda, err) != 0) return -1;
  return cuda_check(kernels_plant(cuda->stream, to, memory, element_bytes, places, kept, flipped), err);
}

static int cuda_set(struct device *device, void *memory, int byte, size_t bytes, struct err *err) {
  struct cuda_device *cuda = (struct cuda_device *)device;
  if (enter(cuda, err) != 0) return -1;
  if (is_pageable(memory)) return device_cpu_ops.set(device, memory, byte, bytes, err);
  return cuda_check(kernels_write(cuda->stream, memory, bytes, 0, (unsigned char)byte), err);
}

/* Writes to each byte the value that it already has. Uses the same kernel as cuda_set(), because the reuse test, which
 * finds variants that keep results of earlier calls, compares calls before which cuda_set() wrote with calls before
 * which this function wrote. The kernel must not cause a difference. */
static int cuda_rewrite(struct device *device, void *memory, size_t bytes, struct err *err) {
  struct cuda_device *cuda = (struct cuda_device *)device;
  if (enter(cuda, err) != 0) return -1;
  if (is_pageable(memory)) return device_cpu_ops.rewrite(device, memory, bytes, err);
  return cuda_check(kernels_write(cuda->stream, memory, bytes, 0xFF, 0), err);
}

static int cuda_fill(struct device *device, void *memory, uint64_t elements, const struct fill *fill, struct err *err) {
  struct cuda_device *cuda = (struct cuda_device *)device;
  if (dtype_bytes(fill->dtype) == 0) return err_set(err, EXIT_FAILED, "fill: dtype %u is unknown", fill->dtype);
  if (enter(cuda, err) != 0) return -1;
  if (is_pageable(memory)) return device_cpu_ops.fill(device, memory, elements, fill, err);
  return cuda_check(kernels_fill(cuda->stream, memory, elements, fill), err);
}

static int clear_scan(struct cuda_device *cuda, struct err *err) {
  cudaError_t code = cudaMemsetAsync(&cuda->scan->count, 0, sizeof cuda->scan->count, cuda->stream);
  if (code == cudaSuccess) code = cudaMemsetAsync(&cuda->scan->first, 0xFF, sizeof cuda->scan->first, cuda->stream);
  return cuda_check(code, err);
}

static int cuda_count_poison(struct device *device, const void *memory, size_t element_bytes, uint64_t elements,
                             unsigned char byte, uint64_t *count, uint64_t *first, struct err *err) {
  struct cuda_device *cuda = (struct cuda_device *)device;
  struct scan scan = {0};
  if (enter(cuda, err) != 0) return -1;
  if (is_pageable(memory))
    return device_cpu_ops.count_poison(device, memory, element_bytes, elements, byte, count, first, err);
  if (clear_scan(cuda, err) != 0) return -1;
  cudaError_t code = kernels_count_poison(cuda->stream, memory, element_bytes, elements, byte, cuda->scan);
  if (cuda_finish(cuda, code, err) != 0) return -1;
  if (cuda_copy(device, &scan, cuda->scan, sizeof scan, err) != 0) return -1;
  *count = scan.count;
  *first = scan.count > 0 ? scan.first : 0;
  return 0;
}

static int cuda_checksum(struct device *device, const void *memory, size_t bytes, uint64_t key, uint64_t *sum,
                         struct err *err) {
  struct cuda_device *cuda = (struct cuda_device *)device;
  struct scan scan = {0};
  if (enter(cuda, err) != 0) return -1;
  if (is_pageable(memory)) return device_cpu_ops.checksum(device, memory, bytes, key, sum, err);
  if (clear_scan(cuda, err) != 0) return -1;
  if (cuda_finish(cuda, kernels_checksum(cuda->stream, memory, bytes, key, cuda->scan), err) != 0) return -1;
  if (cuda_copy(device, &scan, cuda->scan, sizeof scan, err) != 0) return -1;
  *sum = scan.count;
  return 0;
}

static int cuda_sync(struct device *device, struct err *err) {
  if (enter((struct cuda_device *)device, err) != 0) return -1;
  /* waits for the whole device, because a variant may have other streams */
  if (cuda_check(cudaDeviceSynchronize(), err) != 0) return -1;
  return cuda_others_sync((struct cuda_device *)device, err);
}

static void *cuda_stream(struct device *device) {
  return ((struct cuda_device *)device)->stream;
}

/* Marks the beginning of a range or, with `range` NULL, its end. Some profilers record only such ranges (ncu
 * --profile-from-start off, nsys -c cudaProfilerApi). */
static void cuda_profile(struct device *device, const char *range) {
  (void)device;
  if (range != NULL) {
    (void)cudaProfilerStart();
    nvtxRangePushA(range);
  } else {
    nvtxRangePop();
    (void)cudaProfilerStop();
  }
}

static struct energy_source *cuda_energy(struct device *device, char *why, size_t size) {
  return energy_source_nvml(device->facts.uuid, why, size);
}

static void cuda_conditions(struct device *device, struct device_conditions *conditions) {
  struct cuda_device *cuda = (struct cuda_device *)device;
  *conditions = CONDITIONS_UNKNOWN;
  if (cuda->serial) text_copy(conditions->note, sizeof conditions->note, "CUDA_LAUNCH_BLOCKING is set");
  if (cuda->nvml != NULL)
    nvml_conditions(cuda->nvml, conditions);
  else if (!cuda->serial)
    text_copy(conditions->note, sizeof conditions->note, cuda->nvml_why);
}

static void cuda_close(struct device *device) {
  struct cuda_device *cuda = (struct cuda_device *)device;
  for (int i = 0; i < BLOCK_SAMPLES; i++) {
    if (cuda->started[i] != NULL) cudaEventDestroy(cuda->started[i]);
    if (cuda->stopped[i] != NULL) cudaEventDestroy(cuda->stopped[i]);
  }
  cudaFree(cuda->flush);
  cudaFree(cuda->scan);
  cudaFreeHost(cuda->gate);
  cudaFreeHost(cuda->staging);
  cudaFreeHost(cuda->clocks);
  cudaFree(cuda->nothing);
  if (cuda->side != NULL) cudaStreamDestroy(cuda->side);
  if (cuda->stream != NULL) cudaStreamDestroy(cuda->stream);
  cuda_others_free(cuda);
  nvml_close(cuda->nvml);
  free(cuda);
}

static int cuda_peek(struct device *device, void *to, const void *from, size_t bytes, struct err *err) {
  struct cuda_device *cuda = (struct cuda_device *)device;
  if (cuda_check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, cuda->side), err) != 0) return -1;
  return cuda_check(cudaStreamSynchronize(cuda->side), err);
}

const struct device_ops cuda_ops = {
    .close = cuda_close,
    .alloc = cuda_alloc,
    .free = cuda_free,
    .memory_free = cuda_memory_free,
    .staging = cuda_staging,
    .copy = cuda_copy,
    .set = cuda_set,
    .rewrite = cuda_rewrite,
    .fill = cuda_fill,
    .count_poison = cuda_count_poison,
    .checksum = cuda_checksum,
    .sync = cuda_sync,
    .stream = cuda_stream,
    .other_alloc = cuda_other_alloc,
    .other_stream = cuda_other_stream,
    .copy_async = cuda_copy_async,
    .shuffle = cuda_shuffle,
    .gather = cuda_gather,
    .plant = cuda_plant,
    .absent = cuda_absent,
    .slot = cuda_slot,
    .capture = cuda_capture,
    .capture_free = cuda_capture_free,
    .null_run = cuda_nothing,
    .peek = cuda_peek,
    .profile = cuda_profile,
    .restore = cuda_restore,
    .conditions = cuda_conditions,
    .energy = cuda_energy,
};
