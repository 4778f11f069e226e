#include "stats/slot.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/rng.h"

/* The index of a slot and its epoch, the number of the process that measured it. Slots are sorted by both, because
 * slots of several processes may be mixed. */
struct place {
  uint32_t epoch;
  size_t at;
};

static int by_epoch(const void *a, const void *b) {
  const struct place *x = a, *y = b;
  if (x->epoch != y->epoch) return x->epoch < y->epoch ? -1 : 1;
  return x->at < y->at ? -1 : x->at > y->at;
}

/* Returns an array that marks the slots with a shorter cooldown (pause before the slot) than the last slot of the same
 * process had. */
static bool *find_aside(const struct slot *slots, size_t count) {
  SCOPED struct place *places = xcalloc(count, sizeof *places);
  bool *discarded = xcalloc(count, sizeof *discarded);
  for (size_t i = 0; i < count; i++)
    places[i] = (struct place){slots[i].epoch, i};
  qsort(places, count, sizeof *places, by_epoch);
  double cooldown = 0;
  for (size_t i = count; i-- > 0;) {
    const struct slot *slot = &slots[places[i].at];
    if (i + 1 == count || places[i + 1].epoch != slot->epoch) cooldown = slot->state.cooldown;
    discarded[places[i].at] = slot->state.cooldown < cooldown;
  }
  return discarded;
}

size_t slots_rested(struct slot *slots, size_t count, size_t *discarded) {
  SCOPED bool *leaves = find_aside(slots, count);
  size_t kept = 0;
  *discarded = 0;
  for (size_t i = 0; i < count; i++) {
    const struct slot slot = slots[i];
    if (leaves[i]) {
      *discarded += slot.count;
      continue;
    }
    slots[i] = slots[kept];
    slots[kept++] = slot;
  }
  return kept;
}

/* Each slot is reduced to one value, called a unit: the middle of its times. Intervals treat units as independent, but
 * never samples, because all samples of a slot share a clock rate and a temperature. Each time is first moved by a
 * seeded random amount of up to half a tick: equal readings of a coarse clock would give intervals of no width.
 *
 * The middle is a median for the interval of a median, and a trimmed mean for ratios. On a GPU, times form a few
 * clusters, and a median jumps from one to another (README.md in tests/stats, "steps"). */

static int units_by_round(const void *a, const void *b) {
  uint64_t x = ((const struct unit *)a)->round, y = ((const struct unit *)b)->round;
  return (x > y) - (x < y);
}

size_t units_samples(const struct slot *slots, size_t count) {
  size_t samples = 0;
  for (size_t i = 0; i < count; i++)
    samples += slots[i].count;
  return samples;
}

/* Returns the value of a slot: `middle`, the median or the trimmed mean, of its times, each moved by up to half a tick
 * at random. NaN if the slot has no times. A value below half a tick becomes half a tick, because the clock cannot tell
 * smaller times apart. */
static struct unit reduce(const struct slot *slot, units_middle middle, double tick_ns, uint64_t key, uint64_t first,
                          double *scratch) {
  struct unit unit = {(uint64_t)slot->epoch << 32 | slot->round, NAN};
  size_t used = 0;
  for (uint32_t i = 0; i < slot->count; i++) {
    double dither = ((double)(rng_bits(key, first + i) >> 11) + 0.5) / 9007199254740992.0 - 0.5;
    if (isfinite(slot->ns[i])) scratch[used++] = slot->ns[i] + dither * tick_ns;
  }
  if (used == 0) return unit;
  double value = fmax(middle(scratch, used), tick_ns / 2);
  if (value > 0) unit.value = value;
  return unit;
}

struct unit *units_of(const struct slot *slots, size_t count, units_middle middle, double tick_ns, uint64_t key,
                      size_t *unit_count) {
  struct unit *units = xcalloc(count, sizeof *units);
  SCOPED double *scratch = xcalloc(units_samples(slots, count), sizeof *scratch);
  size_t found = 0, kept = 0, same = 1;
  uint64_t first = 0;
  for (size_t i = 0; i < count; first += slots[i++].count) {
    units[found] = reduce(&slots[i], middle, tick_ns, key, first, scratch);
    if (!isnan(units[found].value)) found++;
  }
  qsort(units, found, sizeof *units, units_by_round);
  for (size_t i = 0; i < found; i++) {
    if (kept > 0 && units[kept - 1].round == units[i].round) {
      units[kept - 1].value += (units[i].value - units[kept - 1].value) / (double)++same;
    } else {
      units[kept++] = units[i];
      same = 1;
    }
  }
  *unit_count = kept;
  return units;
}

size_t units_in_epoch(const struct unit *units, size_t count) {
  size_t same = 0;
  while (same < count && unit_epoch(&units[same]) == unit_epoch(&units[0]))
    same++;
  return same;
}

/* Returns the standard deviation of a time's error that comes from the clock's resolution: uniform between minus and
 * plus half a tick (JCGM 100:2008, 4.3.7). The mean of many times has the same error, because the work around a kernel
 * on a GPU keeps its phase relative to the clock. */
double units_tick_error(double tick_ns) {
  return tick_ns > 0 ? tick_ns / sqrt(12) : 0;
}

static double units_mean(const struct unit *units, size_t count) {
  double mean = 0;
  for (size_t i = 0; i < count; i++)
    mean += units[i].value / (double)count;
  return mean;
}

/* Removes the units (values of one round each) of rounds in which only one of the two variants was measured. Returns
 * the number of rounds that remain. */
static size_t keep_shared(struct unit *base, size_t base_count, struct unit *other, size_t other_count) {
  size_t count = 0;
  for (size_t i = 0, j = 0; i < base_count && j < other_count;) {
    if (base[i].round < other[j].round) {
      i++;
    } else if (base[i].round > other[j].round) {
      j++;
    } else {
      base[count] = base[i++];
      other[count++] = other[j++];
    }
  }
  return count;
}

/* Returns the trimmed mean of a variant's units (values of one round each). */
static double level_of(const struct unit *units, size_t count) {
  SCOPED double *values = xcalloc(count, sizeof *values);
  for (size_t i = 0; i < count; i++)
    values[i] = units[i].value;
  return stats_trimmed_mean(values, count);
}

/* Replaces the values of `base` by ln(other / base) in each round. Returns the number of rounds.
 *
 * If the launch overhead is subtracted, a linear approximation replaces the logarithm (JCGM 100:2008, 5.1.2), which
 * does not exist for times below the overhead. Then returns 0 if a mean is not above the overhead. */
static size_t to_ratios(struct unit *base, const struct unit *other, size_t count, double launch_overhead_ns) {
  for (size_t i = 0; i < count && !(launch_overhead_ns > 0); i++)
    base[i].value = log(other[i].value / base[i].value);
  if (count == 0 || !(launch_overhead_ns > 0)) return count;
  const double a = level_of(base, count), b = level_of(other, count), a_left = a - launch_overhead_ns,
               b_left = b - launch_overhead_ns;
  if (!(a_left > 0 && b_left > 0)) return 0;
  for (size_t i = 0; i < count; i++)
    base[i].value = log(b_left / a_left) + (other[i].value - b) / b_left - (base[i].value - a) / a_left;
  return count;
}

struct unit *units_paired(const struct slot *base, size_t base_count, const struct slot *other, size_t other_count,
                          double tick_ns, uint64_t seed, double launch_overhead_ns, size_t *count, double *tick_error) {
  size_t a_count, b_count;
  struct unit *a = units_of(base, base_count, stats_trimmed_mean, tick_ns, rng_key(seed, 1), &a_count);
  SCOPED struct unit *b = units_of(other, other_count, stats_trimmed_mean, tick_ns, rng_key(seed, 2), &b_count);
  const double a_left = units_mean(a, a_count) - launch_overhead_ns,
               b_left = units_mean(b, b_count) - launch_overhead_ns;
  *tick_error = units_tick_error(tick_ns) * hypot(1 / a_left, 1 / b_left);
  *count = to_ratios(a, b, keep_shared(a, a_count, b, b_count), launch_overhead_ns);
  return a;
}

struct centre units_centre(const struct unit *units, size_t count) {
  SCOPED double *series = xcalloc(count, sizeof *series);
  for (size_t i = 0; i < count; i++)
    series[i] = units[i].value;
  return stats_centre(series, count);
}
