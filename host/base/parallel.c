/* Divides work among threads: each takes the next piece until none is left. */
#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

enum { THREADS_MAX = 64 };

struct job {
  void (*work)(void *context, size_t piece);
  void *context;
  size_t count;
  atomic_size_t next;
};

size_t parallel_processors(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return (size_t)CPU_COUNT(&set);
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? (size_t)online : 1;
}

static _Atomic int64_t helpers_ns;

int64_t parallel_helpers_ns(void) {
  return helpers_ns;
}

static void take_pieces(struct job *job) {
  for (size_t piece; (piece = atomic_fetch_add(&job->next, 1)) < job->count;)
    job->work(job->context, piece);
}

static void *help_with_job(void *argument) {
  struct timespec used;
  take_pieces(argument);
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used) == 0)
    atomic_fetch_add(&helpers_ns, (int64_t)used.tv_sec * 1000000000 + used.tv_nsec);
  return NULL;
}

/* Starts helper threads and returns how many were started. The helpers block all signals except those that report a
 * fault of the thread itself, so that the threads that existed before go on receiving the other signals. */
static size_t start_helpers(struct job *job, pthread_t *threads, size_t most) {
  static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
  sigset_t all, former;
  size_t started = 0;
  sigfillset(&all);
  for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
    sigdelset(&all, faults[i]);
  pthread_sigmask(SIG_SETMASK, &all, &former);
  while (started < most && pthread_create(&threads[started], NULL, help_with_job, job) == 0)
    started++;
  pthread_sigmask(SIG_SETMASK, &former, NULL);
  return started;
}

void parallel_each(size_t count, void (*work)(void *context, size_t piece), void *context) {
  struct job job = {.work = work, .context = context, .count = count};
  pthread_t threads[THREADS_MAX];
  size_t wanted = count > 1 ? parallel_processors() : 1;
  if (wanted > count) wanted = count;
  if (wanted > THREADS_MAX) wanted = THREADS_MAX;
  const size_t started = wanted > 1 ? start_helpers(&job, threads, wanted - 1) : 0;
  take_pieces(&job);
  for (size_t i = 0; i < started; i++)
    pthread_join(threads[i], NULL);
}
