/* What the driver's management library says about one GPU: clocks, power, temperature, modes, other users. The library
 * is opened at run time, and the GPU found by its UUID: NVML and CUDA number devices differently. Whatever it does not
 * tell is "not known", with the reason. Needs no CUDA and initialises none, so the parent process may use it too. */
#ifndef NVML_H
#define NVML_H

#include <stddef.h>

#include "model.h"

struct nvml; /* one GPU */

/* The GPU with this UUID ("GPU-..."), or NULL with the reason in `why`. */
struct nvml *nvml_open(const char *uuid, char *why, size_t size);
void nvml_close(struct nvml *nvml);

/* Clock, temperature, power and what slows the GPU down. NaN where it is not known. A query takes a few milliseconds.
 * Power is the driver's average over the last second or so, hence that of the load which has just ended. */
void nvml_conditions(struct nvml *nvml, struct device_conditions *conditions);

/* What does not change during a run. */
struct nvml_facts {
  char driver[ID_SIZE];      /* "580.65.06"; empty: not known */
  int ecc, mig, persistence; /* 1 on, 0 off, -1 not known */
  double power_limit_w;      /* the one enforced; NaN: not known */
  double max_sm_clock_mhz;   /* NaN: not known */
  char why[TEXT_SIZE];       /* why nothing or not all is known; empty when it is */
};

/* 0, or -1 with `why` when the GPU was not found; `facts` is complete in both cases. */
int nvml_facts(const char *uuid, struct nvml_facts *facts);
void nvml_read_facts(struct nvml *nvml, struct nvml_facts *facts);

#endif
