/* How much processor time the control group lets this process have. Reads both versions of the cgroup tree. */
#ifndef MACHINE_CPU_QUOTA_H
#define MACHINE_CPU_QUOTA_H

#include <stdint.h>

struct cpu_quota {
  double cpus;                /* processors' worth; INFINITY: no limit; NaN: not known */
  int64_t periods, throttled; /* so far, of the group with the limit; 0 without one, -1: not known */
};

void cpu_quota_read(const char *root, struct cpu_quota *quota);

#endif
