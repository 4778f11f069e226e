/* A slot: consecutive samples of one variant in one round, and the state of the device meanwhile. The functions do no
 * I/O and use no global state. */
#pragma once

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/math.h"

/* State of the device during a slot. NaN and 0 mean that a value is not known. */
struct slot_state {
  uint32_t position; /* position of the slot among the slots of its round, from 0 */
  uint32_t throttle; /* THROTTLE_* of model/conditions.h */
  double sm_clock_mhz, temperature_c, power_w;
  /* length of the cooldown (pause) before the slot, as a multiple of the work before the pause */
  double cooldown;
  double unix_s; /* when the slot ended: seconds since 1970, by the host's clock */
};

#define SLOT_STATE_UNKNOWN \
  ((struct slot_state){.sm_clock_mhz = NAN, .temperature_c = NAN, .power_w = NAN, .cooldown = NAN, .unix_s = NAN})

/* A slot of a variant. `epoch` is the number of the process that took it; slots of different epochs are never
 * paired. */
struct slot {
  uint32_t epoch, round, count;
  const double *ns;
  struct slot_state state;
};

/* Drops slots with a shorter cooldown (pause before the slot) than the last slot of their process had: if a device
 * turns out to need longer cooldowns, earlier slots are measured again. Moves the remaining slots to the front, in
 * order, and returns their number. Sets `*discarded` to the number of samples in the dropped slots. */
size_t slots_rested(struct slot *slots, size_t count, size_t *discarded);

/* The samples of one round in one process, reduced to one number. */
struct unit {
  uint64_t round; /* number of the round, with the number of the process (epoch) in the upper half */
  double value;
};

size_t units_samples(const struct slot *slots, size_t count);

/* The function that reduces a slot's times: stats_median or stats_trimmed_mean. */
typedef double (*units_middle)(double *values, size_t count);

/* Returns one value for each round, sorted by round; if a round has several slots, the mean of their values. `key`
 * seeds the random part of a tick that is added to each time (see slot.c). The caller frees the array. */
struct unit *units_of(const struct slot *slots, size_t count, units_middle middle, double tick_ns, uint64_t key,
                      size_t *unit_count);

/* Returns the standard error that the mean of units (values of one round each) has because of the clock's resolution.
 * It does not become smaller with more units. */
double units_tick_error(double tick_ns);

static inline uint32_t unit_epoch(const struct unit *unit) {
  return (uint32_t)(unit->round >> 32);
}

/* Returns ln(other / base) for each round that both variants have, sorted by round; the caller frees the array.
 * Subtracts `launch_overhead_ns` from all times. Sets `*tick_error` to the error of the mean from the clock's
 * resolution, and `*count` to the number of rounds, or 0 if a mean time is not above the overhead. */
struct unit *units_paired(const struct slot *base, size_t base_count, const struct slot *other, size_t other_count,
                          double tick_ns, uint64_t seed, double launch_overhead_ns, size_t *count, double *tick_error);

/* Returns how many units at the beginning of the array come from the same process (epoch). */
size_t units_in_epoch(const struct unit *units, size_t count);

/* Returns the centre (a robust mean with its standard error) of at least 3 units, which are values of one round
 * each. */
struct centre units_centre(const struct unit *units, size_t count);
