/* A slot: consecutive samples of one variant in one round, and the device while they were taken. Pure. */
#ifndef STATS_SLOT_H
#define STATS_SLOT_H

#include <math.h>
#include <stdint.h>

/* NaN and 0: not known. */
struct slot_state {
  uint32_t position; /* in its round, from 0 */
  uint32_t throttle; /* THROTTLE_* of model/conditions.h */
  double sm_clock_mhz, temperature_c, power_w;
};

#define SLOT_STATE_UNKNOWN ((struct slot_state){.sm_clock_mhz = NAN, .temperature_c = NAN, .power_w = NAN})

/* An epoch is one process: slots of different ones are never paired. */
struct slot {
  uint32_t epoch, round, count;
  const double *ns;
  struct slot_state state;
};

#endif
