/* What the fake device does, from an INI file:
 *
 *   [device]   name, uuid, driver, threads, tick_ns, seed, serial, absent, open_s, others, ceilings, floor_ns,
 *              floor_unc_ns, sm_clock_mhz, temperature_c, power_w, power_limit_w; and of its energy counter, if
 *              it has one: energy_step_ms, energy_lag_ms, energy_seen (share of the time that it looks),
 *              energy_range_j (where it begins anew), idle_w
 *              bus, bus_factor: a file, and by what the times are multiplied while another device on it is open
 *   [GLOB]     how long the variants whose names match take, and with what noise; [*] serves those without one
 *
 * A glob is also tried on "CASE-KEY VARIANT". The first section that matches holds. */
#ifndef DEVICE_FAKE_SCRIPT_H
#define DEVICE_FAKE_SCRIPT_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

/* All standard deviations, gaps and scales are shares of `ns`. */
struct fake_noise {
  char glob[ID_SIZE];
  double ns;                             /* the true time: the median without clock states and modes */
  double sample_sd, slot_sd;             /* lognormal, of each sample and of each slot */
  double tail_p, tail_scale;             /* with this probability a sample is longer, by an exponential share */
  double ar1_rho, ar1_sd;                /* slow noise of each variant's own, from slot to slot */
  double state_gap, state_switch;        /* two clock states of the device; probability of switching at a slot */
  double mode_gap, mode_p;               /* two speeds of the kernel; probability of the slower one */
  double drift;                          /* added at each slot of a variant */
  double throttle_from, throttle_factor; /* from this slot of a variant on, the time times the factor */
  double untimed_ns;                     /* what its untimed callbacks take */
  double busy_w;                         /* drawn while it runs; default: the device's power_w */
  double pulse_ms, pulse_duty;           /* it is drawn in pulses this far apart, for this share; 0: steadily */
  double pulse_phase;                    /* where in that time they begin: a share */
  double endless;        /* 1: what it enqueues does not end: nobody who waits for the device after it returns */
  char until[TEXT_SIZE]; /* what it enqueues ends once this file is there; empty: at once */
  char beside[ID_SIZE];  /* a glob: by what the times are multiplied once a variant whose name matches */
  double beside_factor;  /* has run in this process; empty: by nothing */
  uint32_t seen;         /* bits: keys that were given */
};

struct fake_script {
  char name[TEXT_SIZE], uuid[ID_SIZE], driver[ID_SIZE], bus[TEXT_SIZE];
  double bus_factor;
  double threads, tick_ns, seed;
  double serial;                 /* 1: it does not run queued work, as under a profiler */
  double absent;                 /* 1: it cannot be opened */
  double open_s;                 /* so long it takes to open it */
  double others;                 /* so many more of its kind are there */
  double ceilings;               /* 1: runs measure yardsticks on it */
  double floor_ns, floor_unc_ns; /* in every time; half the range of launches that do nothing */
  double sm_clock_mhz, temperature_c, power_w, power_limit_w;
  double energy_step_ms, energy_lag_ms, energy_seen, energy_range_j, idle_w;
  uint32_t seen;
  struct fake_noise *noises; /* owned */
  size_t noise_count;
};

/* The defaults, and over them what the file says. Exit 2 with the line that is wrong, 4 where it cannot be read. Free
 * it in either case. */
int fake_script_read(struct fake_script *script, const char *path, struct err *err);
void fake_script_free(struct fake_script *script);

#endif
