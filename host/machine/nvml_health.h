/* Is each GPU of the machine well? What NVML tells of faults, links and settings, for `gpubench doctor`. Where a driver
 * has no answer it is "not known". One plain struct without pointers, so that a process of its own may fill it: a
 * driver in trouble may not answer at all. */
#ifndef MACHINE_NVML_HEALTH_H
#define MACHINE_NVML_HEALTH_H

#include "machine/nvml.h"

enum { NVML_GPUS_MOST = 64, NVML_STRANGERS_MOST = 8, NVML_LINKS_MOST = 18, NVML_UUID_SIZE = 96 };
enum nvml_compute_mode { COMPUTE_SHARED, COMPUTE_EXCLUSIVE_THREAD, COMPUTE_PROHIBITED, COMPUTE_EXCLUSIVE };

struct nvml_stranger {
  unsigned pid;
  char name[ID_SIZE]; /* as its user chose it; "": not known */
};

/* -1 and NaN: not known. */
struct nvml_health {
  int64_t index;
  char why[TEXT_SIZE]; /* not empty: it is there and cannot be asked; then all below is not known */
  char name[TEXT_SIZE], uuid[NVML_UUID_SIZE], pci[32];
  struct nvml_facts facts;
  struct device_conditions now;
  int64_t ecc_default, ecc_next, mig_next; /* 1 on, 0 off; _next: after a reset */
  int64_t slices;                          /* that MIG has made of it */
  int64_t corrected, uncorrected;          /* ECC errors since the driver was loaded */
  int64_t ever_corrected, ever_uncorrected;
  int64_t retired_pages, retirement_pending;
  int64_t remapped_rows, remap_pending, remap_failed;
  int64_t compute_mode; /* enum nvml_compute_mode */
  int64_t performance_state;
  int64_t pcie_width, pcie_width_max; /* the most that GPU and slot together can */
  int64_t pcie_generation, pcie_generation_max;
  int64_t links, links_active; /* NVLink */
  double slowdown_c, margin_c; /* where it slows down for heat; how far that is */
  int64_t stranger_count;      /* processes on it that are neither this one's nor MPS's */
  struct nvml_stranger strangers[NVML_STRANGERS_MOST];
};

struct nvml_machine {
  char why[TEXT_SIZE];  /* not empty: there is no NVML to ask */
  char driver[ID_SIZE]; /* "580.65.06"; "": not known */
  int64_t cuda;         /* of the driver: 13000 for 13.0; -1 */
  int64_t count;        /* GPUs; -1 */
  struct nvml_health gpus[NVML_GPUS_MOST];
};

/* As the struct is where nobody was asked. */
void nvml_machine_unknown(struct nvml_machine *machine);
/* Some 10 ms a GPU, and what the library takes to start. `root`: where /proc is, for the names of processes. */
void nvml_machine_read(const char *root, struct nvml_machine *machine);

#endif
