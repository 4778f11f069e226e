/* The kernel's counters before and after a piece of work: other work of the processors meanwhile, and processor time
 * that this process did not get. From files below `root` ("": the machine's own) and this process's own usage. */
#pragma once

#include <stddef.h>

#include "model/conditions.h"

/* Measures the smallest share of a processor, from 0.1 to 1, that any of this many threads gets. Takes 20 ms if nothing
 * else runs, otherwise 0.4 s. */
double cpu_share_measure(size_t threads);

/* -1: not known. Ticks are those of /proc/stat, summed over the processors that this process may use. */
struct cpu_times {
  int64_t at_ns, total_ticks, idle_ticks, steal_ticks;
  int64_t own_ns, involuntary; /* of this process: processor time of all threads, and involuntary context switches */
  int64_t quota_periods, quota_throttled; /* of its control group, if that has a limit */
  int64_t hot;                            /* how often these processors were slowed down because of heat */
};

/* Takes about 1 ms. */
void cpu_times_read(const char *root, struct cpu_times *times);

/* Computes what happened between two readings by the same process. */
void cpu_times_between(const struct cpu_times *begin, const struct cpu_times *end, struct host_usage *usage);

/* For slots: notes the clock of the processor that this thread runs on, and whether heat slowed it down since the last
 * call with this watch, which must be zero at first. Takes about 20 us if the kernel has cpufreq. */
struct cpu_watch {
  int64_t hot;
  int cpu, used;
};
void cpu_slot_state(const char *root, struct cpu_watch *watch, struct slot_state *state);
