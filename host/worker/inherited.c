#include "worker/inherited.h"

#include <sched.h>
#include <stdbool.h>
#include <sys/resource.h>

static struct {
  bool there, placed;
  cpu_set_t processors;
  int policy, priority;
  struct rlimit limits[RLIM_NLIMITS];
} taken;

void inherited_take(void) {
  if (taken.there) return;
  taken.there = true;
  taken.placed = sched_getaffinity(0, sizeof taken.processors, &taken.processors) == 0;
  taken.policy = sched_getscheduler(0);
  taken.priority = getpriority(PRIO_PROCESS, 0);
  for (int i = 0; i < RLIM_NLIMITS; i++)
    getrlimit((__rlimit_resource_t)i, &taken.limits[i]);
}

void inherited_restore(void) {
  const struct sched_param none = {0};
  if (!taken.there) return;
  if (taken.placed) sched_setaffinity(0, sizeof taken.processors, &taken.processors);
  if (sched_getscheduler(0) != taken.policy) sched_setscheduler(0, taken.policy, &none);
  if (getpriority(PRIO_PROCESS, 0) != taken.priority) setpriority(PRIO_PROCESS, 0, taken.priority);
  for (int i = 0; i < RLIM_NLIMITS; i++)
    setrlimit((__rlimit_resource_t)i, &taken.limits[i]);
}
