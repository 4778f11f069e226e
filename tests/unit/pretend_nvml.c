/* A pretend libnvidia-ml.so.1 that says what its test wants: PRETEND_KIND full, old (few functions, by old names) or
 * broken (none that starts it). Signatures as NVIDIA publishes them. */
#include "pretend_nvml.h"

#include <string.h>

struct pretend pretend = {.kind = PRETEND_KIND};

static int gpu_handle, slice_handle;

/* Counts a question; its answer's code. */
static int asked(const void *gpu) {
  pretend.calls++;
  pretend.last_gpu = gpu;
  return pretend.failing;
}

static int answer(const void *gpu, unsigned *to, unsigned value) {
  int code = asked(gpu);
  if (code == 0) *to = value;
  return code;
}

const char *nvmlErrorString(int code);
const char *nvmlErrorString(int code) {
  return code == 9 ? "Driver Not Loaded" : code == 6 ? "Not Found" : "Not Supported";
}

int nvmlDeviceGetHandleByUUID(const char *uuid, void **gpu);
int nvmlDeviceGetHandleByUUID(const char *uuid, void **gpu) {
  if (!pretend.slice && strcmp(uuid, "GPU-1234") == 0)
    *gpu = &gpu_handle;
  else if (pretend.slice && strcmp(uuid, "MIG-1234") == 0)
    *gpu = &slice_handle;
  else
    return 6;
  return 0;
}

int nvmlDeviceGetClockInfo(void *gpu, int type, unsigned *mhz);
int nvmlDeviceGetClockInfo(void *gpu, int type, unsigned *mhz) {
  return type == 1 ? answer(gpu, mhz, pretend.clock) : 2;
}

int nvmlDeviceGetTemperature(void *gpu, int sensor, unsigned *celsius);
int nvmlDeviceGetTemperature(void *gpu, int sensor, unsigned *celsius) {
  return sensor == 0 ? answer(gpu, celsius, pretend.temperature) : 2;
}

int nvmlDeviceGetPowerUsage(void *gpu, unsigned *milliwatts);
int nvmlDeviceGetPowerUsage(void *gpu, unsigned *milliwatts) {
  return answer(gpu, milliwatts, pretend.power);
}

#if PRETEND_KIND == PRETEND_FULL
int nvmlDeviceGetTotalEnergyConsumption(void *gpu, unsigned long long *millijoules);
int nvmlDeviceGetTotalEnergyConsumption(void *gpu, unsigned long long *millijoules) {
  int code = asked(gpu);
  if (code == 0) *millijoules = pretend.energy;
  return code;
}
#endif

#if PRETEND_KIND != PRETEND_BROKEN
struct process {
  unsigned pid;
  unsigned long long memory;
  unsigned gpu_instance, compute_instance;
};

static int processes(const struct pretend_list *list, const void *gpu, unsigned *count, struct process *to) {
  int code = asked(gpu);
  pretend.last_list_gpu = gpu;
  if (code != 0) return code;
  unsigned room = *count;
  *count = list->many ? (unsigned)list->many : list->count;
  if (list->many || list->count > room) return 7;
  for (unsigned i = 0; i < list->count; i++)
    to[i] = (struct process){list->pids[i], 1, ~0U, ~0U};
  if (list->claimed) *count = (unsigned)list->claimed;
  return 0;
}

int nvmlInit_v2(void);
int nvmlInit_v2(void) {
  return pretend.init_code;
}
#endif

#if PRETEND_KIND == PRETEND_OLD
int nvmlDeviceGetCurrentClocksThrottleReasons(void *gpu, unsigned long long *bits);
int nvmlDeviceGetCurrentClocksThrottleReasons(void *gpu, unsigned long long *bits) {
  *bits = pretend.reasons;
  return asked(gpu);
}

int nvmlDeviceGetComputeRunningProcesses_v2(void *gpu, unsigned *count, struct process *list);
int nvmlDeviceGetComputeRunningProcesses_v2(void *gpu, unsigned *count, struct process *list) {
  return processes(&pretend.compute, gpu, count, list);
}
#endif

#if PRETEND_KIND == PRETEND_FULL
int nvmlSystemGetDriverVersion(char *text, unsigned size);
int nvmlSystemGetDriverVersion(char *text, unsigned size) {
  if (pretend.failing == 0) strncpy(text, "580.65.06", size);
  return pretend.failing;
}

int nvmlDeviceGetMaxClockInfo(void *gpu, int type, unsigned *mhz);
int nvmlDeviceGetMaxClockInfo(void *gpu, int type, unsigned *mhz) {
  return type == 1 ? answer(gpu, mhz, 1980) : 2;
}

int nvmlDeviceGetApplicationsClock(void *gpu, int type, unsigned *mhz);
int nvmlDeviceGetApplicationsClock(void *gpu, int type, unsigned *mhz) {
  return type == 1 ? answer(gpu, mhz, pretend.application_clock) : 2;
}

int nvmlDeviceGetDefaultApplicationsClock(void *gpu, int type, unsigned *mhz);
int nvmlDeviceGetDefaultApplicationsClock(void *gpu, int type, unsigned *mhz) {
  return type == 1 ? answer(gpu, mhz, pretend.default_application_clock) : 2;
}

struct heat {
  unsigned version;
  int sensor, celsius;
};

int nvmlDeviceGetTemperatureV(void *gpu, struct heat *heat);
int nvmlDeviceGetTemperatureV(void *gpu, struct heat *heat) {
  if (heat->version != (12 | 1 << 24)) return 25;
  if (heat->sensor != 0) return 2;
  if (pretend.no_heat) return (void)asked(gpu), 3;
  unsigned celsius = 0;
  int code = answer(gpu, &celsius, pretend.temperature + 1); /* told apart from the old one */
  heat->celsius = (int)celsius;
  return code;
}

int nvmlDeviceGetEnforcedPowerLimit(void *gpu, unsigned *milliwatts);
int nvmlDeviceGetEnforcedPowerLimit(void *gpu, unsigned *milliwatts) {
  return answer(gpu, milliwatts, pretend.limit);
}

int nvmlDeviceGetPowerManagementDefaultLimit(void *gpu, unsigned *milliwatts);
int nvmlDeviceGetPowerManagementDefaultLimit(void *gpu, unsigned *milliwatts) {
  return answer(gpu, milliwatts, pretend.default_limit);
}

struct field {
  unsigned id, scope;
  long long timestamp, latency;
  int type, status;
  union {
    double real;
    unsigned u;
    unsigned long long ull;
  } value;
};

int nvmlDeviceGetFieldValues(void *gpu, int count, struct field *fields);
int nvmlDeviceGetFieldValues(void *gpu, int count, struct field *fields) {
  pretend.fields_asked += count;
  if (asked(gpu) != 0 || pretend.no_fields) return 3;
  for (int i = 0; i < count; i++) {
    unsigned id = fields[i].id;
    if (id >= PRETEND_FIELDS || fields[i].scope != 0) return 2;
    fields[i].status = pretend.field_status[id];
    fields[i].type = id == 186 ? 1 : 3;
    if (id == 186)
      fields[i].value.u = (unsigned)pretend.field[id];
    else
      fields[i].value.ull = pretend.field[id];
  }
  return 0;
}

int nvmlDeviceGetCurrentClocksEventReasons(void *gpu, unsigned long long *bits);
int nvmlDeviceGetCurrentClocksEventReasons(void *gpu, unsigned long long *bits) {
  *bits = pretend.reasons;
  return asked(gpu);
}

int nvmlDeviceGetEccMode(void *gpu, unsigned *now, unsigned *pending);
int nvmlDeviceGetEccMode(void *gpu, unsigned *now, unsigned *pending) {
  *pending = 0;
  return answer(gpu, now, pretend.mode);
}

int nvmlDeviceGetMigMode(void *gpu, unsigned *now, unsigned *pending);
int nvmlDeviceGetMigMode(void *gpu, unsigned *now, unsigned *pending) {
  *pending = 1;
  return answer(gpu, now, 0);
}

int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(void *slice, void **gpu);
int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(void *slice, void **gpu) {
  if (slice != &slice_handle || pretend.no_parent) return 2;
  *gpu = &gpu_handle;
  return 0;
}

int nvmlDeviceGetPersistenceMode(void *gpu, unsigned *mode);
int nvmlDeviceGetPersistenceMode(void *gpu, unsigned *mode) {
  return answer(gpu, mode, pretend.mode);
}

int nvmlDeviceGetComputeMode(void *gpu, unsigned *mode);
int nvmlDeviceGetComputeMode(void *gpu, unsigned *mode) {
  return answer(gpu, mode, 3 * pretend.mode);
}

int nvmlDeviceGetComputeRunningProcesses_v3(void *gpu, unsigned *count, struct process *list);
int nvmlDeviceGetComputeRunningProcesses_v3(void *gpu, unsigned *count, struct process *list) {
  return processes(&pretend.compute, gpu, count, list);
}

int nvmlDeviceGetGraphicsRunningProcesses_v3(void *gpu, unsigned *count, struct process *list);
int nvmlDeviceGetGraphicsRunningProcesses_v3(void *gpu, unsigned *count, struct process *list) {
  return processes(&pretend.graphics, gpu, count, list);
}

int nvmlDeviceGetMPSComputeRunningProcesses_v3(void *gpu, unsigned *count, struct process *list);
int nvmlDeviceGetMPSComputeRunningProcesses_v3(void *gpu, unsigned *count, struct process *list) {
  return processes(&pretend.mps, gpu, count, list);
}
#endif
