/* Readings of the kernel's counters before and after a piece of work: what else the processors did meanwhile, and what
 * was kept from us. All from files below `root` ("" is the machine's own) and from this process's own usage. */
#ifndef MACHINE_CPU_TIMES_H
#define MACHINE_CPU_TIMES_H

#include <stddef.h>

#include "model/conditions.h"

/* The least share, from 0.1 to 1, that one of so many threads gets of a processor: 20 ms where nobody else runs, and
 * two fifths of a second where somebody does. */
double cpu_share_measure(size_t threads);

/* -1: not known. Ticks are those of /proc/stat, over the processors this process may run on. */
struct cpu_times {
  int64_t at_ns, total_ticks, idle_ticks, steal_ticks;
  int64_t own_ns, involuntary;            /* this process: processor time of all threads, switches it did not want */
  int64_t quota_periods, quota_throttled; /* of its control group, where that has a limit */
  int64_t hot;                            /* times that these processors were slowed down for heat */
};

/* About a millisecond. */
void cpu_times_read(const char *root, struct cpu_times *times);

/* What happened between two readings of one process. Pure. */
void cpu_times_between(const struct cpu_times *begin, const struct cpu_times *end, struct host_usage *usage);

/* For slots: the clock of the processor this thread is on, and whether heat slowed it down since the last call with
 * this watch, which begins as zeros. Some 20 us where the kernel has cpufreq. */
struct cpu_watch {
  int64_t hot;
  int cpu, used;
};
void cpu_slot_state(const char *root, struct cpu_watch *watch, struct slot_state *state);

#endif
