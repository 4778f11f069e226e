/* The behaviour of the scripted device (a device whose times come from a script instead of a clock). The script is an
 * INI file:
 *
 *   [device]   name, uuid, driver, threads, tick_ns, seed, serial, absent, open_s, others, ceilings,
 *              launch_overhead_ns, launch_overhead_unc_ns, sm_clock_mhz, temperature_c, power_w, power_limit_w;
 *              for its energy counter, if it has one: energy_step_ms, energy_lag_ms,
 *              energy_seen (share of the time that it samples), energy_range_j (where it wraps around), idle_w
 *              bus: a file; all times are multiplied by bus_factor while another device with the same bus is open
 *   [GLOB]     times and noise of the variants whose names match; [*] is for those without a section
 *
 * A glob is also compared with "CASE-KEY VARIANT". The first section that matches applies. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

/* The behaviour of the variants that match a glob. All standard deviations, gaps and scales are shares of `ns`. A slot
 * is a series of consecutive samples of one variant. */
struct fake_noise {
  char glob[ID_SIZE];
  double ns;                 /* the true time: the median without the effects of clock states and modes below */
  double sample_sd, slot_sd; /* standard deviations of lognormal noise: of each sample, and of each slot as a whole */
  double tail_p, tail_scale; /* probability of a longer sample, and the mean of its exponential excess */
  /* autocorrelation and standard deviation of slow noise, in which each slot of a variant depends on the slot before */
  double ar1_rho, ar1_sd;
  double state_gap, state_switch; /* the device has two clock states: how much longer times are in the slower one, and
                                     the probability that a slot switches the state */
  double mode_gap, mode_p; /* the kernel has two speeds: how much longer the slower one takes, and its probability */
  double drift;            /* relative change of the time at each slot of a variant */
  double throttle_from, throttle_factor; /* from this slot of a variant on, as if the device were throttled, times are
                                            multiplied by the factor */
  double untimed_ns;                     /* how long the variant's untimed callbacks take */
  double busy_w;                         /* power while the variant runs; default: the device's power_w */
  double pulse_ms, pulse_duty; /* the variant draws that power in pulses with this period and duty; 0: steadily */
  double pulse_phase;          /* begin of the pulse as a share of the period */
  double endless; /* 1: work that the variant enqueues never ends, so that waiting for the device does not return */
  char until[TEXT_SIZE]; /* work that the variant enqueues ends when this file exists; empty: at once */
  char beside[ID_SIZE];  /* a glob for variants that slow this one down; empty: none */
  double beside_factor;  /* factor of the times once a variant that matches `beside` has run in this process */
  uint32_t seen;         /* has a bit for each key that the section contains */
};

struct fake_script {
  char name[TEXT_SIZE], uuid[ID_SIZE], driver[ID_SIZE], bus[TEXT_SIZE];
  double bus_factor;
  double threads, tick_ns, seed;
  double serial;   /* 1: the device does not queue work, as under a profiler */
  double absent;   /* 1: the device cannot be opened */
  double open_s;   /* how long opening the device takes */
  double others;   /* number of further devices of the same kind */
  double ceilings; /* 1: runs measure yardsticks (rows such as a plain copy) on the device */
  double launch_overhead_ns, launch_overhead_unc_ns; /* launch overhead, which is included in every time, and half the
                                    range of the times of empty launches */
  double sm_clock_mhz, temperature_c, power_w, power_limit_w;
  double energy_step_ms, energy_lag_ms, energy_seen, energy_range_j, idle_w;
  uint32_t seen;
  struct fake_noise *noises; /* the sections of variants; owned */
  size_t noise_count;
};

/* Sets the script to defaults, and then reads the file. Returns -1 with exit code 2 and the wrong line, or with 4 if
 * the file cannot be read. The caller frees the script in either case. */
int fake_script_read(struct fake_script *script, const char *path, struct err *err);
void fake_script_free(struct fake_script *script);
