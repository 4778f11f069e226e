/* Durations of untimed work, that is work in callbacks and threads outside the measured time. Only a part of this work
 * is observed. The functions do no I/O and use no global state. */
#pragma once

#include <stdint.h>

/* Times of untimed work in ns per iteration: either of a callback on inputs that it had not seen before, or of threads
 * that worked before a call. Only some slots (series of samples) are observed, so the time ns[i] represents slots[i]
 * slots. Only the first UNTIMED_MOST times of all processes are kept. */
enum { UNTIMED_MOST = 32 };
struct untimed_times {
  double ns[UNTIMED_MOST], slots[UNTIMED_MOST];
  uint32_t count;
};

/* untimed_add() adds a time and the number of slots that it represents, if there is room; untimed_join() adds all times
 * of `more` in the same way. */
void untimed_add(struct untimed_times *times, double ns, double slots);
void untimed_join(struct untimed_times *times, const struct untimed_times *more);

/* Estimates how much CPU time threads use before a call: returns the largest time that they reach in more than half
 * of the slots (series of samples). Returns 0 if the time is so short that waiting may explain it, and NaN if no slot
 * was observed. */
double untimed_ahead_ns(const struct untimed_times *times);
