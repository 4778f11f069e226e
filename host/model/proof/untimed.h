/* Durations of untimed work (work in callbacks and threads outside the measured time), of which only some occurrences
 * are observed. The functions do no I/O and use no global state. */
#pragma once

#include <stdint.h>

/* Times of untimed work per iteration: of a callback on inputs that were new to it, or of threads that worked before a
 * call. Only some slots (series of samples) are observed, so each time stands for as many slots as its entry in `slots`
 * says. Only the first UNTIMED_MOST times of all processes are kept. */
enum { UNTIMED_MOST = 32 };
struct untimed_times {
  double ns[UNTIMED_MOST], slots[UNTIMED_MOST];
  uint32_t count;
};

/* untimed_add() adds a time and the number of slots that it represents, if there is room; untimed_join() adds all times
 * of `more` in the same way. */
void untimed_add(struct untimed_times *times, double ns, double slots);
void untimed_join(struct untimed_times *times, const struct untimed_times *more);

/* Returns the CPU time that threads used before a call in at least half of the slots. 0: not more than waiting threads
 * use; NaN: it was never observed. */
double untimed_ahead_ns(const struct untimed_times *times);
