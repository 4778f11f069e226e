#include "machine/thread_time.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void read_stat(int pid, int thread, struct thread_time *time) {
  char path[64], text[512], state = '\0';
  unsigned long long user = 0, system = 0;
  snprintf(path, sizeof path, "/proc/%d/task/%d/stat", pid, thread);
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

static void read_schedstat(int pid, int thread, struct thread_time *time) {
  char path[64];
  unsigned long long waited_ns = 0;
  snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", pid, thread);
  FILE *file = fopen(path, "re");
  if (file == NULL) return;
  if (fscanf(file, "%*u %llu", &waited_ns) == 1) time->waited_s = (double)waited_ns * 1e-9;
  fclose(file);
}

static struct thread_time read_one(int pid, int thread) {
  struct thread_time time = {.used_s = NAN, .waited_s = NAN};
  read_stat(pid, thread, &time);
  read_schedstat(pid, thread, &time);
  return time;
}

void thread_time_read(int pid, struct thread_time *time) {
  *time = read_one(pid, pid);
}

/* What is not known adds nothing to what is. */
static void add(double *sum, double seconds) {
  if (!isnan(seconds)) *sum = isnan(*sum) ? seconds : *sum + seconds;
}

/* One that ends meanwhile is not counted. */
void thread_time_read_all(int pid, struct thread_time *sum) {
  char path[64];
  *sum = (struct thread_time){.used_s = NAN, .waited_s = NAN};
  snprintf(path, sizeof path, "/proc/%d/task", pid);
  DIR *folder = opendir(path);
  if (folder == NULL) return;
  for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
    const int thread = atoi(entry->d_name);
    if (thread <= 0) continue;
    const struct thread_time one = read_one(pid, thread);
    add(&sum->used_s, one.used_s);
    add(&sum->waited_s, one.waited_s);
    sum->ready = sum->ready || one.ready;
  }
  closedir(folder);
}
