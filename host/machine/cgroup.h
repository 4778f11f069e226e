/* The control groups of this process, in both versions of the cgroup tree. */
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

/* Finds the group by which `controller` ("memory", "cpu") limits this process; the kernel's files are read below `root`
 * ("": the machine's own files). Returns false if the kernel names no such group. The folder of the group may not
 * exist; then one of its parents may. */
bool cgroup_find(const char *root, const char *controller, struct cgroup *group);

/* Moves to the parent group; false at the top of the mounted tree. */
bool cgroup_up(struct cgroup *group);

/* Returns the value that follows `key` on a line of the group's file; -1: not known. */
int64_t cgroup_value(const char *root, const struct cgroup *group, const char *file, const char *key);

/* Returns how many bytes this process may still use before any group from its own up to the top reaches its limit. Page
 * cache that the kernel can drop at once does not count as used. INT64_MAX: no limit, or not known. */
int64_t cgroup_memory_left(const char *root);
