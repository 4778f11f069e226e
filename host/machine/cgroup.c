/* Finds control groups. /proc/self/cgroup gives the path of the group in the cgroup tree, and /proc/self/mountinfo
 * tells which part of the tree is mounted where. In a container the path may be that of the host, where nothing is
 * mounted; then the mounted part is taken as the container's own group. */
#include "machine/cgroup.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "machine/kernel_files.h"

static bool has_controller(const char *list, const char *name) {
  const size_t length = strlen(name);
  for (const char *at = list; (at = strstr(at, name)) != NULL; at += length)
    if ((at == list || at[-1] == ',') && (at[length] == ',' || at[length] == '\0')) return true;
  return false;
}

/* Finds the path of the process's group in lines such as "4:cpu,cpuacct:/a/b" (version 1) and "0::/a/b" (version 2).
 * The path is "" for the root of the tree, or if it leads outside of the visible tree. */
static bool find_path(const char *root, const char *controller, char path[CGROUP_PATH_MOST], bool *first_version) {
  char line[CGROUP_PATH_MOST + 128];
  bool found = false;
  SCOPED_TREE_FILE struct tree_file file = tree_open(root, "/proc/self/cgroup");
  while (tree_line(&file, line, sizeof line)) {
    char *controllers = strchr(line, ':'), *name = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
    if (name == NULL) continue;
    *name++ = '\0';
    const bool second = controllers[1] == '\0', first = has_controller(controllers + 1, controller);
    if ((!second && !first) || (found && second)) continue;
    const bool whole = name[0] == '/' && name[1] != '\0' && strlen(name) < CGROUP_PATH_MOST;
    text_copy(path, CGROUP_PATH_MOST, whole && strstr(name, "/..") == NULL ? name : "");
    *first_version = first;
    found = true;
  }
  return found;
}

/* A line of mountinfo: "32 31 0:29 ROOT POINT OPTIONS ... - TYPE SOURCE SUPER_OPTIONS". */
struct mounted {
  char part[CGROUP_PATH_MOST], point[CGROUP_PATH_MOST], type[32], options[512];
};

static bool read_mount(const char *line, struct mounted *mounted) {
  const char *behind = strstr(line, " - ");
  return behind != NULL && sscanf(line, "%*s %*s %*s %1023s %1023s", mounted->part, mounted->point) == 2 &&
         sscanf(behind, " - %31s %*s %511s", mounted->type, mounted->options) == 2;
}

/* Returns the path of the group relative to this mount; NULL if the mount does not contain the group. */
static const char *path_below_mount(const struct mounted *mounted, const char *path) {
  const size_t length = strcmp(mounted->part, "/") == 0 ? 0 : strlen(mounted->part);
  if (strncmp(path, mounted->part, length) != 0) return NULL;
  return path[length] == '/' || path[length] == '\0' ? path + length : NULL;
}

static void set_folder(struct cgroup *group, const char *point, const char *path) {
  group->mount_length = strlen(point);
  snprintf(group->folder, sizeof group->folder, "%s%s", point, path);
}

/* Finds the mount of the cgroup tree that contains the group. If no mount contains it, takes the root of the first
 * mount of that tree instead. */
static bool find_mount(const char *root, const char *controller, const char *path, struct cgroup *group) {
  char line[4096];
  bool found = false, shown = false;
  struct mounted mounted;
  SCOPED_TREE_FILE struct tree_file file = tree_open(root, "/proc/self/mountinfo");
  while (!shown && tree_line(&file, line, sizeof line)) {
    if (!read_mount(line, &mounted)) continue;
    const bool second = strcmp(mounted.type, "cgroup2") == 0, first = strcmp(mounted.type, "cgroup") == 0;
    if (group->first_version ? !first || !has_controller(mounted.options, controller) : !second) continue;
    const char *there = path_below_mount(&mounted, path);
    shown = there != NULL;
    if (shown || !found) set_folder(group, mounted.point, shown ? there : "");
    found = true;
  }
  return found;
}

bool cgroup_find(const char *root, const char *controller, struct cgroup *group) {
  char path[CGROUP_PATH_MOST];
  *group = (struct cgroup){0};
  return find_path(root, controller, path, &group->first_version) && find_mount(root, controller, path, group);
}

bool cgroup_up(struct cgroup *group) {
  char *slash = strrchr(group->folder + group->mount_length, '/');
  if (slash != NULL) *slash = '\0';
  return slash != NULL;
}

int64_t cgroup_value(const char *root, const struct cgroup *group, const char *file, const char *key) {
  char path[sizeof group->folder + 64], line[128];
  const size_t length = strlen(key);
  int64_t value = -1;
  snprintf(path, sizeof path, "%s/%s", group->folder, file);
  SCOPED_TREE_FILE struct tree_file lines = tree_open(root, path);
  while (value < 0 && tree_line(&lines, line, sizeof line))
    if (strncmp(line, key, length) == 0 && line[length] == ' ') value = tree_parse(line + length + 1);
  return value;
}

/* Returns the memory limit of the group; "max" or a missing file mean that there is none. memory.high counts as a
 * limit, because the kernel slows down groups above it. */
static int64_t limit_of(const char *root, const struct cgroup *group) {
  if (group->first_version) return tree_number(root, "%s/memory.limit_in_bytes", group->folder);
  const int64_t most = tree_number(root, "%s/memory.max", group->folder);
  const int64_t high = tree_number(root, "%s/memory.high", group->folder);
  return most < 0 || (high >= 0 && high < most) ? high : most;
}

static int64_t left_in(const char *root, const struct cgroup *group) {
  const bool first = group->first_version;
  const int64_t limit = limit_of(root, group);
  int64_t used = tree_number(root, "%s/%s", group->folder, first ? "memory.usage_in_bytes" : "memory.current");
  if (limit < 0 || used < 0) return INT64_MAX;
  const int64_t droppable = cgroup_value(root, group, "memory.stat", first ? "total_inactive_file" : "inactive_file");
  if (droppable > 0) used = used > droppable ? used - droppable : 0;
  return limit > used ? limit - used : 0;
}

int64_t cgroup_memory_left(const char *root) {
  struct cgroup group;
  int64_t least = INT64_MAX;
  if (!cgroup_find(root, "memory", &group)) return least;
  do {
    const int64_t left = left_in(root, &group);
    if (left < least) least = left;
  } while (cgroup_up(&group));
  return least;
}
