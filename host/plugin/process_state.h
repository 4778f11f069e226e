/* What a process has of descriptors and threads, and whether that grows; its other settings are process_watch's. */
#ifndef PLUGIN_PROCESS_STATE_H
#define PLUGIN_PROCESS_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plugin/process_watch.h"

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
