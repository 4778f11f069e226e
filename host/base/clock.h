/* The clocks of the host's own affairs: time limits, progress, pauses; dates. Samples have the devices' clocks. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* CLOCK_MONOTONIC in nanoseconds. */
int64_t clock_now_ns(void);

/* Shorter where a signal comes. */
void clock_pause(double seconds);

/* Seconds since 1970, to a millisecond: where files of several processes are laid beside each other. */
double clock_unix_s(void);

#define CLOCK_DATE "%Y-%m-%dT%H:%M:%SZ"

/* Date and time in UTC, printed by strftime(): that of SOURCE_DATE_EPOCH, where that is set. */
void clock_date(const char *format, char *to, size_t size);
/* Exit 2 where SOURCE_DATE_EPOCH is no number of seconds. */
int clock_check(struct err *err);

#endif
