/* A slot: consecutive samples of one variant in one round, and the device while they were taken. Pure. */
#ifndef STATS_SLOT_H
#define STATS_SLOT_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/math.h"

/* NaN and 0: not known. */
struct slot_state {
  uint32_t position; /* in its round, from 0 */
  uint32_t throttle; /* THROTTLE_* of model/conditions.h */
  double sm_clock_mhz, temperature_c, power_w;
  double rest;   /* before it, times the work before that */
  double unix_s; /* when it ended: seconds since 1970, of the host's clock */
};

#define SLOT_STATE_UNKNOWN \
  ((struct slot_state){.sm_clock_mhz = NAN, .temperature_c = NAN, .power_w = NAN, .rest = NAN, .unix_s = NAN})

/* An epoch is one process: slots of different ones are never paired. */
struct slot {
  uint32_t epoch, round, count;
  const double *ns;
  struct slot_state state;
};

/* Where a device's power limit asks for more rest, what was timed with less is repeated: slots with less than their
 * process's last one has do not count. Moves those that count to the front, in order; how many they are. `aside` gets
 * the others' samples, and they are behind. */
size_t slots_rested(struct slot *slots, size_t count, size_t *aside);

/* A round of a process, reduced to one number. */
struct unit {
  uint64_t round; /* the epoch in its upper half */
  double value;
};

size_t units_samples(const struct slot *slots, size_t count);

/* What a slot's times are reduced to: stats_median or stats_trimmed_mean. */
typedef double (*units_middle)(double *values, size_t count);

/* Middles of the slots, one per round, by round; the mean where a round has several. `key` is that of the dither. The
 * caller frees them. */
struct unit *units_of(const struct slot *slots, size_t count, units_middle middle, double tick_ns, uint64_t key,
                      size_t *unit_count);

/* Standard error that the clock's step leaves in the mean of units, however many they are. */
double units_tick_error(double tick_ns);

static inline uint32_t unit_epoch(const struct unit *unit) {
  return (uint32_t)(unit->round >> 32);
}

/* ln(other / base) of the rounds that two variants share, by round, and the error that the clock's step leaves in
 * their mean; of times less `floor_ns`, where that is above 0. None where nothing is left of a time. The caller frees
 * them. */
struct unit *units_paired(const struct slot *base, size_t base_count, const struct slot *other, size_t other_count,
                          double tick_ns, uint64_t seed, double floor_ns, size_t *count, double *tick_error);

/* How many of the units from the first on are of the same epoch. */
size_t units_in_epoch(const struct unit *units, size_t count);

/* Centre of at least 3 units. */
struct centre units_centre(const struct unit *units, size_t count);

#endif
