/* The control groups (cgroups) of this process, in versions 1 and 2 of the kernel's interface. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CGROUP_PATH_MOST = 1024 };

struct cgroup {
  bool first_version;
  size_t mount_length; /* length of the mount point of the cgroup tree, with which `folder` begins */
  char folder[2 * CGROUP_PATH_MOST];
};

/* Finds the control group by which `controller` ("memory", "cpu") limits this process. The kernel's files are read
 * below `root`; "" means the machine's own. Returns false if there is no such group. The group's folder may be
 * missing while the folder of one of its parents exists. */
bool cgroup_find(const char *root, const char *controller, struct cgroup *group);

/* Moves to the parent group. Returns false if the group is the top of the mounted tree. */
bool cgroup_up(struct cgroup *group);

/* Returns the value that follows `key` on a line of the group's file; -1: not known. */
int64_t cgroup_value(const char *root, const struct cgroup *group, const char *file, const char *key);

/* Returns how many bytes this process may still use until one of its control groups, from its own up to the top,
 * reaches its limit. Page cache that the kernel can drop at once does not count as used. INT64_MAX: no limit, or not
 * known. */
int64_t cgroup_memory_left(const char *root);
