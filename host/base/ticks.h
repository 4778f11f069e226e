/* The processor's own counter of time, read by an instruction in the place where it is wanted: no library, table of
 * functions or page of the kernel's comes between that foreign code could change. */
#ifndef BASE_TICKS_H
#define BASE_TICKS_H

#include <stdbool.h>
#include <stdint.h>

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
