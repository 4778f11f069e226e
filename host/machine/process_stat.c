#include "machine/process_stat.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
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

int64_t process_time_read(pid_t pid) {
  char path[64], text[512];
  clockid_t clock;
  struct timespec used = {0};
  long long user = 0, system = 0;
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0) return 0;
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t got = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
  if (fd >= 0) close(fd);
  text[got > 0 ? got : 0] = '\0';
  const char *name_end = strrchr(text, ')');
  /* cutime and cstime are the 16th and 17th field, the state the 3rd */
  if (name_end != NULL)
    sscanf(name_end, ") %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %lld %lld", &user, &system);
  const int64_t tick_ns = INT64_C(1000000000) / sysconf(_SC_CLK_TCK);
  return (int64_t)used.tv_sec * INT64_C(1000000000) + used.tv_nsec + (user + system) * tick_ns;
}
