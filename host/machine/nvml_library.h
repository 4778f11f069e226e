/* The functions of the NVML library and one opened GPU, shared by the files that use NVML. Prototypes and constants are
 * our own declarations of those in the NVML API reference, checked against nvml.h of CUDA 13, because a toolkit may
 * lack that header. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NVML_OK = 0, NVML_NOT_FOUND = 6, NVML_TOO_SMALL = 7 };

struct nvml_process {
  unsigned pid;
  unsigned long long memory_bytes;
  unsigned gpu_instance, compute_instance;
};

struct nvml_field {
  unsigned id, scope;
  long long timestamp_us, latency_us;
  int type, status;
  union {
    double real;
    int int32;
    unsigned uint32;
    unsigned long ulong;
    unsigned long long uint64;
    long long int64;
    unsigned short uint16;
  } value;
};

struct nvml_heat {
  unsigned version; /* size of this struct | 1 << 24 */
  int sensor, celsius;
};

struct nvml_margin {
  unsigned version; /* size of this struct | 1 << 24 */
  int celsius;      /* distance to the nearest temperature at which the GPU slows down */
};

struct nvml_pci {
  char legacy[16];
  unsigned domain, bus, device, id, subsystem;
  char text[32]; /* "00000000:3B:00.0" */
};

/* Each function: its type, the name of the pointer, the arguments, its name in the library, its name in older drivers
 * or NULL, and whether NVML is of no use without it. */
/* clang-format off */
#define NVML_FUNCTIONS(F) \
  F(int, init, (void), "nvmlInit_v2", NULL, true) \
  F(const char *, error_string, (int code), "nvmlErrorString", NULL, true) \
  F(int, driver_version, (char *text, unsigned size), "nvmlSystemGetDriverVersion", NULL, false) \
  F(int, by_uuid, (const char *uuid, void **gpu), "nvmlDeviceGetHandleByUUID", NULL, true) \
  F(int, clock, (void *gpu, int type, unsigned *mhz), "nvmlDeviceGetClockInfo", NULL, false) \
  F(int, max_clock, (void *gpu, int type, unsigned *mhz), "nvmlDeviceGetMaxClockInfo", NULL, false) \
  F(int, application_clock, (void *gpu, int type, unsigned *mhz), "nvmlDeviceGetApplicationsClock", NULL, false) \
  F(int, default_application_clock, (void *gpu, int type, unsigned *mhz), \
    "nvmlDeviceGetDefaultApplicationsClock", NULL, false) \
  F(int, heat, (void *gpu, struct nvml_heat *heat), "nvmlDeviceGetTemperatureV", NULL, false) \
  F(int, temperature, (void *gpu, int sensor, unsigned *celsius), "nvmlDeviceGetTemperature", NULL, false) \
  F(int, power, (void *gpu, unsigned *milliwatts), "nvmlDeviceGetPowerUsage", NULL, false) \
  F(int, energy, (void *gpu, unsigned long long *millijoules), "nvmlDeviceGetTotalEnergyConsumption", NULL, false) \
  F(int, power_limit, (void *gpu, unsigned *milliwatts), "nvmlDeviceGetEnforcedPowerLimit", NULL, false) \
  F(int, default_limit, (void *gpu, unsigned *milliwatts), "nvmlDeviceGetPowerManagementDefaultLimit", NULL, false) \
  F(int, fields, (void *gpu, int count, struct nvml_field *fields), "nvmlDeviceGetFieldValues", NULL, false) \
  F(int, reasons, (void *gpu, unsigned long long *bits), \
    "nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons", false) \
  F(int, ecc, (void *gpu, unsigned *now, unsigned *pending), "nvmlDeviceGetEccMode", NULL, false) \
  F(int, mig, (void *gpu, unsigned *now, unsigned *pending), "nvmlDeviceGetMigMode", NULL, false) \
  F(int, mig_parent, (void *slice, void **gpu), "nvmlDeviceGetDeviceHandleFromMigDeviceHandle", NULL, false) \
  F(int, persistence, (void *gpu, unsigned *mode), "nvmlDeviceGetPersistenceMode", NULL, false) \
  F(int, compute_mode, (void *gpu, unsigned *mode), "nvmlDeviceGetComputeMode", NULL, false) \
  F(int, compute_processes, (void *gpu, unsigned *count, struct nvml_process *list), \
    "nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2", false) \
  F(int, graphics_processes, (void *gpu, unsigned *count, struct nvml_process *list), \
    "nvmlDeviceGetGraphicsRunningProcesses_v3", "nvmlDeviceGetGraphicsRunningProcesses_v2", false) \
  F(int, mps_processes, (void *gpu, unsigned *count, struct nvml_process *list), \
    "nvmlDeviceGetMPSComputeRunningProcesses_v3", "nvmlDeviceGetMPSComputeRunningProcesses_v2", false) \
  /* used only by machine/nvml_health.c */ \
  F(int, cuda_version, (int *version), "nvmlSystemGetCudaDriverVersion_v2", "nvmlSystemGetCudaDriverVersion", false) \
  F(int, count, (unsigned *count), "nvmlDeviceGetCount_v2", NULL, false) \
  F(int, by_index, (unsigned index, void **gpu), "nvmlDeviceGetHandleByIndex_v2", NULL, false) \
  F(int, name, (void *gpu, char *text, unsigned size), "nvmlDeviceGetName", NULL, false) \
  F(int, uuid, (void *gpu, char *text, unsigned size), "nvmlDeviceGetUUID", NULL, false) \
  F(int, pci, (void *gpu, struct nvml_pci *pci), "nvmlDeviceGetPciInfo_v3", NULL, false) \
  F(int, default_ecc, (void *gpu, unsigned *mode), "nvmlDeviceGetDefaultEccMode", NULL, false) \
  F(int, ecc_errors, (void *gpu, int uncorrected, int aggregate, unsigned long long *count), \
    "nvmlDeviceGetTotalEccErrors", NULL, false) \
  F(int, retired_pages, (void *gpu, int cause, unsigned *count, unsigned long long *addresses), \
    "nvmlDeviceGetRetiredPages", NULL, false) \
  F(int, retirement_pending, (void *gpu, unsigned *pending), "nvmlDeviceGetRetiredPagesPendingStatus", NULL, false) \
  F(int, remapped_rows, (void *gpu, unsigned *correctable, unsigned *uncorrectable, unsigned *pending, \
                         unsigned *failed), "nvmlDeviceGetRemappedRows", NULL, false) \
  F(int, pcie_width, (void *gpu, unsigned *lanes), "nvmlDeviceGetCurrPcieLinkWidth", NULL, false) \
  F(int, max_pcie_width, (void *gpu, unsigned *lanes), "nvmlDeviceGetMaxPcieLinkWidth", NULL, false) \
  F(int, pcie_generation, (void *gpu, unsigned *generation), "nvmlDeviceGetCurrPcieLinkGeneration", NULL, false) \
  F(int, max_pcie_generation, (void *gpu, unsigned *generation), "nvmlDeviceGetMaxPcieLinkGeneration", NULL, false) \
  F(int, performance_state, (void *gpu, unsigned *state), "nvmlDeviceGetPerformanceState", NULL, false) \
  F(int, nvlink_state, (void *gpu, unsigned link, unsigned *active), "nvmlDeviceGetNvLinkState", NULL, false) \
  F(int, temperature_threshold, (void *gpu, int threshold, unsigned *celsius), \
    "nvmlDeviceGetTemperatureThreshold", NULL, false) \
  F(int, temperature_margin, (void *gpu, struct nvml_margin *margin), "nvmlDeviceGetMarginTemperature", NULL, false) \
  F(int, max_slices, (void *gpu, unsigned *count), "nvmlDeviceGetMaxMigDeviceCount", NULL, false) \
  F(int, slice, (void *gpu, unsigned index, void **slice), "nvmlDeviceGetMigDeviceHandleByIndex", NULL, false)
/* clang-format on */

struct nvml_library {
#define NVML_POINTER(type, member, arguments, name, older, required) type(*member) arguments;
  NVML_FUNCTIONS(NVML_POINTER)
};

enum { NVML_COUNTERS = 5 };

struct nvml {
  const struct nvml_library *call;
  void *gpu;   /* the whole GPU */
  void *slice; /* the slice of the GPU that was opened, or NULL */
  /* time for which each reason has reduced the clocks, as of the last reading, and when that reading was made; -1: not
   * known */
  int64_t counted_ns[NVML_COUNTERS], counted_at_ns;
};

/* Returns NULL with the reason in `why` if the library is missing or does not start. */
const struct nvml_library *nvml_library(char *why, size_t size);

/* Writes the pids of the processes of other runs on this GPU to `pids`, at most `most`, and returns the number of these
 * processes; -1: not known. A caller that uses the GPU itself calls nvml_others() instead. Both are defined in
 * machine/nvml.c. */
int32_t nvml_other_processes(struct nvml *nvml, unsigned *pids, unsigned most);
/* Sets how many other workers (processes of this run that load plugins) are stopped and have the GPU open, so that they
 * do not count as other processes. Only a worker may call it: workers recognize each other as grandchildren of the same
 * gpubench process. */
void nvml_siblings(unsigned count);
/* Returns how many processes of other runs are on this GPU, and describes them in `to`; -1 and "": not known. */
int32_t nvml_others(struct nvml *nvml, char *to, size_t size);
/* Writes whether MPS (the Multi-Process Service) is in use: "off", "on: ...", or "" if that is not known. */
void nvml_mps(struct nvml *nvml, char *to, size_t size);
