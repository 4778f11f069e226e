/* Counts the open descriptors and threads of this process, and detects whether the counts grow from slot to slot (a
 * slot is a series of calls of one variant). Other properties of the process that plugins may change are checked in
 * plugin/process_watch.h. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "plugin/process_watch.h"

/* The resources that are counted, because their number is limited. */
struct process_state_counts {
  /* the lowest free descriptor, which is an estimate of how many are open, because the kernel always assigns the lowest
   * free one */
  int64_t files;
  int64_t threads;
};

void process_state_count(struct process_state_counts *counts);

/* Counts again after the callbacks of a slot (a series of calls of one variant), which began with the counts `before`.
 * Waits up to 50 ms for threads that are ending, because the kernel counts joined threads a moment longer. */
void process_state_count_after(const struct process_state_counts *before, struct process_state_counts *after);

/* How much the count of one resource has grown over the slots (series of calls) of one variant. The first slots do not
 * count, because libraries open files and start threads once. */
struct process_state_kind {
  /* streak: number of consecutive slots, up to the last one, in which the count has grown; slots: number of all slots
   * in which it has grown */
  uint32_t streak, slots;
  int64_t total;
};

struct process_state_growth {
  uint32_t slots;
  struct process_state_kind files, threads;
};

enum process_state_growing { GROWING_NOTHING, GROWING_FILES, GROWING_THREADS };

/* Call this after the callbacks of a slot (a series of calls of one variant), which began with the counts `before`.
 * Returns the resource that grows in slot after slot, and writes a message about it. */
enum process_state_growing process_state_grows(struct process_state_growth *growth,
                                               const struct process_state_counts *before,
                                               const struct process_state_counts *after, char *text, size_t size);

/* Returns how many threads the next parallel region of OpenMP would have; 0: no library of OpenMP is loaded. The host
 * does not link it, and the libraries of a plugin are not in the global scope, so it is looked up by its name. */
int process_state_openmp(void);
