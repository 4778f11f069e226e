/* Settings of the device and the stream that plugins share with all other work on the device. They are read once,
 * checked after callbacks, and restored if a plugin changed them. Otherwise a variant that reserves more of L2 for its
 * own lines, for example, would slow down kernels of other variants that write much. */
#include <stdio.h>

#include "device/cuda/cuda.h"

struct setting {
  const char *name, *unit;
  cudaError_t (*get)(uint64_t *value);
  cudaError_t (*set)(uint64_t value);
};

static cudaError_t get_limit(enum cudaLimit limit, uint64_t *value) {
  size_t bytes = 0;
  const cudaError_t code = cudaDeviceGetLimit(&bytes, limit);
  *value = bytes;
  return code;
}

static cudaError_t get_persisting(uint64_t *value) {
  return get_limit(cudaLimitPersistingL2CacheSize, value);
}

static cudaError_t set_persisting(uint64_t value) {
  return cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, (size_t)value);
}

static cudaError_t get_granularity(uint64_t *value) {
  return get_limit(cudaLimitMaxL2FetchGranularity, value);
}

static cudaError_t set_granularity(uint64_t value) {
  return cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, (size_t)value);
}

static cudaError_t get_cache(uint64_t *value) {
  enum cudaFuncCache cache = cudaFuncCachePreferNone;
  const cudaError_t code = cudaDeviceGetCacheConfig(&cache);
  *value = (uint64_t)cache;
  return code;
}

static cudaError_t set_cache(uint64_t value) {
  return cudaDeviceSetCacheConfig((enum cudaFuncCache)value);
}

static cudaError_t get_flags(uint64_t *value) {
  unsigned flags = 0;
  const cudaError_t code = cudaGetDeviceFlags(&flags);
  *value = flags & cudaDeviceScheduleMask;
  return code;
}

static cudaError_t set_flags(uint64_t value) {
  return cudaSetDeviceFlags((unsigned)value);
}

static const struct setting settings[SETTINGS] = {
    {"the limit of persisting lines in L2", " bytes", get_persisting, set_persisting},
    {"the limit of L2's fetches", " bytes", get_granularity, set_granularity},
    {"the preference between L1 and shared memory", "", get_cache, set_cache},
    {"how the host waits for the device", "", get_flags, set_flags},
};

static const uint64_t UNKNOWN = UINT64_MAX; /* value of a setting that the device does not have */

static uint64_t value_of(const struct setting *setting) {
  uint64_t value = 0;
  if (setting->get(&value) == cudaSuccess) return value;
  (void)cudaGetLastError();
  return UNKNOWN;
}

void cuda_settings_take(struct cuda_device *cuda) {
  for (int i = 0; i < SETTINGS; i++)
    cuda->settings[i] = value_of(&settings[i]);
}

/* Removes the access policy window (a reservation of L2 for a range of memory) that a plugin left on the stream, where
 * it would affect later work. Returns true if there was one. */
static bool close_window(struct cuda_device *cuda) {
  cudaStreamAttrValue now = {0}, none = {0};
  if (cudaStreamGetAttribute(cuda->stream, cudaStreamAttributeAccessPolicyWindow, &now) != cudaSuccess) {
    (void)cudaGetLastError();
    return false;
  }
  if (now.accessPolicyWindow.num_bytes == 0) return false;
  if (cudaStreamSetAttribute(cuda->stream, cudaStreamAttributeAccessPolicyWindow, &none) != cudaSuccess)
    (void)cudaGetLastError();
  return true;
}

bool cuda_restore(struct device *device, char *text, size_t size) {
  struct cuda_device *cuda = (struct cuda_device *)device;
  int current = cuda->ordinal;
  if (cudaGetDevice(&current) != cudaSuccess ||
      cudaSetDevice(cuda->ordinal) != cudaSuccess) /* the settings belong to this device */
    (void)cudaGetLastError();
  bool changed = current != cuda->ordinal;
  if (changed) snprintf(text, size, "left device %d current, and has to leave device %d so", current, cuda->ordinal);
  for (int i = 0; i < SETTINGS; i++) {
    const uint64_t was = cuda->settings[i], now = value_of(&settings[i]);
    if (now == was || now == UNKNOWN) continue; /* after a device error no value can be read */
    if (settings[i].set(was) != cudaSuccess) (void)cudaGetLastError();
    if (!changed)
      snprintf(text, size, "changed %s from %llu to %llu%s", settings[i].name, (unsigned long long)was,
               (unsigned long long)now, settings[i].unit);
    changed = true;
  }
  if (!close_window(cuda)) return changed;
  if (!changed) snprintf(text, size, "left an access policy window on the stream");
  return true;
}
