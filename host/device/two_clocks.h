/* Samples by the host's clock, each read twice: by the C library, whose functions foreign code may replace, and by the
 * processor's counter. The first reading lies outside the second at both ends, so that whatever comes between them, a
 * switch of processes too, makes the time longer that is shown, never shorter than the counter's. */
#ifndef DEVICE_TWO_CLOCKS_H
#define DEVICE_TWO_CLOCKS_H

#include "device/device.h"

struct two_clocks {
  struct clock_doubt *doubt;
  double ns_per_tick; /* 0: this processor has no steady counter */
  int64_t started_ns;
  uint64_t started;
};

/* The first reading that both clocks are held against: before foreign code is loaded. */
void two_clocks_open(void);

/* For a slot; `doubt` gets what it shows. NULL: nobody asks. */
struct two_clocks two_clocks_begin(struct clock_doubt *doubt);

void two_clocks_start(struct two_clocks *clocks);

/* Nanoseconds since two_clocks_start(). */
double two_clocks_stop(struct two_clocks *clocks);

#endif
