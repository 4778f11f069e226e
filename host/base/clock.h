/* Clocks for the program itself: time limits, progress, pauses, dates. Samples are timed by the devices' clocks. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

/* Returns CLOCK_MONOTONIC in nanoseconds. */
int64_t clock_now_ns(void);
double clock_seconds_since(int64_t start_ns);

/* Sleeps for `seconds`; a signal ends the sleep early. */
void clock_pause(double seconds);

/* Returns the seconds since 1970 with a resolution of 1 ms, so that times in files of different processes can be
 * compared. */
double clock_unix_s(void);

#define CLOCK_DATE "%Y-%m-%dT%H:%M:%SZ"

/* Returns the UTC date and time as strftime() formats them; SOURCE_DATE_EPOCH, if set, replaces the current time. */
struct text clock_date(const char *format);
/* Fails with exit 2 if SOURCE_DATE_EPOCH is set and is not a number of seconds. */
int clock_check(struct err *err);

/* Reads the CPU's counter of clock ticks. Instructions before and after may be executed on either side of the read:
 * preventing that would cost as many nanoseconds as it gains in accuracy. The builtin is used instead of __rdtsc(),
 * because parsing <x86intrin.h> takes half of the time to compile a file. */
static inline uint64_t ticks_now(void) {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
  return ticks;
#else
  return 0;
#endif
}

/* Returns true if the counter of ticks_now() runs at one rate: on all processors, at any clock, in any sleep state. */
bool ticks_are_steady(void);

/* Readings of two clocks at one time: CLOCK_MONOTONIC_RAW, read by a direct system call, and the CPU's counter. */
struct ticks_mark {
  int64_t ns;
  uint64_t ticks;
};
struct ticks_mark ticks_mark(void);
