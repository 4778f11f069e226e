/* The health of each GPU of the machine, for `gpubench doctor`: what NVML reports about faults, links and settings.
 * Values that a driver does not report are "not known". A broken driver may never answer, so a separate process fills
 * the struct; therefore the struct has no pointers. */
#pragma once

#include "machine/nvml.h"

enum { NVML_GPUS_MOST = 64, NVML_OTHERS_MOST = 8, NVML_LINKS_MOST = 18, NVML_UUID_SIZE = 96 };
enum nvml_compute_mode { COMPUTE_SHARED, COMPUTE_EXCLUSIVE_THREAD, COMPUTE_PROHIBITED, COMPUTE_EXCLUSIVE };

struct nvml_other_process {
  unsigned pid;
  char name[ID_SIZE]; /* the name that the process has set for itself; "": not known */
};

/* The health of one GPU. -1 and NaN: not known. */
struct nvml_health {
  int64_t index;
  char why[TEXT_SIZE]; /* not empty: the GPU exists but does not answer, and the members below are not known */
  char name[TEXT_SIZE], uuid[NVML_UUID_SIZE], pci[32];
  struct nvml_facts facts;
  struct device_conditions now;
  /* ecc_default: ECC setting by default; ecc_next, mig_next: settings after the next reset; 1 on, 0 off */
  int64_t ecc_default, ecc_next, mig_next;
  int64_t slices;                 /* number of MIG slices */
  int64_t corrected, uncorrected; /* number of ECC errors since the driver was loaded */
  int64_t ever_corrected, ever_uncorrected;
  int64_t retired_pages, retirement_pending;
  int64_t remapped_rows, remap_pending, remap_failed;
  int64_t compute_mode; /* a value of enum nvml_compute_mode */
  int64_t performance_state;
  /* width of the PCIe link now, and the largest width that GPU and slot both support */
  int64_t pcie_width, pcie_width_max;
  int64_t pcie_generation, pcie_generation_max;
  int64_t links, links_active; /* number of the GPU's NVLink links, and of those that are active */
  double slowdown_c, margin_c; /* temperature at which the GPU slows down, and how far the GPU is below it */
  int64_t other_process_count; /* number of processes that use the GPU, except this one and MPS */
  struct nvml_other_process other_processes[NVML_OTHERS_MOST];
};

struct nvml_machine {
  char why[TEXT_SIZE];  /* not empty: NVML is not available */
  char driver[ID_SIZE]; /* version of the driver: "580.65.06"; "": not known */
  int64_t cuda;         /* version that the driver supports, 13000 for 13.0; -1: not known */
  int64_t count;        /* number of GPUs; -1: not known */
  struct nvml_health gpus[NVML_GPUS_MOST];
};

/* Sets everything to "not known". */
void nvml_machine_unknown(struct nvml_machine *machine);
/* Reads everything. Takes about 10 ms per GPU, plus the time to start the library. The names of processes are read from
 * /proc below `root`. */
void nvml_machine_read(const char *root, struct nvml_machine *machine);
