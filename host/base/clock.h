/* The clocks of the host's own affairs: time limits, progress, pauses; dates. Samples have the devices' clocks. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* CLOCK_MONOTONIC in nanoseconds. */
int64_t clock_now_ns(void);
double clock_seconds_since(int64_t start_ns);

/* Shorter where a signal comes. */
void clock_pause(double seconds);

/* Seconds since 1970, to a millisecond: where files of several processes are laid beside each other. */
double clock_unix_s(void);

#define CLOCK_DATE "%Y-%m-%dT%H:%M:%SZ"

/* Date and time in UTC, printed by strftime(): that of SOURCE_DATE_EPOCH, where that is set. */
void clock_date(const char *format, char *to, size_t size);
/* Exit 2 where SOURCE_DATE_EPOCH is no number of seconds. */
int clock_check(struct err *err);

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/* Not ordered with the instructions around it, which is a matter of some nanoseconds and spares as many. */
static inline uint64_t ticks_now(void) {
#if defined(__x86_64__)
  return __rdtsc();
#elif defined(__aarch64__)
  uint64_t ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
  return ticks;
#else
  return 0;
#endif
}

/* Whether it counts at one rate, on all processors alike, at any clock and in any state of rest. */
bool ticks_are_steady(void);

/* CLOCK_MONOTONIC_RAW, asked of the kernel itself, and the counter at that time. */
struct ticks_mark {
  int64_t ns;
  uint64_t ticks;
};
struct ticks_mark ticks_mark(void);

#endif
