/* Slots reduced to one number each: what summaries, ratios and restarts have in common. */
#ifndef STATS_UNITS_H
#define STATS_UNITS_H

#include <stddef.h>

#include "stats/math.h"
#include "stats/slot.h"

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
