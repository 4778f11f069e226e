/* The prototypes are our own, for a toolkit need not have nvml.h; each is as NVML has published it since driver 450. */
#include "nvml.h"

#include <dlfcn.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NVML_OK = 0, NVML_TOO_SMALL = 7 };
enum { CLOCK_SM = 1, SENSOR_GPU = 0, PROCESSES_MAX = 64 };

struct process {
  unsigned pid;
  unsigned long long memory_bytes;
  unsigned gpu_instance, compute_instance;
};

struct library {
  int (*init)(void);
  int (*shutdown)(void);
  const char *(*error_string)(int code);
  int (*driver_version)(char *text, unsigned size);
  int (*by_uuid)(const char *uuid, void **gpu);
  int (*clock)(void *gpu, int type, unsigned *mhz);
  int (*max_clock)(void *gpu, int type, unsigned *mhz);
  int (*temperature)(void *gpu, int sensor, unsigned *celsius);
  int (*power)(void *gpu, unsigned *milliwatts);
  int (*power_limit)(void *gpu, unsigned *milliwatts);
  int (*reasons)(void *gpu, unsigned long long *bits);
  int (*ecc)(void *gpu, unsigned *now, unsigned *pending);
  int (*mig)(void *gpu, unsigned *now, unsigned *pending);
  int (*persistence)(void *gpu, unsigned *mode);
  int (*processes)(void *gpu, unsigned *count, struct process *list);
};

struct nvml {
  struct library call;
  void *gpu;
};

static const struct {
  const char *name, *older; /* `older` does the same in older drivers */
  size_t offset;
  bool required;
} symbols[] = {
    {"nvmlInit_v2", NULL, offsetof(struct library, init), true},
    {"nvmlShutdown", NULL, offsetof(struct library, shutdown), true},
    {"nvmlErrorString", NULL, offsetof(struct library, error_string), true},
    {"nvmlSystemGetDriverVersion", NULL, offsetof(struct library, driver_version), true},
    {"nvmlDeviceGetHandleByUUID", NULL, offsetof(struct library, by_uuid), true},
    {"nvmlDeviceGetClockInfo", NULL, offsetof(struct library, clock), false},
    {"nvmlDeviceGetMaxClockInfo", NULL, offsetof(struct library, max_clock), false},
    {"nvmlDeviceGetTemperature", NULL, offsetof(struct library, temperature), false},
    {"nvmlDeviceGetPowerUsage", NULL, offsetof(struct library, power), false},
    {"nvmlDeviceGetEnforcedPowerLimit", NULL, offsetof(struct library, power_limit), false},
    {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons",
     offsetof(struct library, reasons), false},
    {"nvmlDeviceGetEccMode", NULL, offsetof(struct library, ecc), false},
    {"nvmlDeviceGetMigMode", NULL, offsetof(struct library, mig), false},
    {"nvmlDeviceGetPersistenceMode", NULL, offsetof(struct library, persistence), false},
    {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2",
     offsetof(struct library, processes), false},
};

static int load(struct library *library, char *why, size_t size) {
  void *handle = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) {
    snprintf(why, size, "NVML: %s", dlerror());
    return -1;
  }
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
    void *symbol = dlsym(handle, symbols[i].name);
    if (symbol == NULL && symbols[i].older != NULL) symbol = dlsym(handle, symbols[i].older);
    if (symbol == NULL && symbols[i].required) {
      snprintf(why, size, "NVML: libnvidia-ml.so.1 has no %s", symbols[i].name);
      return -1;
    }
    memcpy((char *)library + symbols[i].offset, &symbol, sizeof symbol);
  }
  return 0;
}

struct nvml *nvml_open(const char *uuid, char *why, size_t size) {
  struct nvml nvml = {0};
  if (load(&nvml.call, why, size) != 0) return NULL;
  int code = nvml.call.init();
  if (code != NVML_OK) {
    snprintf(why, size, "NVML: %s", nvml.call.error_string(code));
    return NULL;
  }
  code = nvml.call.by_uuid(uuid, &nvml.gpu);
  if (code != NVML_OK) {
    snprintf(why, size, "NVML: %s: %s", uuid, nvml.call.error_string(code));
    nvml.call.shutdown();
    return NULL;
  }
  struct nvml *opened = xcalloc(1, sizeof *opened);
  *opened = nvml;
  return opened;
}

void nvml_close(struct nvml *nvml) {
  if (nvml == NULL) return;
  nvml->call.shutdown();
  free(nvml);
}

static void add_note(char *note, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void add_note(char *note, size_t size, const char *format, ...) {
  size_t used = strlen(note);
  if (used > 0 && used + 2 < size) {
    memcpy(note + used, "; ", 3);
    used += 2;
  }
  va_list args;
  va_start(args, format);
  vsnprintf(note + used, size - used, format, args);
  va_end(args);
}

/* Only what makes a measurement suspect: an idle GPU and clocks that somebody has set on purpose are not among them. */
static void note_throttling(struct nvml *nvml, char *note, size_t size) {
  static const struct {
    unsigned long long bits;
    const char *text;
  } causes[] = {
      {0x04, "power cap"},
      {0x08, "hardware slowdown"},
      {0x20 | 0x40, "thermal slowdown"},
      {0x80, "power brake"},
  };
  unsigned long long bits = 0;
  if (nvml->call.reasons == NULL || nvml->call.reasons(nvml->gpu, &bits) != NVML_OK) return;
  for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
    if (bits & causes[i].bits) add_note(note, size, "%s", causes[i].text);
}

static unsigned parent_of(unsigned pid) {
  char path[48], line[512] = "";
  unsigned parent = 0;
  snprintf(path, sizeof path, "/proc/%u/stat", pid);
  FILE *file = fopen(path, "r");
  if (file == NULL) return 0;
  if (fgets(line, sizeof line, file) == NULL) line[0] = '\0';
  fclose(file);
  const char *end = strrchr(line, ')'); /* the name before it may hold anything */
  return end != NULL && sscanf(end + 1, " %*c %u", &parent) == 1 ? parent : 0;
}

/* Processes other than this one, its parent and its children: a run holds a GPU through one worker at a time. */
static unsigned count_others(struct nvml *nvml) {
  struct process list[PROCESSES_MAX];
  unsigned count = PROCESSES_MAX, others = 0;
  if (nvml->call.processes == NULL) return 0;
  int code = nvml->call.processes(nvml->gpu, &count, list);
  if (code == NVML_TOO_SMALL) return count > 0 ? count - 1 : 0;
  if (code != NVML_OK) return 0;
  unsigned self = (unsigned)getpid(), parent = (unsigned)getppid();
  for (unsigned i = 0; i < count && i < PROCESSES_MAX; i++)
    if (list[i].pid != self && list[i].pid != parent && parent_of(list[i].pid) != self) others++;
  /* In a container the list may be in the machine's process numbers: then one of them is ours. */
  return others > 0 && others == count ? others - 1 : others;
}

static double query(int (*call)(void *gpu, unsigned *value), void *gpu, double unit) {
  unsigned value = 0;
  return call != NULL && call(gpu, &value) == NVML_OK ? (double)value * unit : NAN;
}

static double query_kind(int (*call)(void *gpu, int kind, unsigned *value), void *gpu, int kind) {
  unsigned value = 0;
  return call != NULL && call(gpu, kind, &value) == NVML_OK ? (double)value : NAN;
}

void nvml_conditions(struct nvml *nvml, struct device_conditions *conditions) {
  const struct library *call = &nvml->call;
  conditions->sm_clock_mhz = query_kind(call->clock, nvml->gpu, CLOCK_SM);
  conditions->temperature_c = query_kind(call->temperature, nvml->gpu, SENSOR_GPU);
  conditions->power_w = query(call->power, nvml->gpu, 1e-3);
  conditions->power_limit_w = query(call->power_limit, nvml->gpu, 1e-3);
  note_throttling(nvml, conditions->note, sizeof conditions->note);
  unsigned others = count_others(nvml);
  if (others > 0)
    add_note(conditions->note, sizeof conditions->note, "%s on the GPU (%u)",
             others == 1 ? "another process" : "other processes", others);
}

static int query_mode(int (*call)(void *gpu, unsigned *now, unsigned *pending), void *gpu) {
  unsigned now = 0, pending = 0;
  return call != NULL && call(gpu, &now, &pending) == NVML_OK ? now != 0 : -1;
}

static struct nvml_facts unknown_facts(void) {
  return (struct nvml_facts){.ecc = -1, .mig = -1, .persistence = -1, .power_limit_w = NAN, .max_sm_clock_mhz = NAN};
}

void nvml_read_facts(struct nvml *nvml, struct nvml_facts *facts) {
  const struct library *call = &nvml->call;
  *facts = unknown_facts();
  if (call->driver_version(facts->driver, sizeof facts->driver) != NVML_OK) facts->driver[0] = '\0';
  facts->ecc = query_mode(call->ecc, nvml->gpu);
  facts->mig = query_mode(call->mig, nvml->gpu);
  unsigned mode = 0;
  if (call->persistence != NULL && call->persistence(nvml->gpu, &mode) == NVML_OK) facts->persistence = mode != 0;
  facts->power_limit_w = query(call->power_limit, nvml->gpu, 1e-3);
  facts->max_sm_clock_mhz = query_kind(call->max_clock, nvml->gpu, CLOCK_SM);
  if (facts->driver[0] == '\0' || facts->ecc < 0 || facts->mig < 0 || facts->persistence < 0 ||
      isnan(facts->power_limit_w) || isnan(facts->max_sm_clock_mhz))
    text_copy(facts->why, sizeof facts->why, "NVML: this GPU or driver does not report the rest");
}

int nvml_facts(const char *uuid, struct nvml_facts *facts) {
  *facts = unknown_facts();
  struct nvml *nvml = nvml_open(uuid, facts->why, sizeof facts->why);
  if (nvml == NULL) return -1;
  nvml_read_facts(nvml, facts);
  nvml_close(nvml);
  return 0;
}
