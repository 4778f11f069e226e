/* A limit on any group from ours up to the root binds, so the tightest one counts. */
#include "machine/cpu_quota.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "machine/cgroup.h"
#include "machine/kernel_files.h"

/* Processors' worth of one group's limit; INFINITY: none; NaN: it does not say. */
static double limit_first(const char *root, const char *folder) {
  char text[64];
  if (!tree_text(root, text, sizeof text, "%s/cpu.cfs_quota_us", folder)) return NAN;
  int64_t period = tree_number(root, "%s/cpu.cfs_period_us", folder);
  if (strcmp(text, "-1") == 0) return INFINITY;
  int64_t quota = tree_parse(text);
  return quota > 0 && period > 0 ? (double)quota / (double)period : NAN;
}

static double limit_second(const char *root, const char *folder) {
  char text[128];
  if (!tree_text(root, text, sizeof text, "%s/cpu.max", folder)) return NAN;
  char *space = strchr(text, ' ');
  if (space == NULL) return NAN;
  *space = '\0';
  if (strcmp(text, "max") == 0) return INFINITY;
  int64_t quota = tree_parse(text), period = tree_parse(space + 1);
  return quota > 0 && period > 0 ? (double)quota / (double)period : NAN;
}

void cpu_quota_read(const char *root, struct cpu_quota *quota) {
  struct cgroup group;
  char controllers[1024];
  *quota = (struct cpu_quota){NAN, -1, -1};
  if (!cgroup_find(root, "cpu", &group)) return;
  const bool first = group.first_version;
  do {
    const double cpus = first ? limit_first(root, group.folder) : limit_second(root, group.folder);
    if (isnan(cpus) || quota->cpus <= cpus) continue;
    const bool limits = isfinite(cpus) != 0;
    *quota = (struct cpu_quota){cpus, limits ? cgroup_value(root, &group, "cpu.stat", "nr_periods") : 0,
                                limits ? cgroup_value(root, &group, "cpu.stat", "nr_throttled") : 0};
  } while (cgroup_up(&group));
  /* The root group of the machine has no cpu.max, nor has one without the controller: then nothing limits. */
  if (isnan(quota->cpus) && !first &&
      tree_text(root, controllers, sizeof controllers, "%s/cgroup.controllers", group.folder))
    *quota = (struct cpu_quota){INFINITY, 0, 0};
}
