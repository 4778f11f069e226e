/* The control groups that this process is in, of both versions of the cgroup tree. */
#ifndef MACHINE_CGROUP_H
#define MACHINE_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CGROUP_PATH_MOST = 1024 };

struct cgroup {
  bool first_version;
  size_t mount_length; /* how much of `folder` is where the tree is mounted */
  char folder[2 * CGROUP_PATH_MOST];
};

/* The group in which `controller` ("memory", "cpu") holds this process, below `root` ("" is the machine's own). False
 * where the kernel names none. The folder need not be there: then one of its parents may be. */
bool cgroup_find(const char *root, const char *controller, struct cgroup *group);

/* Its parent; false from the top of what is mounted. */
bool cgroup_up(struct cgroup *group);

/* What follows `key` on a line of its own in a file of the group; -1: not known. */
int64_t cgroup_value(const char *root, const struct cgroup *group, const char *file, const char *key);

/* Bytes that this process may still take before a group from its own up to the top is at its limit: the least of all.
 * Page cache that the kernel can drop at once is not counted as taken. INT64_MAX: nothing limits, or it is not known.
 */
int64_t cgroup_memory_left(const char *root);

#endif
