/* Facts that the driver's management library (NVML) reports about one GPU: clocks, power, temperature, modes and other
 * processes. The library is loaded at run time. The GPU is found by its UUID, because NVML and CUDA number devices
 * differently. Facts that are missing are "not known", with the reason. CUDA is neither needed nor initialized, so the
 * parent process may use these functions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "model/model.h"

struct nvml; /* one GPU */

/* Opens the GPU, or the MIG slice of a GPU, with this UUID ("GPU-...", "MIG-..."). CUDA writes the UUID of a slice with
 * "GPU-" instead of "MIG-"; the slice is found by either. Returns NULL with the reason in `why` on failure. The library
 * stays open until the process ends. */
struct nvml *nvml_open(const char *uuid, char *why, size_t size);
void nvml_close(struct nvml *nvml);

/* What nvml_slot_state() reads, as bits. Each takes one call of the library; NVML_POWER and NVML_THROTTLE share a call.
 * Clock and temperature are variables of the driver and take microseconds. Power and throttling come from the GPU's
 * controller and take up to some milliseconds, during which a lock is held that launches need too. So power and
 * throttling are read once a round (in which each variant is timed once), never while a variant is timed. */
enum { NVML_CLOCK = 1, NVML_TEMPERATURE = 2, NVML_POWER = 4, NVML_THROTTLE = 8, NVML_ALL = 15 };

/* Reads the values in `what` and sets the corresponding members of `state`, to NaN or 0 if they are not known; leaves
 * the other members unchanged. Power is the present power if the driver reports it, else its average over about a
 * second. Throttling is the set of reasons that are active now; if the driver counts the time of each reason, also
 * those that were active for more than 1% of the time since the last call that read throttling. */
void nvml_slot_state(struct nvml *nvml, unsigned what, struct slot_state *state);

/* Returns the energy in joules that the whole GPU has used since the driver was loaded; NaN: not known. The counter
 * advances about every 100 ms, and reading it takes milliseconds. */
double nvml_energy_j(struct nvml *nvml);

/* Reads clock, temperature, power, throttling and the other processes on the GPU; listing these takes milliseconds.
 * NaN: not known. Power is the driver's average over about the last second, so it includes the load that has just
 * ended. */
void nvml_conditions(struct nvml *nvml, struct device_conditions *conditions);

/* Facts that do not change during a run. */
struct nvml_facts {
  char driver[ID_SIZE];      /* version of the driver: "580.65.06"; empty: not known */
  int ecc, mig, persistence; /* 1 on, 0 off, -1 not known */
  int exclusive;             /* 1: only one process at a time may use the GPU */
  /* true for a MIG slice: clock, power and temperature are those of the whole GPU, and other slices are not seen */
  bool slice;
  int clocks_set; /* 1: the driver reports that a setting fixes the clocks; 0: it reports that none does; -1: not known
                   */
  /* whether MPS is in use: "off", "on: 2 clients", "on: its control pipe is there"; "": not known */
  char mps[ID_SIZE];
  double power_limit_w;                                        /* the limit in effect; NaN: not known */
  double default_limit_w;                                      /* the limit after a reset; NaN: not known */
  double max_sm_clock_mhz;                                     /* NaN: not known */
  double application_clock_mhz, default_application_clock_mhz; /* NaN: not known, or the driver has none */
  char why[TEXT_SIZE]; /* why some or all facts are not known; empty if all are */
};

void nvml_facts_unknown(struct nvml_facts *facts);
/* Returns 0, or -1 with `why` if the GPU was not found; `facts` is complete in both cases. */
int nvml_facts(const char *uuid, struct nvml_facts *facts);
void nvml_read_facts(struct nvml *nvml, struct nvml_facts *facts);
