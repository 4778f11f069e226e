#include "machine/process_stat.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool process_stat_read(const char *pid, struct process_stat *stat) {
  char path[64], text[512];
  int parent = 0;
  snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t got = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
  if (fd >= 0) close(fd);
  text[got > 0 ? got : 0] = '\0';
  const char *name_end = strrchr(text, ')'); /* a name may hold anything */
  if (name_end == NULL || sscanf(name_end, ") %c %d", &stat->state, &parent) != 2) return false;
  stat->parent = parent;
  return true;
}
