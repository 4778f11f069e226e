/* What the processors are like before anything runs: which of them we may use, at what clock, shared with whom. All
 * from the kernel's files below `root` ("" is the machine's own). */
#ifndef MACHINE_CPU_FACTS_H
#define MACHINE_CPU_FACTS_H

#include <stdint.h>

#include "machine/cpus.h"
#include "model/conditions.h"

struct cpu_quota {
  double cpus;                /* processors' worth; INFINITY: no limit; NaN: not known */
  int64_t periods, throttled; /* so far, of the group with the limit; 0 without one, -1: not known */
};

void cpu_quota_read(const char *root, struct cpu_quota *quota);

struct cpu_facts {
  struct cpus allowed;          /* those this process may run on; empty: not known */
  int64_t online;               /* processors of the machine; -1 */
  char governor[ID_SIZE];       /* the first one that is not "performance", else that; "": not known */
  int64_t governed;             /* processors with that governor, of those allowed */
  double mhz, mhz_min, mhz_max; /* median now, and the limits that are set; NaN */
  int boost, smt, hypervisor;   /* 1, 0; -1: not known */
  int64_t siblings;             /* allowed processors that share a core with another allowed one; -1 */
  double quota_cpus;            /* processors' worth; INFINITY: no limit; NaN */
  double load1;                 /* the load average of one minute; NaN */
  int64_t runnable;             /* other tasks that want to run at this moment; -1 */
};

/* All but the load. */
void cpu_facts_read(const char *root, struct cpu_facts *facts);
/* The load. Takes two milliseconds: what wants to run is asked three times, for a moment is no load. */
void cpu_facts_read_load(const char *root, struct cpu_facts *facts);

/* The clock of one processor, in MHz, or NaN. */
double cpu_clock_mhz(const char *root, int cpu);

/* Who else works on them, appended with "; ": "load 8.10 on 2 threads; 7 other tasks running on 2 threads". False:
 * hardly anybody. A GPU needs less of them (`on_gpu`). */
bool cpu_facts_load(const struct cpu_facts *facts, bool on_gpu, char *to, size_t size);

/* What slows these processors down, worst first, appended with "; ". */
void cpu_facts_faults(const struct cpu_facts *facts, bool on_gpu, char *to, size_t size);

/* What they are like otherwise: "load 0.30 on 2 cpus, 2596 MHz, governor unknown, virtual machine" */
void cpu_facts_text(const struct cpu_facts *facts, char *to, size_t size);

#endif
