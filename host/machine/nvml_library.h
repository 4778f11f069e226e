/* What the files of the NVML edge share: the library's functions and one opened GPU. The prototypes and numbers are our
 * own spelling of what NVIDIA publishes in the NVML API reference, checked against nvml.h of CUDA 13: a toolkit need
 * not have that header. */
#ifndef MACHINE_NVML_LIBRARY_H
#define MACHINE_NVML_LIBRARY_H

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
};

enum { NVML_COUNTERS = 5 };

struct nvml {
  const struct nvml_library *call;
  void *gpu;                                        /* the whole one */
  void *slice;                                      /* of it that is ours, or NULL */
  int64_t counted_ns[NVML_COUNTERS], counted_at_ns; /* time slowed down, by cause, at the last question; -1 */
};

/* NULL, with the reason in `why`, where there is no library or it does not start. */
const struct nvml_library *nvml_library(char *why, size_t size);

/* machine/nvml_processes.c: how many others are on this GPU, and that as a phrase; -1 and "" when it is not known. */
int32_t nvml_others(struct nvml *nvml, char *to, size_t size);
/* "off", "on: ...", or "" for not known. */
void nvml_mps(struct nvml *nvml, char *to, size_t size);

#endif
