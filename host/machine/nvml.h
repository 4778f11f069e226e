/* What the driver's management library says about one GPU: clocks, power, temperature, modes, other users. The library
 * is opened at run time, and the GPU found by its UUID: NVML and CUDA number devices differently. Whatever it does not
 * tell is "not known", with the reason. Needs no CUDA and initialises none, so the parent process may use it too. */
#ifndef MACHINE_NVML_H
#define MACHINE_NVML_H

#include <stdbool.h>
#include <stddef.h>

#include "model/model.h"

struct nvml; /* one GPU */

/* The GPU with this UUID ("GPU-...", or "MIG-..." for a slice of one), or NULL with the reason in `why`. CUDA writes a
 * slice's UUID with "GPU-" as well: then the slice is found too. The library stays open until the process ends. */
struct nvml *nvml_open(const char *uuid, char *why, size_t size);
void nvml_close(struct nvml *nvml);

/* For slots: what to ask. One call of the library each, but that NVML_POWER and NVML_THROTTLE share one. Clock and
 * temperature are the driver's own variables (microseconds); power and what slows the GPU down come from its
 * controller (up to some milliseconds, and a lock that launches also take): once a round, never in a slot. */
enum { NVML_CLOCK = 1, NVML_TEMPERATURE = 2, NVML_POWER = 4, NVML_THROTTLE = 8, NVML_ALL = 15 };

/* Sets what `what` names, to NaN or 0 where it is not known; leaves the rest. Power is that of the moment where the
 * driver has it, else its average of about a second. Throttling is what is active now or, where the driver counts the
 * time, was for more than 1% of it since the last call that asked. */
void nvml_slot_state(struct nvml *nvml, unsigned what, struct slot_state *state);

/* Joules that the whole GPU has used since the driver was loaded; NaN where that is not known. The counter moves every
 * 100 ms or so, and a question takes milliseconds. */
double nvml_energy_j(struct nvml *nvml);

/* Clock, temperature, power, what slows the GPU down and who else is on it. NaN where it is not known. The list of
 * processes alone takes milliseconds. Power is the driver's average over the last second or so, hence that of the load
 * which has just ended. */
void nvml_conditions(struct nvml *nvml, struct device_conditions *conditions);

/* What does not change during a run. */
struct nvml_facts {
  char driver[ID_SIZE];      /* "580.65.06"; empty: not known */
  int ecc, mig, persistence; /* 1 on, 0 off, -1 not known */
  int exclusive;             /* 1: one process at a time may use the GPU */
  bool slice;              /* a MIG slice: clock, power and temperature are the whole GPU's, its other slices unseen */
  int clocks_set;          /* 1: the driver says that somebody's setting holds the clocks; 0; -1 not known */
  char mps[ID_SIZE];       /* "off", "on: 2 clients", "on: its control pipe is there" */
  double power_limit_w;    /* the one enforced; NaN: not known */
  double default_limit_w;  /* the one it boots with; NaN */
  double max_sm_clock_mhz; /* NaN: not known */
  double application_clock_mhz, default_application_clock_mhz; /* NaN: not known, as in drivers without them */
  char why[TEXT_SIZE];                                         /* why nothing or not all is known; empty when it is */
};

void nvml_facts_unknown(struct nvml_facts *facts);
/* 0, or -1 with `why` when the GPU was not found; `facts` is complete in both cases. */
int nvml_facts(const char *uuid, struct nvml_facts *facts);
void nvml_read_facts(struct nvml *nvml, struct nvml_facts *facts);

#endif
