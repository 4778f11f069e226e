/* The worker's own settings, which foreign code shares with the host: taken once, looked at after callbacks, and put
 * back. There is one set to a process, so there is one state. Knows nothing of plugins, cases or phases. */
#ifndef PLUGIN_PROCESS_STATE_H
#define PLUGIN_PROCESS_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plugin/process_watch.h"

/* From here on the settings are as they are now. `socket` is the connection to the parent, or -1. */
void process_state_take(int socket);

/* Puts right what has changed since process_state_take(). PROCESS_STATE_NONE before it. Takes about 40 us, of which the
 * handlers of 64 signals are 14, limits 7, timers 6 (unit/plugin/process_state prints what it takes): less than a
 * hundredth of a slot of 5 ms, so that all is looked at after each. */
enum process_state_harm process_state_check(struct process_state_finding *finding);

/* What a process has that may only grow so far. */
struct process_state_counts {
  int64_t files; /* the lowest free descriptor: they are handed out from below */
  int64_t threads;
};

void process_state_count(struct process_state_counts *counts);

/* The same when a turn is over that began with `before`: threads that are on their way out have up to 50 ms to be gone,
 * for the kernel counts those that have been waited for a moment longer. */
void process_state_count_after(const struct process_state_counts *before, struct process_state_counts *after);

/* Growth of one party over its turns. The first turns do not count: libraries open files and start threads once. */
struct process_state_kind {
  uint32_t streak, turns; /* turns that grew, in a row and in all */
  int64_t total;
};

struct process_state_growth {
  uint32_t turns;
  struct process_state_kind files, threads;
};

enum process_state_growing { GROWING_NOTHING, GROWING_FILES, GROWING_THREADS };

/* After a turn that began with `before`: what grows turn after turn, with a sentence. */
enum process_state_growing process_state_grows(struct process_state_growth *growth,
                                               const struct process_state_counts *before,
                                               const struct process_state_counts *after, char *text, size_t size);

#endif
