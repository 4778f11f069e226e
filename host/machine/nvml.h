/* Facts that the driver's management library reports about one GPU: clocks, power, temperature, modes, other users. The
 * library is loaded at run time, and the GPU is found by its UUID, because NVML and CUDA number devices differently.
 * Missing facts are "not known", with the reason. Does not need or initialize CUDA, so the parent process may
 * use it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "model/model.h"

struct nvml; /* one GPU */

/* Opens the GPU with this UUID ("GPU-...", or "MIG-..." for a slice), or returns NULL with the reason in `why`. A slice
 * is also found by the UUID that CUDA writes for it, which begins with "GPU-". The library stays open until the process
 * ends. */
struct nvml *nvml_open(const char *uuid, char *why, size_t size);
void nvml_close(struct nvml *nvml);

/* The readings of nvml_slot_state(), as bits. A reading takes one call of the library, but NVML_POWER and NVML_THROTTLE
 * share one call. Clock and temperature are variables of the driver and take microseconds. Power and throttling come
 * from the GPU's controller: they take up to some milliseconds, and during that time a lock that launches also need is
 * held. So they are read once a round, never during a slot. */
enum { NVML_CLOCK = 1, NVML_TEMPERATURE = 2, NVML_POWER = 4, NVML_THROTTLE = 8, NVML_ALL = 15 };

/* Sets those members of `state` that the readings in `what` give, to NaN or 0 if they are not known; leaves the other
 * members. Power is the present power if the driver reports it, else its average over about a second. Throttling: if
 * the driver counts the time of each reason, the reasons that were active for more than 1% of the time since the last
 * call that asked for throttling; otherwise those that are active now. */
void nvml_slot_state(struct nvml *nvml, unsigned what, struct slot_state *state);

/* Returns the energy in joules that the whole GPU has used since the driver was loaded; NaN: not known. The counter
 * advances about every 100 ms, and reading it takes milliseconds. */
double nvml_energy_j(struct nvml *nvml);

/* Reads clock, temperature, power, throttling and the list of other processes, which alone takes milliseconds. NaN: not
 * known. Power is the driver's average over about the last second, so it includes the load that has just ended. */
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
  char mps[ID_SIZE];       /* "off", "on: 2 clients", "on: its control pipe is there" */
  double power_limit_w;    /* the limit in effect; NaN: not known */
  double default_limit_w;  /* the limit after a reset; NaN: not known */
  double max_sm_clock_mhz; /* NaN: not known */
  double application_clock_mhz, default_application_clock_mhz; /* NaN: not known, or the driver has none */
  char why[TEXT_SIZE]; /* why some or all facts are not known; empty if all are */
};

void nvml_facts_unknown(struct nvml_facts *facts);
/* Returns 0, or -1 with `why` if the GPU was not found; `facts` is complete in both cases. */
int nvml_facts(const char *uuid, struct nvml_facts *facts);
void nvml_read_facts(struct nvml *nvml, struct nvml_facts *facts);
