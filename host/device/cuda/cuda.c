/* The cuda backend: opens a GPU and works on its memory. Everything runs on one non-blocking stream. After a fault of
 * the device every call fails, for no CUDA context survives one: the caller replaces the process. Slots are in
 * device/cuda/slot.c. */
#include "device/cuda/cuda.h"

#include <cuda_profiler_api.h>
#include <limits.h>
#include <math.h>
#include <nvtx3/nvToolsExt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "device/energy_source.h"
#include "model/dtype.h"
#include "model/fill.h"

/* The oldest driver branch for this toolkit (CUDA 13.0 release notes, table of minimum driver versions). */
#if CUDART_VERSION >= 13000 && CUDART_VERSION < 14000
#define DRIVER_NEEDED " (driver >= 580)"
#else
#define DRIVER_NEEDED ""
#endif
#define CPU_HINT "; --device cpu to go on"

int cuda_check(cudaError_t code, struct err *err) {
  if (code == cudaSuccess) return 0;
  (void)cudaGetLastError(); /* or a failed launch would be blamed on the next one */
  return err_set(err, EXIT_FAILED, "%s (%s)", cudaGetErrorString(code), cudaGetErrorName(code));
}

static int enter(struct cuda_device *cuda, struct err *err) {
  return cuda_check(cudaSetDevice(cuda->ordinal), err); /* a plugin may have made another one current */
}

/* 0, or -1 when enqueueing failed with `code` or the work itself did. */
static int finish(struct cuda_device *cuda, cudaError_t code, struct err *err) {
  if (cuda_check(code, err) != 0) return -1;
  return cuda_check(cudaStreamSynchronize(cuda->stream), err);
}

/* Pageable memory, which the device cannot reach? */
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
  if (kind == MEMORY_HOST) return posix_memalign(&memory, 256, bytes) == 0 ? memory : NULL;
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
  return cuda_check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, cuda->stream), err);
}

static int cuda_copy(struct device *device, void *to, const void *from, size_t bytes, struct err *err) {
  if (cuda_copy_async(device, to, from, bytes, err) != 0) return -1;
  return finish((struct cuda_device *)device, cudaSuccess, err);
}

static int cuda_set(struct device *device, void *memory, int byte, size_t bytes, struct err *err) {
  struct cuda_device *cuda = (struct cuda_device *)device;
  if (enter(cuda, err) != 0) return -1;
  if (is_pageable(memory)) return device_cpu_ops.set(device, memory, byte, bytes, err);
  return finish(cuda, kernels_write(cuda->stream, memory, bytes, 0, (unsigned char)byte), err);
}

/* By the same kernel as the one above: an audit's runs behind either must not differ by that. */
static int cuda_rewrite(struct device *device, void *memory, size_t bytes, struct err *err) {
  struct cuda_device *cuda = (struct cuda_device *)device;
  if (enter(cuda, err) != 0) return -1;
  if (is_pageable(memory)) return device_cpu_ops.rewrite(device, memory, bytes, err);
  return finish(cuda, kernels_write(cuda->stream, memory, bytes, 0xFF, 0), err);
}

static int cuda_fill(struct device *device, void *memory, uint64_t elements, const struct fill *fill, struct err *err) {
  struct cuda_device *cuda = (struct cuda_device *)device;
  if (dtype_bytes(fill->dtype) == 0) return err_set(err, EXIT_FAILED, "fill: dtype %u is unknown", fill->dtype);
  if (enter(cuda, err) != 0) return -1;
  if (is_pageable(memory)) return device_cpu_ops.fill(device, memory, elements, fill, err);
  return finish(cuda, kernels_fill(cuda->stream, memory, elements, fill), err);
}

static int clear_scan(struct cuda_device *cuda, struct err *err) {
  cudaError_t code = cudaMemsetAsync(&cuda->scan->count, 0, sizeof cuda->scan->count, cuda->stream);
  if (code == cudaSuccess) code = cudaMemsetAsync(&cuda->scan->first, 0xFF, sizeof cuda->scan->first, cuda->stream);
  return cuda_check(code, err);
}

static int cuda_count_poison(struct device *device, const void *memory, size_t element_bytes, uint64_t elements,
                             uint64_t *count, uint64_t *first, struct err *err) {
  struct cuda_device *cuda = (struct cuda_device *)device;
  struct scan scan = {0};
  if (enter(cuda, err) != 0) return -1;
  if (is_pageable(memory))
    return device_cpu_ops.count_poison(device, memory, element_bytes, elements, count, first, err);
  if (clear_scan(cuda, err) != 0) return -1;
  if (finish(cuda, kernels_count_poison(cuda->stream, memory, element_bytes, elements, cuda->scan), err) != 0)
    return -1;
  if (cuda_copy(device, &scan, cuda->scan, sizeof scan, err) != 0) return -1;
  *count = scan.count;
  *first = scan.count > 0 ? scan.first : 0;
  return 0;
}

static int cuda_checksum(struct device *device, const void *memory, size_t bytes, uint64_t *sum, struct err *err) {
  struct cuda_device *cuda = (struct cuda_device *)device;
  struct scan scan = {0};
  if (enter(cuda, err) != 0) return -1;
  if (is_pageable(memory)) return device_cpu_ops.checksum(device, memory, bytes, sum, err);
  if (clear_scan(cuda, err) != 0) return -1;
  if (finish(cuda, kernels_checksum(cuda->stream, memory, bytes, cuda->scan), err) != 0) return -1;
  if (cuda_copy(device, &scan, cuda->scan, sizeof scan, err) != 0) return -1;
  *sum = scan.count;
  return 0;
}

static int cuda_sync(struct device *device, struct err *err) {
  if (enter((struct cuda_device *)device, err) != 0) return -1;
  return cuda_check(cudaDeviceSynchronize(), err); /* not the stream alone: a variant may have others */
}

static void *cuda_stream(struct device *device) {
  return ((struct cuda_device *)device)->stream;
}

/* Profilers that were told to wait (ncu --profile-from-start off, nsys -c cudaProfilerApi) see just this. */
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
  cudaFreeHost(cuda->clocks);
  if (cuda->side != NULL) cudaStreamDestroy(cuda->side);
  if (cuda->stream != NULL) cudaStreamDestroy(cuda->stream);
  nvml_close(cuda->nvml);
  free(cuda);
}

static int cuda_peek(struct device *device, void *to, const void *from, size_t bytes, struct err *err) {
  struct cuda_device *cuda = (struct cuda_device *)device;
  if (cuda_check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, cuda->side), err) != 0) return -1;
  return cuda_check(cudaStreamSynchronize(cuda->side), err);
}

static const struct device_ops cuda_ops = {
    .close = cuda_close,
    .alloc = cuda_alloc,
    .free = cuda_free,
    .memory_free = cuda_memory_free,
    .copy = cuda_copy,
    .set = cuda_set,
    .rewrite = cuda_rewrite,
    .fill = cuda_fill,
    .count_poison = cuda_count_poison,
    .checksum = cuda_checksum,
    .sync = cuda_sync,
    .stream = cuda_stream,
    .copy_async = cuda_copy_async,
    .slot = cuda_slot,
    .capture = cuda_capture,
    .capture_free = cuda_capture_free,
    .null_run = cuda_nothing,
    .peek = cuda_peek,
    .profile = cuda_profile,
    .conditions = cuda_conditions,
    .energy = cuda_energy,
};

static void write_version(char *to, size_t size, int version) {
  snprintf(to, size, "%d.%d", version / 1000, version % 1000 / 10);
}

/* The driver's own version, from its file: NVML may be as old as the driver is. "" where it is not there. */
static void driver_version(char *to, size_t size) {
  char line[256] = "";
  FILE *file = fopen("/proc/driver/nvidia/version", "r");
  to[0] = '\0';
  if (file == NULL) return;
  if (fgets(line, sizeof line, file) == NULL) line[0] = '\0';
  fclose(file);
  for (char *rest = line, *word; (word = strsep(&rest, " \t\n")) != NULL;)
    if (word[0] >= '0' && word[0] <= '9' && strchr(word, '.') != NULL) {
      text_copy(to, size, word);
      return;
    }
}

static int count_devices(int *count, struct err *err) {
  int driver = 0;
  char served[ID_SIZE], needed[ID_SIZE], version[ID_SIZE];
  cudaError_t code = cudaGetDeviceCount(count);
  if (code == cudaSuccess && *count > 0) return 0;
  (void)cudaGetLastError();
  if (cudaDriverGetVersion(&driver) != cudaSuccess) driver = 0;
  write_version(served, sizeof served, driver);
  write_version(needed, sizeof needed, CUDART_VERSION);
  driver_version(version, sizeof version);
  if (code == cudaErrorInsufficientDriver && driver > 0)
    return err_set(err, EXIT_DEVICE, "driver %s%sserves CUDA %s; this build needs %s%s. --device cpu to go on", version,
                   version[0] ? " " : "", served, needed, DRIVER_NEEDED);
  if (code == cudaErrorInsufficientDriver)
    return err_set(err, EXIT_DEVICE, "no usable CUDA device: no NVIDIA driver found" CPU_HINT);
  if (code == cudaSuccess) code = cudaErrorNoDevice;
  return err_set(err, EXIT_DEVICE, "no usable CUDA device: %s (%s, driver CUDA %s, this build %s)" CPU_HINT,
                 cudaGetErrorString(code), cudaGetErrorName(code), served, needed);
}

static void write_uuid(char *to, size_t size, const struct cudaDeviceProp *properties) {
  size_t used = (size_t)snprintf(to, size, "GPU");
  for (int i = 0; i < 16; i++) {
    bool dash = i == 0 || i == 4 || i == 6 || i == 8 || i == 10;
    used += (size_t)snprintf(to + used, size - used, "%s%02x", dash ? "-" : "",
                             (unsigned)(unsigned char)properties->uuid.bytes[i]);
  }
}

/* The device whose UUID begins with `wanted`. */
static int find_uuid(const char *wanted, int count, int *ordinal, struct err *err) {
  char here[EXPR_SIZE] = "", uuid[ID_SIZE];
  int found = 0;
  for (int i = 0; i < count; i++) {
    struct cudaDeviceProp properties;
    if (cuda_check(cudaGetDeviceProperties(&properties, i), err) != 0) return -1;
    write_uuid(uuid, sizeof uuid, &properties);
    size_t used = strlen(here);
    snprintf(here + used, sizeof here - used, "%s%s", used > 0 ? ", " : "", uuid);
    if (strncasecmp(uuid, wanted, strlen(wanted)) != 0) continue;
    *ordinal = i;
    found++;
  }
  if (found == 1) return 0;
  return err_set(err, EXIT_DEVICE, "%s CUDA device has the UUID '%.*s'; here: %s", found > 1 ? "more than one" : "no",
                 ID_SIZE, wanted, here);
}

/* N of "cuda:N"; too large a number becomes INT_MAX, which no device has. */
static int parse_ordinal(const char *spec, int *ordinal, struct err *err) {
  bool numbered = strncmp(spec, "cuda:", 5) == 0;
  const char *number = numbered ? spec + 5 : "0";
  size_t digits = strspn(number, "0123456789");
  if ((!numbered && strcmp(spec, "cuda") != 0) || digits == 0 || number[digits] != '\0')
    return err_set(err, EXIT_USAGE, "device '%.*s': expected cuda, cuda:N or GPU-uuid", ID_SIZE, spec);
  long value = strtol(number, NULL, 10);
  *ordinal = value < INT_MAX ? (int)value : INT_MAX;
  return 0;
}

static int find_device(const char *spec, int *ordinal, struct err *err) {
  int count = 0;
  bool by_uuid = strncasecmp(spec, "GPU-", 4) == 0;
  if (!by_uuid && parse_ordinal(spec, ordinal, err) != 0) return -1;
  if (count_devices(&count, err) != 0) return -1;
  if (by_uuid) return find_uuid(spec, count, ordinal, err);
  if (*ordinal < count) return 0;
  return err_set(err, EXIT_DEVICE, "device %.*s does not exist; CUDA devices here: %d, from cuda:0 to cuda:%d", ID_SIZE,
                 spec, count, count - 1);
}

static int read_facts(struct cuda_device *cuda, struct err *err) {
  struct cudaDeviceProp properties;
  struct device_facts *facts = &cuda->base.facts;
  if (cuda_check(cudaGetDeviceProperties(&properties, cuda->ordinal), err) != 0) return -1;
  *facts = (struct device_facts){
      .backend = "cuda",
      .ordinal = cuda->ordinal,
      .compute_capability = 10 * properties.major + properties.minor,
      .sm_count = properties.multiProcessorCount,
      .l2_bytes = properties.l2CacheSize,
      .shared_memory_per_block_bytes = (int64_t)properties.sharedMemPerBlockOptin,
      .memory_bytes = (int64_t)properties.totalGlobalMem,
      .threads = -1,
      .tick_ns = -1,
  };
  snprintf(facts->spec, sizeof facts->spec, "cuda:%d", cuda->ordinal);
  text_copy(facts->name, sizeof facts->name, properties.name);
  write_uuid(facts->uuid, sizeof facts->uuid, &properties);
  write_version(facts->runtime, sizeof facts->runtime, CUDART_VERSION);
  return 0;
}

/* The driver's own number comes from NVML; failing that, the CUDA it serves stands for it. */
static void read_driver(struct cuda_device *cuda) {
  struct device_facts *facts = &cuda->base.facts;
  struct nvml_facts more = {0};
  cuda->nvml = nvml_open(facts->uuid, cuda->nvml_why, sizeof cuda->nvml_why);
  if (cuda->nvml != NULL) nvml_read_facts(cuda->nvml, &more);
  int version = 0;
  if (more.driver[0] != '\0')
    text_copy(facts->driver, sizeof facts->driver, more.driver);
  else if (cudaDriverGetVersion(&version) == cudaSuccess)
    snprintf(facts->driver, sizeof facts->driver, "CUDA %d.%d", version / 1000, version % 1000 / 10);
}

static int create_objects(struct cuda_device *cuda, struct err *err) {
  /* whoever waits for a result spins: latencies are then the device's and not the scheduler's */
  cudaError_t code = cudaInitDevice(cuda->ordinal, cudaDeviceScheduleSpin, cudaInitDeviceFlagsAreValid);
  if (code == cudaSuccess) code = cudaSetDevice(cuda->ordinal);
  if (code == cudaSuccess) code = kernels_load();
  if (code == cudaSuccess) code = cudaStreamCreateWithFlags(&cuda->stream, cudaStreamNonBlocking);
  if (code == cudaSuccess) code = cudaStreamCreateWithFlags(&cuda->side, cudaStreamNonBlocking);
  for (int i = 0; i < BLOCK_SAMPLES && code == cudaSuccess; i++) {
    code = cudaEventCreate(&cuda->started[i]);
    if (code == cudaSuccess) code = cudaEventCreate(&cuda->stopped[i]);
  }
  if (code == cudaSuccess) code = cudaMalloc((void **)&cuda->scan, sizeof *cuda->scan);
  if (code == cudaSuccess) code = cudaHostAlloc((void **)&cuda->gate, sizeof *cuda->gate, cudaHostAllocMapped);
  if (code == cudaSuccess) code = cudaHostAlloc((void **)&cuda->clocks, 3 * sizeof *cuda->clocks, cudaHostAllocMapped);
  return cuda_check(code, err);
}

/* Twice the cache, so that whatever order the cache replaces lines in, none of another's is left. */
static int create_flush(struct cuda_device *cuda, struct err *err) {
  cuda->flush_bytes = 2 * (size_t)cuda->base.facts.l2_bytes;
  cudaError_t code = cudaMalloc(&cuda->flush, cuda->flush_bytes);
  if (code == cudaSuccess) code = cudaMemsetAsync(cuda->flush, 0, cuda->flush_bytes, cuda->stream);
  return finish(cuda, code, err);
}

static int prepare(struct cuda_device *cuda, struct err *err) {
  if (read_facts(cuda, err) != 0 || create_objects(cuda, err) != 0) return -1;
  *cuda->gate = (struct gate){0, 0};
  cuda->ops.null_shapes = cuda->base.facts.compute_capability >= 90 ? NULL_SHAPES : NULL_SHAPES_PLAIN;
  if (create_flush(cuda, err) != 0) return -1;
  read_driver(cuda);
  return cuda_measure_tick(cuda, &cuda->base.facts.tick_ns, err);
}

int device_cuda_open(const char *spec, struct device **device, struct err *err) {
  int ordinal = 0;
  setenv("CUDA_MODULE_LOADING", "EAGER", 0); /* a lazy load behind the gate would wait for the gate */
  if (find_device(spec, &ordinal, err) != 0) return -1;
  struct cuda_device *cuda = xcalloc(1, sizeof *cuda);
  cuda->state = SLOT_STATE_UNKNOWN;
  const char *blocking = getenv("CUDA_LAUNCH_BLOCKING");
  cuda->ops = cuda_ops;
  cuda->base.ops = &cuda->ops;
  cuda->ordinal = ordinal;
  cuda->serial = blocking != NULL && strcmp(blocking, "0") != 0 && blocking[0] != '\0';
  if (prepare(cuda, err) != 0) {
    err->exit_code = EXIT_DEVICE;
    err_context(err, "cuda:%d (%s) cannot be used (--device cpu to go on)", ordinal, cuda->base.facts.name);
    cuda_close(&cuda->base);
    return -1;
  }
  *device = &cuda->base;
  return 0;
}

int device_cuda_count(uint32_t *count, struct err *err) {
  int number = 0;
  if (count_devices(&number, err) != 0) return -1;
  *count = (uint32_t)number;
  return 0;
}
