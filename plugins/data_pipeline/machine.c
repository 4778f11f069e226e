#include "machine.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/vfs.h>

int machine_processors(void) {
  cpu_set_t set;
  const int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  return count < 1 ? 1 : count > MACHINE_THREADS_MAX ? MACHINE_THREADS_MAX : count;
}

static uint64_t file_number(const char *folder, const char *name) {
  char path[1300];
  unsigned long long value = 0;
  FILE *file = snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path ? fopen(path, "re") : NULL;
  if (file == NULL) return 0;
  if (fscanf(file, "%llu", &value) != 1) value = 0;
  fclose(file);
  return value;
}

/* Returns how many bytes a control group may still allocate: the smallest number that its own limit and the limits of
 * its parents leave. Modifies `folder`. */
static uint64_t left_in_group(char *folder, size_t mount_length, const char *limit_file, const char *used_file) {
  uint64_t least = UINT64_MAX;
  for (char *slash = folder; slash != NULL; slash = strrchr(folder + mount_length, '/')) {
    if (slash != folder) *slash = '\0';
    const uint64_t limit = file_number(folder, limit_file), used = file_number(folder, used_file);
    if (limit > 0 && least > (limit > used ? limit - used : 0)) least = limit > used ? limit - used : 0;
  }
  return least;
}

/* Returns how many bytes the control groups of this process may still allocate. Supports both versions of control
 * groups, at their usual mount points. */
static uint64_t left_in_groups(void) {
  uint64_t least = UINT64_MAX;
  char line[1100];
  FILE *file = fopen("/proc/self/cgroup", "re");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    char folder[1200], *path = strrchr(line, ':');
    const bool second = strncmp(line, "0::", 3) == 0;
    if (path == NULL || (!second && strstr(line, ":memory:") == NULL)) continue;
    path[strcspn(path, "\n")] = '\0';
    const char *mount = second ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
    snprintf(folder, sizeof folder, "%s%s", mount, path + 1);
    const uint64_t left = left_in_group(folder, strlen(mount), second ? "memory.max" : "memory.limit_in_bytes",
                                        second ? "memory.current" : "memory.usage_in_bytes");
    if (left < least) least = left;
  }
  if (file != NULL) fclose(file);
  return least;
}

/* Returns how many bytes this process may still allocate, or 0 if that is unknown. This is the smaller one of what the
 * machine has available and what the limits of control groups leave. */
uint64_t machine_memory(void) {
  unsigned long long kib = 0;
  char line[256];
  FILE *file = fopen("/proc/meminfo", "re");
  while (file != NULL && kib == 0 && fgets(line, sizeof line, file) != NULL)
    if (sscanf(line, "MemAvailable: %llu kB", &kib) != 1) kib = 0;
  if (file != NULL) fclose(file);
  const uint64_t left = left_in_groups(), machine = kib > 0 ? kib * 1024 : UINT64_MAX;
  const uint64_t least = left < machine ? left : machine;
  /* no memory left is returned as 1, because 0 means unknown */
  return least == 0 ? 1 : least == UINT64_MAX ? 0 : least;
}

static double timeval_seconds(struct timeval time) {
  return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

double machine_cpu_seconds(void) {
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? timeval_seconds(usage.ru_utime) + timeval_seconds(usage.ru_stime) : 0.0;
}

const char *machine_file_system(int fd, char *text, unsigned size) {
  static const struct {
    unsigned long type;
    const char *name;
  } known[] = {
      {0xEF53, "ext4"},        {0x01021994, "tmpfs"}, {0x58465342, "xfs"},  {0x9123683E, "btrfs"},
      {0x794C7630, "overlay"}, {0x6969, "nfs"},       {0x2FC12FC1, "zfs"},  {0x65735546, "fuse"},
      {0x01021997, "9p"},      {0x858458F6, "ramfs"}, {0xF2F52010, "f2fs"},
  };
  struct statfs facts;
  snprintf(text, size, "a file system of unknown type");
  if (fstatfs(fd, &facts) != 0) return text;
  snprintf(text, size, "type 0x%lx", (unsigned long)facts.f_type);
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if ((unsigned long)facts.f_type == known[i].type) snprintf(text, size, "%s", known[i].name);
  return text;
}
