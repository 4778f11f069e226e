/* The open descriptors and threads of a process, and whether they grow. Its other settings are in
 * plugin/process_watch.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plugin/process_watch.h"

/* Resources that are limited. */
struct process_state_counts {
  int64_t files; /* the lowest free descriptor, as an estimate: the kernel assigns the lowest one */
  int64_t threads;
};

void process_state_count(struct process_state_counts *counts);

/* Counts again after a turn that began with `before`. Waits up to 50 ms for threads that are ending, because the kernel
 * counts joined threads a moment longer. */
void process_state_count_after(const struct process_state_counts *before, struct process_state_counts *after);

/* The growth that one variant causes over its turns. The first turns do not count: libraries open files and start
 * threads once. */
struct process_state_kind {
  uint32_t streak, turns; /* turns with growth, in a row and in all */
  int64_t total;
};

struct process_state_growth {
  uint32_t turns;
  struct process_state_kind files, threads;
};

enum process_state_growing { GROWING_NOTHING, GROWING_FILES, GROWING_THREADS };

/* Call it after a turn that began with `before`: returns what grows turn after turn, with a message. */
enum process_state_growing process_state_grows(struct process_state_growth *growth,
                                               const struct process_state_counts *before,
                                               const struct process_state_counts *after, char *text, size_t size);
