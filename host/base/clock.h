/* The clock of the host's own affairs: time limits, progress, pauses. Samples have the devices' clocks. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

/* CLOCK_MONOTONIC in nanoseconds. */
int64_t clock_now_ns(void);

#endif
