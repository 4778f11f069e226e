/* Selects the backend for a device specification. */
#include "device/device.h"

#include <string.h>

static int open_cuda(const char *spec, struct device **device, struct err *err) {
#ifdef GPUBENCH_CUDA
  return device_cuda_open(spec, device, err);
#else
  (void)device;
  return err_set(err, EXIT_DEVICE, "device '%s': this build has no CUDA support; --device cpu to go on", spec);
#endif
}

/* The scripted device (tests/fake) is part of builds with tests. */
static int open_scripted(const char *script, struct device **device, struct err *err) {
#ifdef GPUBENCH_SCRIPTED
  return device_fake_open(script, device, err);
#else
  (void)device;
  return err_set(err, EXIT_DEVICE, "device 'fake:%s': only a build with tests has scripted devices", script);
#endif
}

int device_count(uint32_t *count, struct err *err) {
#ifdef GPUBENCH_CUDA
  return device_cuda_count(count, err);
#else
  *count = 0;
  return err_set(err, EXIT_DEVICE, "this build has no CUDA support; --device cpu to go on");
#endif
}

static bool is_cuda(const char *spec) {
  return strcmp(spec, "cuda") == 0 || text_begins(spec, "cuda:") || text_begins(spec, "GPU-") ||
         text_begins(spec, "MIG-");
}

const char *device_missing(const char *spec) {
#ifdef GPUBENCH_CUDA
  (void)spec;
  return NULL;
#else
  return is_cuda(spec) ? "CUDA" : NULL;
#endif
}

int device_open(const char *spec, struct device **device, struct err *err) {
  *device = NULL;
  if (strcmp(spec, "cpu") == 0) return device_cpu_open(device, err);
  if (strcmp(spec, "fake") == 0) return device_pretend_open(device, err);
  if (text_begins(spec, "fake:")) return open_scripted(spec + strlen("fake:"), device, err);
  if (is_cuda(spec)) return open_cuda(spec, device, err);
  return err_set(err, EXIT_USAGE, "device '%s' is unknown: cpu, cuda, cuda:N or a GPU's UUID", spec);
}
