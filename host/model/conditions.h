/* The state of a machine while something was timed, and the texts for what slows it down. The sensors are read by code
 * in other folders. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "stats/slot.h"

/* Bits that say why a device runs slower than it could. 0 (no bit at all): the reasons are not known. */
#define THROTTLE_POWER_CAP UINT32_C(1)
#define THROTTLE_HARDWARE UINT32_C(2) /* the hardware slows down and does not say why */
#define THROTTLE_THERMAL UINT32_C(4)  /* thermal slowdown: of a GPU by its driver, or of a CPU */
#define THROTTLE_POWER_BRAKE UINT32_C(8)
#define THROTTLE_HARDWARE_THERMAL UINT32_C(16)
/* the GPU is slowed down to the clock of a slower GPU in its sync boost group */
#define THROTTLE_SYNC_BOOST UINT32_C(32)
#define THROTTLE_BOARD_LIMIT UINT32_C(64)
#define THROTTLE_RELIABILITY UINT32_C(128)
#define THROTTLE_NONE (UINT32_C(1) << 31) /* the device was asked, and nothing slows it down */

static inline bool throttle_slowed(uint32_t bits) {
  return (bits & ~THROTTLE_NONE) != 0;
}

/* The state of the device around a measurement. NaN: not known. */
struct device_conditions {
  double sm_clock_mhz, temperature_c, power_w, power_limit_w;
  uint32_t throttle;    /* THROTTLE_* bits */
  int32_t others;       /* number of other processes that use the device; -1: not known */
  char note[TEXT_SIZE]; /* any other problem, or why the members above are not known; empty: none */
};

/* The use of the host's processors between two readings of the kernel's counters (machine/cpu_times.h). NaN and -1: not
 * known. */
struct host_usage {
  double seconds; /* seconds from the first reading to the second; 0: there were no readings */
  /* wanted_s: CPU time that all processes together wanted on the processors on which this process may run; own_s: CPU
   * time that this process used */
  double wanted_s, own_s;
  double steal_share;  /* share of wanted_s that the hypervisor withheld */
  double others_share; /* share of the available time that other processes used */
  /* share of the periods of the control group's CPU quota in which the group was throttled */
  double quota_share;
  /* involuntary: number of involuntary context switches of this process; hot: how often heat slowed down the processors
   * on which this process may run */
  int64_t involuntary, hot;
};

#define CONDITIONS_UNKNOWN     \
  ((struct device_conditions){ \
      .sm_clock_mhz = NAN, .temperature_c = NAN, .power_w = NAN, .power_limit_w = NAN, .others = -1})
#define HOST_USAGE_UNKNOWN ((struct host_usage){0, NAN, NAN, NAN, NAN, NAN, -1, -1})

/* Returns "power cap; thermal slowdown", "none", or "" if nothing is known. */
struct text throttle_text(uint32_t bits);
/* Returns the bits of a text that throttle_text() wrote; unknown words are ignored. */
uint32_t throttle_parse(const char *text);

/* Adds to `sum` the usage during further work on the same case, such as in another worker process. */
void host_usage_add(struct host_usage *sum, const struct host_usage *more);

/* Appends to `to` what slowed the work on the host down, worst first and separated by "; ". `on_gpu`: the work ran on a
 * GPU and was timed by its clock, so larger disturbances of the host are accepted. Returns true if a cause lies outside
 * this process: a CPU quota, the hypervisor or other processes. */
bool host_usage_faults(const struct host_usage *usage, bool on_gpu, char *to, size_t size);

/* ---- The conditions of a case, computed from the samples of its variants ---- */

struct slot_series { /* the slots (each a series of samples) of one variant */
  const struct slot *slots;
  size_t count;
};

struct case_conditions {
  double sm_clock_mhz;           /* median over the slots */
  double temperature_c, power_w; /* highest values over the slots */
  /* share of rounds in which the device was throttled; rounds in which its throttle bits are not known do not count */
  double throttled_share;
  /* share of rounds in which the clock readings of the variants lie more than 1% apart; rounds with fewer than two
   * readings do not count */
  double differing_share;
  uint32_t throttle; /* THROTTLE_* bits of all slots together */
  /* 1: other processes disturbed the work: they used the device or, if the work was not timed by a GPU's clock, the
   * host's processors */
  uint32_t contended;
  char note[TEXT_SIZE]; /* the faults as text: "throttled in 12% of rounds: power cap; clocks differ" */
};

/* Returns the median clock over the slots of one variant; NaN if no slot has one. */
double conditions_clock(const struct slot *slots, size_t count);

/* Computes the conditions of a case from the slots of its variants. `end` is the state of the device after the last
 * round, which is used where slots have no reading; `end` and `host` may be NULL. */
void conditions_of_case(const struct slot_series *variants, size_t count, const struct device_conditions *end,
                        const struct host_usage *host, bool on_gpu, struct case_conditions *conditions);
