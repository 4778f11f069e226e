/* A slot: consecutive samples of one variant in one round, and the device while they were taken. Pure. */
#ifndef STATS_SLOT_H
#define STATS_SLOT_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
