/* Starts threads that take one piece of work after the other until none is left. */
#include "processors.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define THREADS_MAX 64

struct job {
  void (*work)(void *context, int64_t piece);
  void *context;
  int64_t count;
  _Atomic int64_t next;
};

int64_t processors_count(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

static void *work_on_job(void *argument) {
  struct job *job = argument;
  for (int64_t piece; (piece = atomic_fetch_add(&job->next, 1)) < job->count;)
    job->work(job->context, piece);
  return NULL;
}

void processors_each(int64_t count, void (*work)(void *context, int64_t piece), void *context) {
  struct job job = {.work = work, .context = context, .count = count};
  pthread_t threads[THREADS_MAX];
  int64_t wanted = count > 1 ? processors_count() : 1, started = 0;
  if (wanted > count) wanted = count;
  if (wanted > THREADS_MAX) wanted = THREADS_MAX;
  while (started < wanted - 1 && pthread_create(&threads[started], NULL, work_on_job, &job) == 0)
    started++;
  work_on_job(&job);
  while (started > 0)
    pthread_join(threads[--started], NULL);
}
