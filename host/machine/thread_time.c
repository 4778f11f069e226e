#include "machine/thread_time.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void read_stat(int pid, struct thread_time *time) {
  char path[64], text[512], state = '\0';
  unsigned long long user = 0, system = 0;
  snprintf(path, sizeof path, "/proc/%d/task/%d/stat", pid, pid);
  FILE *file = fopen(path, "re");
  if (file == NULL) return;
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  const char *end = strrchr(text, ')'); /* a name may hold anything */
  if (end == NULL || sscanf(end, ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &state, &user, &system) != 3)
    return;
  time->used_s = (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
  time->ready = state == 'R';
}

static void read_schedstat(int pid, struct thread_time *time) {
  char path[64];
  unsigned long long waited_ns = 0;
  snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", pid, pid);
  FILE *file = fopen(path, "re");
  if (file == NULL) return;
  if (fscanf(file, "%*u %llu", &waited_ns) == 1) time->waited_s = (double)waited_ns * 1e-9;
  fclose(file);
}

void thread_time_read(int pid, struct thread_time *time) {
  *time = (struct thread_time){.used_s = NAN, .waited_s = NAN};
  read_stat(pid, time);
  read_schedstat(pid, time);
}
