#include "plugin/process_others.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/parallel.h"
#include "base/process_stat.h"
#include "plugin/process_state.h"

static double threads_ns(void) {
  struct timespec process, thread;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &process);
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &thread);
  return 1e9 * (double)(process.tv_sec - thread.tv_sec) + (double)(process.tv_nsec - thread.tv_nsec) -
         (double)parallel_helpers_ns();
}

static double children_ns(void) {
  struct rusage usage = {0};
  getrusage(RUSAGE_CHILDREN, &usage);
  return 1e9 * (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e3 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

struct others others_now(void) {
  return (struct others){.at_ns = clock_now_ns(), .threads_ns = threads_ns(), .children_ns = children_ns()};
}

double others_threads_ns(const struct others *since) {
  return fmax(0, threads_ns() - since->threads_ns);
}

static bool is_runnable(const char *thread) {
  char path[64];
  struct process_stat stat;
  snprintf(path, sizeof path, "self/task/%.10s", thread);
  /* R: the thread runs or waits for a processor; in any other state it sleeps or has ended */
  return process_stat_read(path, &stat) && stat.state == 'R';
}

bool others_want_processor(void) {
  char self[32];
  bool wanted = false;
  DIR *folder = opendir("/proc/self/task");
  snprintf(self, sizeof self, "%ld", (long)gettid());
  for (struct dirent *entry; folder != NULL && !wanted && (entry = readdir(folder)) != NULL;)
    wanted = entry->d_name[0] != '.' && strcmp(entry->d_name, self) != 0 && is_runnable(entry->d_name);
  if (folder != NULL) closedir(folder);
  return wanted;
}

/* Other threads count as idle if they used less than `idle_share` of a processor during a sleep of `idle_look`, and
 * none of them runs or waits for a processor. `idle_most_s` is the longest wait. It is longer than threads of OpenMP
 * (15 or 200 ms) and OpenBLAS (100 ms) spin after a call. */
static const double idle_share = 0.05, idle_most_s = 0.25;
static const struct timespec idle_look = {0, 100000};

static bool are_idle(void) {
  const struct others before = others_now();
  nanosleep(&idle_look, NULL);
  return others_threads_ns(&before) < idle_share * (double)(clock_now_ns() - before.at_ns) && !others_want_processor();
}

double others_wait_until_idle(void) {
  const int64_t start = clock_now_ns();
  while (!are_idle() && (double)(clock_now_ns() - start) < idle_most_s * 1e9)
    continue;
  return clock_seconds_since(start);
}

bool others_have_child(const struct others *since) {
  return process_state_has_child() || children_ns() > since->children_ns;
}
