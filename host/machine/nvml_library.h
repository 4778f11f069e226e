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

struct nvml_library {
  int (*init)(void);
  const char *(*error_string)(int code);
  int (*driver_version)(char *text, unsigned size);
  int (*by_uuid)(const char *uuid, void **gpu);
  int (*clock)(void *gpu, int type, unsigned *mhz);
  int (*max_clock)(void *gpu, int type, unsigned *mhz);
  int (*application_clock)(void *gpu, int type, unsigned *mhz);
  int (*default_application_clock)(void *gpu, int type, unsigned *mhz);
  int (*heat)(void *gpu, struct nvml_heat *heat);
  int (*temperature)(void *gpu, int sensor, unsigned *celsius);
  int (*power)(void *gpu, unsigned *milliwatts);
  int (*energy)(void *gpu, unsigned long long *millijoules);
  int (*power_limit)(void *gpu, unsigned *milliwatts);
  int (*default_limit)(void *gpu, unsigned *milliwatts);
  int (*fields)(void *gpu, int count, struct nvml_field *fields);
  int (*reasons)(void *gpu, unsigned long long *bits);
  int (*ecc)(void *gpu, unsigned *now, unsigned *pending);
  int (*mig)(void *gpu, unsigned *now, unsigned *pending);
  int (*mig_parent)(void *slice, void **gpu);
  int (*persistence)(void *gpu, unsigned *mode);
  int (*compute_mode)(void *gpu, unsigned *mode);
  int (*compute_processes)(void *gpu, unsigned *count, struct nvml_process *list);
  int (*graphics_processes)(void *gpu, unsigned *count, struct nvml_process *list);
  int (*mps_processes)(void *gpu, unsigned *count, struct nvml_process *list);
  /* Used only by machine/nvml_health.c. */
  int (*cuda_version)(int *version);
  int (*count)(unsigned *count);
  int (*by_index)(unsigned index, void **gpu);
  int (*name)(void *gpu, char *text, unsigned size);
  int (*uuid)(void *gpu, char *text, unsigned size);
  int (*pci)(void *gpu, struct nvml_pci *pci);
  int (*default_ecc)(void *gpu, unsigned *mode);
  int (*ecc_errors)(void *gpu, int uncorrected, int aggregate, unsigned long long *count);
  int (*retired_pages)(void *gpu, int cause, unsigned *count, unsigned long long *addresses);
  int (*retirement_pending)(void *gpu, unsigned *pending);
  int (*remapped_rows)(void *gpu, unsigned *correctable, unsigned *uncorrectable, unsigned *pending, unsigned *failed);
  int (*pcie_width)(void *gpu, unsigned *lanes);
  int (*max_pcie_width)(void *gpu, unsigned *lanes);
  int (*pcie_generation)(void *gpu, unsigned *generation);
  int (*max_pcie_generation)(void *gpu, unsigned *generation);
  int (*performance_state)(void *gpu, unsigned *state);
  int (*nvlink_state)(void *gpu, unsigned link, unsigned *active);
  int (*temperature_threshold)(void *gpu, int threshold, unsigned *celsius);
  int (*temperature_margin)(void *gpu, struct nvml_margin *margin);
  int (*max_slices)(void *gpu, unsigned *count);
  int (*slice)(void *gpu, unsigned index, void **slice);
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
