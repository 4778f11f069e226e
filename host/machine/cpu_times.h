/* Compares the kernel's counters before and after a piece of work. They tell how much other work the processors did in
 * that time, and how much CPU time this process wanted but did not get. Read from files below `root` ("": the machine's
 * own) and from this process's resource usage. */
#pragma once

#include <stddef.h>

#include "model/conditions.h"

/* Lets this number of threads compute at once. Returns the smallest share of a processor that any of them gets, from
 * 0.1 to 1. Takes 20 ms if nothing else runs, otherwise 0.4 s. */
double cpu_share_measure(size_t threads);

/* A reading of the counters; -1: not known. Ticks are those of /proc/stat, summed over the processors that this process
 * may use. */
struct cpu_times {
  int64_t at_ns, total_ticks, idle_ticks, steal_ticks;
  /* CPU time of all threads of this process, and number of its involuntary context switches */
  int64_t own_ns, involuntary;
  /* if the control group of this process has a CPU limit: number of its scheduling periods, and of those in which it
   * was throttled */
  int64_t quota_periods, quota_throttled;
  int64_t hot; /* how often the processors that this process may use were slowed down because of heat */
};

/* Reads the counters; takes about 1 ms. */
void cpu_times_read(const char *root, struct cpu_times *times);

/* Computes the usage of the host between two readings, which this same process must have made. */
void cpu_times_between(const struct cpu_times *begin, const struct cpu_times *end, struct host_usage *usage);

/* What cpu_slot_state() remembers from one call to the next; zero at first. The function writes to `state` the clock of
 * the processor that this thread runs on, and whether heat has slowed that processor down since the last call. It takes
 * about 20 us if the kernel has cpufreq. */
struct cpu_watch {
  int64_t hot;
  int cpu, used;
};
void cpu_slot_state(const char *root, struct cpu_watch *watch, struct slot_state *state);
