/* Times samples with two clocks of the host: that of the C library, whose functions foreign code may replace, and the
 * processor's counter. The first is read outside the second at both ends, so an interruption between the two readings
 * can only make its time longer than the counter's, never shorter. */
#pragma once

#include "device/device.h"

struct two_clocks {
  struct clock_doubt *doubt;
  double ns_per_tick; /* 0: this processor has no steady counter */
  int64_t started_ns;
  uint64_t started;
};

/* Takes the first reading of both clocks, for the counter's rate; call it before foreign code is loaded. */
void two_clocks_open(void);

/* Starts a slot. `doubt` receives the samples whose clocks disagree; NULL: no comparison. */
struct two_clocks two_clocks_begin(struct clock_doubt *doubt);

void two_clocks_start(struct two_clocks *clocks);

/* Returns the nanoseconds since two_clocks_start(). */
double two_clocks_stop(struct two_clocks *clocks);
