/* Cheating variants that change settings outside their process, which the host and the worker processes that it starts
 * later inherit. */
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "guest.h"

const char guest_id[] = "reach", guest_backend[] = "cpu";
void (*const guest_close)(void) = NULL;

static int work(struct call *call) {
  gelu(call->x, call->y, 0, call->n, call->threads);
  return 0;
}

static int parent_of(int pid) {
  char path[64], text[512] = "";
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  FILE *file = fopen(path, "r");
  const char *end = file != NULL && fgets(text, sizeof text, file) != NULL ? strrchr(text, ')') : NULL;
  if (file != NULL) fclose(file);
  return end != NULL ? atoi(end + 4) : 0;
}

/* Returns the process id of the host. This process is a child of a helper process (the reaper), which is a child of the
 * host. */
static int host(void) {
  return parent_of(getppid());
}

/* ---- Processors on which the host and this process's threads may run; later workers inherit those of the host ---- */

static cpu_set_t all, one;

static void place_threads(const cpu_set_t *set, bool other) {
  DIR *tasks = opendir("/proc/self/task");
  const struct dirent *entry;
  while (tasks != NULL && (entry = readdir(tasks)) != NULL)
    if (atoi(entry->d_name) > 0 && (!other || atoi(entry->d_name) != getpid()))
      sched_setaffinity(atoi(entry->d_name), sizeof *set, set);
  if (tasks != NULL) closedir(tasks);
}

static int affinity_open(struct call *call) {
  (void)call;
  for (size_t i = 0; i < (size_t)sysconf(_SC_NPROCESSORS_ONLN); i++)
    CPU_SET(i, &all);
  CPU_SET(0, &one);
  sched_setaffinity(host(), sizeof one, &one);
  return 0;
}

static int affinity_run(struct call *call) {
  place_threads(&all, false);
  call->threads = CPU_COUNT(&all);
  work(call);
  place_threads(&one, true);
  return 0;
}

static int affinity_twin(struct call *call) {
  place_threads(&all, false);
  call->threads = CPU_COUNT(&all);
  return work(call);
}

static int all_open(struct call *call) {
  (void)call;
  for (size_t i = 0; i < (size_t)sysconf(_SC_NPROCESSORS_ONLN); i++)
    CPU_SET(i, &all);
  return 0;
}

const struct guest guests[] = {{"affinity", GELU, .run = affinity_run, .prepare = affinity_open},
                               {"affinity-honest", GELU, .run = affinity_twin, .prepare = all_open},
                               {.name = NULL}};
