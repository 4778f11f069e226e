/* A limit on any group from ours up to the root binds, so the tightest one counts. In a container the path in
 * /proc/self/cgroup may be that of the machine and not be there: then what is mounted is the container's own group. */
#include "machine/cpu_quota.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/kernel_files.h"

enum { PATH_MOST = 1024 };

struct group {
  bool first_version;
  char path[PATH_MOST]; /* "" for the root */
};

static bool has_controller(const char *list, const char *end, const char *name) {
  size_t length = strlen(name);
  while (list < end) {
    const char *comma = memchr(list, ',', (size_t)(end - list));
    const char *stop = comma != NULL ? comma : end;
    if ((size_t)(stop - list) == length && memcmp(list, name, length) == 0) return true;
    list = stop + 1;
  }
  return false;
}

/* Our group from lines like "4:cpu,cpuacct:/a/b" (version 1) and "0::/a/b" (version 2). */
static bool find_group(const char *root, struct group *group) {
  char line[PATH_MOST + 128];
  bool found = false;
  struct tree_file file = tree_open(root, "/proc/self/cgroup");
  while (tree_line(&file, line, sizeof line)) {
    char *controllers = strchr(line, ':'), *path = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
    if (path == NULL) continue;
    bool second = path == controllers + 1, first = has_controller(controllers + 1, path, "cpu");
    if ((!second && !first) || (found && second)) continue;
    path++;
    if (path[0] != '/' || strlen(path) >= PATH_MOST || strstr(path, "..") != NULL || path[1] == '\0') path = "";
    group->first_version = first;
    snprintf(group->path, sizeof group->path, "%s", path);
    found = true;
  }
  tree_close(&file);
  return found;
}

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

static int64_t stat_number(const char *root, const char *folder, const char *key) {
  char path[PATH_MOST + 64], line[128];
  size_t length = strlen(key);
  int64_t value = -1;
  snprintf(path, sizeof path, "%s/cpu.stat", folder);
  struct tree_file file = tree_open(root, path);
  while (value < 0 && tree_line(&file, line, sizeof line))
    if (strncmp(line, key, length) == 0 && line[length] == ' ') value = tree_parse(line + length + 1);
  tree_close(&file);
  return value;
}

static void read_groups(const char *root, const char *mount, struct group *group, struct cpu_quota *quota) {
  char folder[PATH_MOST + 32];
  for (;;) {
    snprintf(folder, sizeof folder, "%s%s", mount, group->path);
    double cpus = group->first_version ? limit_first(root, folder) : limit_second(root, folder);
    if (!isnan(cpus) && !(quota->cpus <= cpus)) {
      *quota = (struct cpu_quota){cpus, 0, 0};
      if (isfinite(cpus)) {
        quota->periods = stat_number(root, folder, "nr_periods");
        quota->throttled = stat_number(root, folder, "nr_throttled");
      }
    }
    char *slash = strrchr(group->path, '/');
    if (slash == NULL) return;
    *slash = '\0';
  }
}

void cpu_quota_read(const char *root, struct cpu_quota *quota) {
  static const char *const mounts[][2] = {{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"},
                                          {"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"}};
  struct group group = {0};
  char controllers[1024];
  *quota = (struct cpu_quota){NAN, -1, -1};
  if (!find_group(root, &group)) return;
  for (size_t i = 0; i < 2 && isnan(quota->cpus); i++) {
    struct group copy = group;
    read_groups(root, mounts[group.first_version][i], &copy, quota);
  }
  /* The root group of the machine has no cpu.max, nor has one without the controller: then nothing limits. */
  if (isnan(quota->cpus) && !group.first_version &&
      tree_text(root, controllers, sizeof controllers, "/sys/fs/cgroup/cgroup.controllers"))
    *quota = (struct cpu_quota){INFINITY, 0, 0};
}
