/* The state of the processors before anything is measured: which of them this process may use, their clocks, and their
 * load. Read from the kernel's files below `root` ("": the machine's own). */
#pragma once

#include <stdint.h>

#include "machine/cpus.h"
#include "model/conditions.h"

struct cpu_quota {
  double cpus; /* number of processors to which the process is limited; INFINITY: no limit; NaN: not known */
  /* number of scheduling periods of the control group with the limit, and of those in which the group was throttled; 0:
   * there is no limit; -1: not known */
  int64_t periods, throttled;
};

void cpu_quota_read(const char *root, struct cpu_quota *quota);

struct cpu_facts {
  struct cpus allowed;    /* processors that this process may use; empty: not known */
  int64_t online;         /* processors of the machine; -1: not known */
  char governor[ID_SIZE]; /* the first governor that is not "performance", else "performance"; "": not known */
  int64_t governed;       /* how many allowed processors have that governor */
  /* median of the present clocks of the processors, and the lowest and highest clock that is set as a limit; NaN: not
   * known */
  double mhz, mhz_min, mhz_max;
  int boost, smt, hypervisor; /* 1: it is on or present, 0: it is not, -1: not known */
  int64_t siblings;           /* allowed processors that share a core with another allowed one; -1: not known */
  double quota_cpus; /* number of processors to which control groups limit this process; INFINITY: no limit; NaN: not
                        known */
  double load1;      /* load average of one minute; NaN: not known */
  int64_t runnable;  /* other tasks that want to run now; -1: not known */
};

/* Reads everything except the load. */
void cpu_facts_read(const char *root, struct cpu_facts *facts);
/* Reads the load. Counts the tasks that want to run three times within 2 ms and takes the smallest count, so that a
 * short burst does not count as load. */
void cpu_facts_read_load(const char *root, struct cpu_facts *facts);

/* Returns the clock of one processor in MHz, or NaN. */
double cpu_clock_mhz(const char *root, int cpu);

/* Appends "; " and a text on the load by other tasks, such as "load 8.10 on 2 threads; 7 other tasks running on 2
 * threads". If there is hardly any load, appends nothing and returns false. A run on a GPU (`on_gpu`) tolerates more
 * load, because it needs fewer processors. */
bool cpu_facts_load(const struct cpu_facts *facts, bool on_gpu, char *to, size_t size);

/* Appends all facts that slow work on these processors down, the worst first, each preceded by "; ". */
void cpu_facts_faults(const struct cpu_facts *facts, bool on_gpu, char *to, size_t size);

/* Writes the facts that are no faults: "load 0.30 on 2 cpus, 2596 MHz, governor unknown, virtual machine". */
void cpu_facts_text(const struct cpu_facts *facts, char *to, size_t size);
