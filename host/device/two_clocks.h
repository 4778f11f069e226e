/* Times samples with two clocks of the host: the clock of the C library, whose functions plugin code may replace, and
 * the processor's counter. The library's clock is read first when a sample begins, and last when it ends. Therefore an
 * interruption between the readings of the two clocks can make only the library's time longer than the counter's, never
 * shorter. */
#pragma once

#include "device/device.h"

struct two_clocks {
  struct clock_doubt *doubt;
  double ns_per_tick; /* duration of a tick of the processor's counter; 0: there is no steady counter */
  int64_t started_ns;
  uint64_t started;
};

/* Takes the first reading of both clocks, from which the counter's rate is computed later. Call it before plugin code
 * is loaded. */
void two_clocks_open(void);

/* Starts a slot. `doubt` receives the samples whose clocks disagree; NULL: the clocks are not compared. */
struct two_clocks two_clocks_begin(struct clock_doubt *doubt);

void two_clocks_start(struct two_clocks *clocks);

/* Returns the nanoseconds since two_clocks_start(). */
double two_clocks_stop(struct two_clocks *clocks);
