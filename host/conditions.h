/* The state of a device while a slot was timed, and the words for what slows a device down. Pure. */
#ifndef CONDITIONS_H
#define CONDITIONS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "text.h"

/* Why a device runs slower than it could: bits. */
#define THROTTLE_POWER_CAP UINT32_C(1)
#define THROTTLE_HARDWARE UINT32_C(2)
#define THROTTLE_THERMAL UINT32_C(4)
#define THROTTLE_POWER_BRAKE UINT32_C(8)

/* NaN and 0: not known, or nothing. */
struct slot_state {
  uint32_t position; /* in its round, from 0 */
  uint32_t throttle; /* THROTTLE_* */
  double sm_clock_mhz, temperature_c, power_w;
};

/* The machine's state around a measurement. NaN: not known. */
struct device_conditions {
  double sm_clock_mhz, temperature_c, power_w, power_limit_w;
  uint32_t throttle; /* THROTTLE_* */
  uint32_t reserved;
  char note[TEXT_SIZE]; /* what is wrong, or empty */
};

#define CONDITIONS_UNKNOWN \
  ((struct device_conditions){.sm_clock_mhz = NAN, .temperature_c = NAN, .power_w = NAN, .power_limit_w = NAN})
#define SLOT_STATE_UNKNOWN ((struct slot_state){.sm_clock_mhz = NAN, .temperature_c = NAN, .power_w = NAN})

/* "power cap; thermal slowdown"; empty for no bits. */
void throttle_text(uint32_t bits, char *to, size_t size);
/* The bits of such a text; unknown words are ignored. */
uint32_t throttle_parse(const char *text);

#endif
