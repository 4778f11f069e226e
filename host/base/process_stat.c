#include "base/process_stat.h"

#include <dirent.h>
#include <fcntl.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"

enum { LINE_SIZE = 512 };

/* Reads the line of a file such as /proc/PID/stat. Returns its part from the last ')' on, NULL if there is none. The
 * process name is in parentheses and may itself contain any characters, so only the last ')' surely ends it. */
static const char *read_line(const char *path, char line[LINE_SIZE]) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  const ssize_t got = fd >= 0 ? read(fd, line, LINE_SIZE - 1) : -1;
  if (fd >= 0) close(fd);
  line[got > 0 ? got : 0] = '\0';
  return strrchr(line, ')');
}

bool process_stat_read(const char *pid, struct process_stat *stat) {
  char path[64], line[LINE_SIZE];
  int parent = 0;
  snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
  const char *name_end = read_line(path, line);
  if (name_end == NULL || sscanf(name_end, ") %c %d", &stat->state, &parent) != 2) return false;
  stat->parent = parent;
  return true;
}

int64_t process_time_read(pid_t pid) {
  char path[64], line[LINE_SIZE];
  clockid_t clock;
  struct timespec used = {0};
  long long user = 0, system = 0;
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0) return 0;
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  const char *name_end = read_line(path, line);
  /* cutime and cstime are the fields 16 and 17, the state is field 3 */
  if (name_end != NULL)
    sscanf(name_end, ") %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %lld %lld", &user, &system);
  const int64_t tick_ns = INT64_C(1000000000) / sysconf(_SC_CLK_TCK);
  return (int64_t)used.tv_sec * INT64_C(1000000000) + used.tv_nsec + (user + system) * tick_ns;
}

int64_t resident_bytes(int pid) {
  char path[48];
  long long size, resident;
  if (pid > 0)
    snprintf(path, sizeof path, "/proc/%d/statm", pid);
  else
    snprintf(path, sizeof path, "/proc/self/statm");
  SCOPED_FILE FILE *file = fopen(path, "re");
  if (file == NULL) return -1;
  int found = fscanf(file, "%lld %lld", &size, &resident);
  return found == 2 ? resident * sysconf(_SC_PAGESIZE) : -1;
}

int64_t resident_heap(void) {
#if __GLIBC_PREREQ(2, 33)
  const struct mallinfo2 info = mallinfo2();
#else
  /* these counts wrap around at 4 GiB, but differences between two of them are right */
  const struct mallinfo info = mallinfo();
#endif
  return (int64_t)info.uordblks + (int64_t)info.hblkhd;
}

static void read_thread_stat(int pid, int thread, struct thread_time *time) {
  char path[64], line[LINE_SIZE], state = '\0';
  unsigned long long user = 0, system = 0;
  snprintf(path, sizeof path, "/proc/%d/task/%d/stat", pid, thread);
  const char *end = read_line(path, line);
  if (end == NULL || sscanf(end, ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &state, &user, &system) != 3)
    return;
  time->used_s = (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
  time->ready = state == 'R';
}

static void read_schedstat(int pid, int thread, struct thread_time *time) {
  char path[64];
  unsigned long long waited_ns = 0;
  snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", pid, thread);
  SCOPED_FILE FILE *file = fopen(path, "re");
  if (file == NULL) return;
  if (fscanf(file, "%*u %llu", &waited_ns) == 1) time->waited_s = (double)waited_ns * 1e-9;
}

static struct thread_time read_one(int pid, int thread) {
  struct thread_time time = {.used_s = NAN, .waited_s = NAN};
  read_thread_stat(pid, thread, &time);
  read_schedstat(pid, thread, &time);
  return time;
}

void thread_time_read(int pid, struct thread_time *time) {
  *time = read_one(pid, pid);
}

/* Adds `seconds` to the sum; NaN (not known) adds nothing. */
static void add_seconds(double *sum, double seconds) {
  if (!isnan(seconds)) *sum = isnan(*sum) ? seconds : *sum + seconds;
}

/* Sums the times of all threads of the process. A thread that ends during the reading is not counted. */
void thread_time_read_all(int pid, struct thread_time *sum) {
  char path[64];
  *sum = (struct thread_time){.used_s = NAN, .waited_s = NAN};
  snprintf(path, sizeof path, "/proc/%d/task", pid);
  SCOPED_DIR DIR *folder = opendir(path);
  if (folder == NULL) return;
  for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
    const int thread = atoi(entry->d_name);
    if (thread <= 0) continue;
    const struct thread_time one = read_one(pid, thread);
    add_seconds(&sum->used_s, one.used_s);
    add_seconds(&sum->waited_s, one.waited_s);
    sum->ready = sum->ready || one.ready;
  }
}
