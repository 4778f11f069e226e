/* Durations of untimed work, of which only some occurrences are observed. The functions do no I/O and use no global
 * state. */
#pragma once

#include <stdint.h>

/* Times per iteration: of a callback on inputs that were new to it, or of threads working ahead of a call. Each time
 * represents as many slots as the entry of `slots` says, because only some slots are observed. Only the first
 * UNTIMED_MOST times of all processes are kept. */
enum { UNTIMED_MOST = 32 };
struct untimed_times {
  double ns[UNTIMED_MOST], slots[UNTIMED_MOST];
  uint32_t count;
};

/* untimed_add() adds a time and the number of slots that it represents, if there is room; untimed_join() adds all times
 * of `more` in the same way. */
void untimed_add(struct untimed_times *times, double ns, double slots);
void untimed_join(struct untimed_times *times, const struct untimed_times *more);

/* Returns the processor time that threads spent ahead of a call in at least half of the slots. 0: no more than waiting
 * takes; NaN: it was never observed. */
double untimed_ahead_ns(const struct untimed_times *times);
