/* A stand-in for libnvidia-ml.so.1 that answers as its test wants. It is built in three kinds (PRETEND_KIND): full;
 * old, with few functions under their old names; and broken, which cannot be initialized. Signatures follow NVIDIA's
 * documentation. */
#include "pretend_nvml.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct pretend pretend = {.kind = PRETEND_KIND};

static int gpu_handle, slice_handle;

/* Counts a query about this GPU and returns the result code that the query is to give. */
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
  if (pretend.health.hangs) pause();
  if (pretend.health.crashes) abort();
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
static int told(unsigned *to, unsigned value) {
  if (pretend.failing != 0 || value == PRETEND_NOT) return 3;
  *to = value;
  return 0;
}

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
  /* One degree more than the older function returns, so that tests can tell which one was called. */
  int code = answer(gpu, &celsius, pretend.temperature + 1);
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
  *pending = pretend.health.on ? pretend.health.ecc_next : 0;
  return pretend.health.on ? told(now, pretend.health.ecc) : answer(gpu, now, pretend.mode);
}

int nvmlDeviceGetMigMode(void *gpu, unsigned *now, unsigned *pending);
int nvmlDeviceGetMigMode(void *gpu, unsigned *now, unsigned *pending) {
  *pending = pretend.health.on ? pretend.health.mig_next : 1;
  return pretend.health.on ? told(now, pretend.health.mig) : answer(gpu, now, 0);
}

int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(void *slice, void **gpu);
int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(void *slice, void **gpu) {
  if (slice != &slice_handle || pretend.no_parent) return 2;
  *gpu = &gpu_handle;
  return 0;
}

int nvmlDeviceGetPersistenceMode(void *gpu, unsigned *mode);
int nvmlDeviceGetPersistenceMode(void *gpu, unsigned *mode) {
  return pretend.health.on ? told(mode, pretend.health.persistence) : answer(gpu, mode, pretend.mode);
}

int nvmlDeviceGetComputeMode(void *gpu, unsigned *mode);
int nvmlDeviceGetComputeMode(void *gpu, unsigned *mode) {
  return pretend.health.on ? told(mode, pretend.health.compute_mode) : answer(gpu, mode, 3 * pretend.mode);
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

/* ---- Queries of gpubench doctor ---- */

#define H pretend.health

static int more_handles[8];

/* Returns the index of a GPU. */
static unsigned number_of(const void *gpu) {
  return gpu == &gpu_handle ? 0 : (unsigned)((const int *)gpu - more_handles);
}

int nvmlSystemGetCudaDriverVersion_v2(int *version);
int nvmlSystemGetCudaDriverVersion_v2(int *version) {
  return told((unsigned *)version, H.cuda);
}

int nvmlDeviceGetCount_v2(unsigned *count);
int nvmlDeviceGetCount_v2(unsigned *count) {
  return told(count, H.count);
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **gpu);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **gpu) {
  if (index == H.silent || index >= H.count) return 15;
  *gpu = index == 0 ? &gpu_handle : &more_handles[index];
  return 0;
}

int nvmlDeviceGetName(void *gpu, char *text, unsigned size);
int nvmlDeviceGetName(void *gpu, char *text, unsigned size) {
  (void)gpu, snprintf(text, size, "%s", H.name);
  return pretend.failing;
}

int nvmlDeviceGetUUID(void *gpu, char *text, unsigned size);
int nvmlDeviceGetUUID(void *gpu, char *text, unsigned size) {
  snprintf(text, size, number_of(gpu) == 0 ? "GPU-1234" : "GPU-1234-%u", number_of(gpu));
  return pretend.failing;
}

struct pci {
  char legacy[16];
  unsigned domain, bus, device, id, subsystem;
  char text[32];
};

int nvmlDeviceGetPciInfo_v3(void *gpu, struct pci *pci);
int nvmlDeviceGetPciInfo_v3(void *gpu, struct pci *pci) {
  *pci = (struct pci){.bus = 0x3b + number_of(gpu), .text = "00000000:3B:00.0"};
  return pretend.failing;
}

int nvmlDeviceGetDefaultEccMode(void *gpu, unsigned *mode);
int nvmlDeviceGetDefaultEccMode(void *gpu, unsigned *mode) {
  return (void)gpu, told(mode, H.ecc_default);
}

int nvmlDeviceGetTotalEccErrors(void *gpu, int uncorrected, int aggregate, unsigned long long *count);
int nvmlDeviceGetTotalEccErrors(void *gpu, int uncorrected, int aggregate, unsigned long long *count) {
  unsigned value = 0;
  int code = told(&value, aggregate ? (uncorrected ? H.ever_uncorrected : H.ever_corrected)
                                    : (uncorrected ? H.uncorrected : H.corrected));
  (void)gpu, *count = value;
  return code;
}

int nvmlDeviceGetRetiredPages(void *gpu, int cause, unsigned *count, unsigned long long *addresses);
int nvmlDeviceGetRetiredPages(void *gpu, int cause, unsigned *count, unsigned long long *addresses) {
  unsigned room = *count;
  int code = told(count, cause == 0 ? H.retired : 0);
  (void)gpu, (void)addresses;
  return code == 0 && *count > room ? 7 : code;
}

int nvmlDeviceGetRetiredPagesPendingStatus(void *gpu, unsigned *pending);
int nvmlDeviceGetRetiredPagesPendingStatus(void *gpu, unsigned *pending) {
  return (void)gpu, told(pending, H.retirement_pending);
}

int nvmlDeviceGetRemappedRows(void *gpu, unsigned *correctable, unsigned *uncorrectable, unsigned *pending,
                              unsigned *failed);
int nvmlDeviceGetRemappedRows(void *gpu, unsigned *correctable, unsigned *uncorrectable, unsigned *pending,
                              unsigned *failed) {
  (void)gpu, *uncorrectable = 0, *pending = H.remap_pending, *failed = H.remap_failed;
  return told(correctable, H.rows);
}

int nvmlDeviceGetCurrPcieLinkWidth(void *gpu, unsigned *lanes);
int nvmlDeviceGetCurrPcieLinkWidth(void *gpu, unsigned *lanes) {
  return (void)gpu, told(lanes, H.width);
}

int nvmlDeviceGetMaxPcieLinkWidth(void *gpu, unsigned *lanes);
int nvmlDeviceGetMaxPcieLinkWidth(void *gpu, unsigned *lanes) {
  return (void)gpu, told(lanes, H.width_max);
}

int nvmlDeviceGetCurrPcieLinkGeneration(void *gpu, unsigned *generation);
int nvmlDeviceGetCurrPcieLinkGeneration(void *gpu, unsigned *generation) {
  return (void)gpu, told(generation, H.generation);
}

int nvmlDeviceGetMaxPcieLinkGeneration(void *gpu, unsigned *generation);
int nvmlDeviceGetMaxPcieLinkGeneration(void *gpu, unsigned *generation) {
  return (void)gpu, told(generation, H.generation_max);
}

int nvmlDeviceGetPerformanceState(void *gpu, unsigned *state);
int nvmlDeviceGetPerformanceState(void *gpu, unsigned *state) {
  return (void)gpu, told(state, H.state);
}

int nvmlDeviceGetNvLinkState(void *gpu, unsigned link, unsigned *active);
int nvmlDeviceGetNvLinkState(void *gpu, unsigned link, unsigned *active) {
  if (link >= H.links) return 2;
  return told(active, link < (number_of(gpu) + 1 == H.count ? H.active_of_last : H.active));
}

int nvmlDeviceGetTemperatureThreshold(void *gpu, int threshold, unsigned *celsius);
int nvmlDeviceGetTemperatureThreshold(void *gpu, int threshold, unsigned *celsius) {
  return (void)gpu, threshold == 1 ? told(celsius, H.slowdown) : 2;
}

struct margin {
  unsigned version;
  int celsius;
};

int nvmlDeviceGetMarginTemperature(void *gpu, struct margin *margin);
int nvmlDeviceGetMarginTemperature(void *gpu, struct margin *margin) {
  if (margin->version != (8 | 1 << 24)) return 25;
  return (void)gpu, told((unsigned *)&margin->celsius, H.margin);
}

int nvmlDeviceGetMaxMigDeviceCount(void *gpu, unsigned *count);
int nvmlDeviceGetMaxMigDeviceCount(void *gpu, unsigned *count) {
  return (void)gpu, H.slices == PRETEND_NOT ? 3 : told(count, 7);
}

int nvmlDeviceGetMigDeviceHandleByIndex(void *gpu, unsigned index, void **slice);
int nvmlDeviceGetMigDeviceHandleByIndex(void *gpu, unsigned index, void **slice) {
  *slice = &slice_handle;
  return (void)gpu, index < H.slices ? 0 : 6;
}

/* ---- Settings from a file ---- */

static void set(const char *member, const char *value) {
#define HEALTH(member) \
  { #member, offsetof(struct pretend, health.member) }
#define OTHER(member) \
  { #member, offsetof(struct pretend, member) }
  static const struct {
    const char *name;
    size_t offset;
  } members[] = {HEALTH(hangs),        HEALTH(crashes),
                 HEALTH(count),        HEALTH(cuda),
                 HEALTH(silent),       HEALTH(ecc),
                 HEALTH(ecc_next),     HEALTH(mig),
                 HEALTH(slices),       HEALTH(persistence),
                 HEALTH(compute_mode), HEALTH(corrected),
                 HEALTH(uncorrected),  HEALTH(remap_pending),
                 HEALTH(remap_failed), HEALTH(width),
                 HEALTH(active),       HEALTH(active_of_last),
                 OTHER(init_code),     OTHER(temperature),
                 OTHER(limit),         {"stranger", offsetof(struct pretend, compute.pids)}};
  char *to = (char *)&pretend;
  if (strcmp(member, "name") == 0) snprintf(H.name, sizeof H.name, "%s", value);
  if (strcmp(member, "stranger") == 0) pretend.compute.count = 1;
  for (size_t i = 0; i < sizeof members / sizeof *members; i++)
    if (strcmp(member, members[i].name) == 0)
      *(unsigned *)(to + members[i].offset) = (unsigned)strtoul(value, NULL, 10);
}

__attribute__((constructor)) static void read_file(void) {
  const char *path = getenv("PRETEND_NVML");
  FILE *file = path != NULL ? fopen(path, "r") : NULL;
  char line[256];
  if (file == NULL) return;
  pretend = (struct pretend){.kind = PRETEND_KIND,
                             .clock = 1980,
                             .temperature = 40,
                             .power = 81000,
                             .limit = 700000,
                             .default_limit = 700000,
                             .application_clock = 1980,
                             .default_application_clock = 1980,
                             .health = PRETEND_WELL};
  while (fgets(line, sizeof line, file) != NULL) {
    char *space = strchr(line, ' ');
    line[strcspn(line, "\n")] = '\0';
    if (space != NULL) *space = '\0', set(line, space + 1);
  }
  fclose(file);
}
#endif
