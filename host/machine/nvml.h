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

/* The readings of nvml_slot_state(), as bits. Each takes one call of the library, except that NVML_POWER and
 * NVML_THROTTLE share one. Clock and temperature are variables of the driver (microseconds). Power and throttling come
 * from the GPU's controller (up to some milliseconds, under a lock that launches also take), so they are read once a
 * round, never during a slot. */
enum { NVML_CLOCK = 1, NVML_TEMPERATURE = 2, NVML_POWER = 4, NVML_THROTTLE = 8, NVML_ALL = 15 };

/* Sets the members of `state` for the readings in `what`, to NaN or 0 if they are not known; leaves the others. Power
 * is the present one if the driver reports it, else its average of about a second. Throttling lists the reasons that
 * are active now or, if the driver counts their time, were active for more than 1% of the time since the last call that
 * asked. */
void nvml_slot_state(struct nvml *nvml, unsigned what, struct slot_state *state);

/* Returns the energy in joules that the whole GPU has used since the driver was loaded; NaN: not known. The counter
 * advances about every 100 ms, and reading it takes milliseconds. */
double nvml_energy_j(struct nvml *nvml);

/* Reads clock, temperature, power, throttling and the list of other processes, which alone takes milliseconds. NaN: not
 * known. Power is the driver's average over about the last second, so it includes the load that has just ended. */
void nvml_conditions(struct nvml *nvml, struct device_conditions *conditions);

/* Facts that do not change during a run. */
struct nvml_facts {
  char driver[ID_SIZE];      /* "580.65.06"; empty: not known */
  int ecc, mig, persistence; /* 1 on, 0 off, -1 not known */
  int exclusive;             /* 1: only one process at a time may use the GPU */
  bool slice;        /* a MIG slice: clock, power and temperature are the whole GPU's, and other slices are not seen */
  int clocks_set;    /* 1: the driver reports that a setting holds the clocks; 0: none does; -1: not known */
  char mps[ID_SIZE]; /* "off", "on: 2 clients", "on: its control pipe is there" */
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
