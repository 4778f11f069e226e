/* Durations of untimed work (work in callbacks and threads outside the measured time), of which only some occurrences
 * are observed. The functions do no I/O and use no global state. */
#pragma once

#include <stdint.h>

/* Times of untimed work per iteration: of a callback on inputs that it had not seen before, or of threads that worked
 * before a call. Only some slots (series of samples) are observed: slots[i] is the number of slots that the time ns[i]
 * stands for. Only the first UNTIMED_MOST times of all processes are kept. */
enum { UNTIMED_MOST = 32 };
struct untimed_times {
  double ns[UNTIMED_MOST], slots[UNTIMED_MOST];
  uint32_t count;
};

/* untimed_add() adds a time and the number of slots that it represents, if there is room; untimed_join() adds all times
 * of `more` in the same way. */
void untimed_add(struct untimed_times *times, double ns, double slots);
void untimed_join(struct untimed_times *times, const struct untimed_times *more);

/* Returns the largest CPU time that threads reached or exceeded before a call in more than half of the slots. 0: it is
 * so short that threads may have used it for waiting; NaN: it was never observed. */
double untimed_ahead_ns(const struct untimed_times *times);
