/* Opens a GPU: finds it, reads its properties, and creates the streams, events and buffers that timing needs. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "device/cuda/cuda.h"
#include "device/two_clocks.h"

/* The oldest driver that this version of the CUDA toolkit supports (CUDA release notes, table of minimum driver
 * versions). */
#if CUDART_VERSION >= 13000 && CUDART_VERSION < 14000
#define DRIVER_NEEDED " (driver >= 580)"
#elif CUDART_VERSION >= 12000 && CUDART_VERSION < 13000
#define DRIVER_NEEDED " (driver >= 525)"
#else
#define DRIVER_NEEDED ""
#endif
#define CPU_HINT "; --device cpu to go on"

static void write_version(char *to, size_t size, int version) {
  snprintf(to, size, "%d.%d", version / 1000, version % 1000 / 10);
}

/* Reads the driver's version from /proc, because the NVML of an old driver may be too old for that. Writes "" if the
 * file does not exist. */
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
    return err_set(err, EXIT_DEVICE, "no GPU detected: no NVIDIA driver" CPU_HINT);
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

/* Finds the device whose UUID begins with `wanted`. */
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

/* Parses N of "cuda:N". A number that is too large becomes INT_MAX, which is no device's number. */
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

static int read_facts(int ordinal, struct device_facts *facts, struct err *err) {
  struct cudaDeviceProp properties;
  if (cuda_check(cudaGetDeviceProperties(&properties, ordinal), err) != 0) return -1;
  *facts = (struct device_facts){
      .backend = "cuda",
      .traits = DEVICE_TRAITS_GPU,
      .ordinal = ordinal,
      .compute_capability = 10 * properties.major + properties.minor,
      .sm_count = properties.multiProcessorCount,
      .l2_bytes = properties.l2CacheSize,
      .shared_memory_per_block_bytes = (int64_t)properties.sharedMemPerBlockOptin,
      .memory_bytes = (int64_t)properties.totalGlobalMem,
      .threads = -1,
      .tick_ns = -1,
  };
  snprintf(facts->spec, sizeof facts->spec, "cuda:%d", ordinal);
  text_copy(facts->name, sizeof facts->name, properties.name);
  write_uuid(facts->uuid, sizeof facts->uuid, &properties);
  write_version(facts->runtime, sizeof facts->runtime, CUDART_VERSION);
  return 0;
}

static int read_others(struct cuda_device *cuda, struct err *err) {
  int count = 0;
  if (count_devices(&count, err) != 0) return -1;
  cuda_others_count(cuda, count);
  for (uint32_t i = 0; i < cuda->base.other_count; i++)
    if (read_facts(cuda->others[i].ordinal, &cuda->base.others[i], err) != 0) return -1;
  return 0;
}

/* Reads the driver's version from NVML, or else the CUDA version that it supports. */
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
  /* the host spins instead of sleeping while it waits, so that latencies do not include the operating system's
   * wake-up */
  cudaError_t code = cudaInitDevice(cuda->ordinal, cudaDeviceScheduleSpin, cudaInitDeviceFlagsAreValid);
  if (code == cudaSuccess) code = cudaSetDevice(cuda->ordinal);
  if (code == cudaSuccess) code = kernels_load();
  if (code == cudaErrorNoKernelImageForDevice || code == cudaErrorInvalidDeviceFunction)
    return err_set(err, EXIT_DEVICE, "%s has compute capability %lld, this gpubench was built for %s",
                   cuda->base.facts.spec, (long long)cuda->base.facts.compute_capability, GPUBENCH_CUDA_ARCHITECTURES);
  if (code == cudaSuccess) code = cudaStreamCreateWithFlags(&cuda->stream, cudaStreamNonBlocking);
  if (code == cudaSuccess) code = cudaStreamCreateWithFlags(&cuda->side, cudaStreamNonBlocking);
  for (int i = 0; i < BLOCK_SAMPLES && code == cudaSuccess; i++) {
    code = cudaEventCreate(&cuda->started[i]);
    if (code == cudaSuccess) code = cudaEventCreate(&cuda->stopped[i]);
  }
  if (code == cudaSuccess) code = cudaMalloc((void **)&cuda->scan, sizeof *cuda->scan);
  if (code == cudaSuccess) code = cudaHostAlloc((void **)&cuda->gate, sizeof *cuda->gate, cudaHostAllocMapped);
  if (code == cudaSuccess) code = cudaHostAlloc((void **)&cuda->clocks, 2 * sizeof *cuda->clocks, cudaHostAllocMapped);
  if (code == cudaSuccess) code = cudaMalloc((void **)&cuda->nothing, sizeof *cuda->nothing);
  return cuda_check(code, err);
}

static int create_flush(struct cuda_device *cuda, struct err *err) {
  cuda->flush_bytes = kernels_flush_bytes((size_t)cuda->base.facts.l2_bytes);
  cudaError_t code = cudaMalloc(&cuda->flush, cuda->flush_bytes);
  if (code == cudaSuccess) code = cudaMemsetAsync(cuda->flush, 0, cuda->flush_bytes, cuda->stream);
  return cuda_finish(cuda, code, err);
}

static int prepare(struct cuda_device *cuda, struct err *err) {
  if (read_facts(cuda->ordinal, &cuda->base.facts, err) != 0 || read_others(cuda, err) != 0) return -1;
  if (create_objects(cuda, err) != 0) return -1;
  *cuda->gate = (struct gate){0, 0};
  cuda->ops.null_shapes = kernels_capability() >= 90 ? NULL_SHAPES : NULL_SHAPES_PLAIN;
  if (create_flush(cuda, err) != 0) return -1;
  cuda_settings_take(cuda);
  cuda_absent_open(cuda);
  two_clocks_open();
  read_driver(cuda);
  return cuda_measure_tick(cuda, &cuda->base.facts.tick_ns, err);
}

int device_cuda_open(const char *spec, struct device **device, struct err *err) {
  int ordinal = 0;
  /* kernels are loaded eagerly: one that is first loaded while the gate holds the stream back would wait for the
   * gate */
  setenv("CUDA_MODULE_LOADING", "EAGER", 0);
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
    cuda_ops.close(&cuda->base);
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
