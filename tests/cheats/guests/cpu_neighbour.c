/* Cheating variants that slow other variants down by settings, threads or processes. They undo this while their own
 * calls run. */
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"

const char guest_id[] = "neighbour", guest_backend[] = "cpu";
void (*const guest_close)(void) = NULL;

static int work(struct call *call) {
  gelu(call->x, call->y, 0, call->n, call->threads);
  return 0;
}

/* ---- OpenMP ---- */

static int levels_run(struct call *call) {
  omp_set_max_active_levels(8);
  work(call);
  omp_set_max_active_levels(0); /* parallel regions of other variants get one thread */
  return 0;
}

static int levels_twin(struct call *call) {
  const int kept = omp_get_max_active_levels();
  omp_set_max_active_levels(8);
  work(call);
  omp_set_max_active_levels(kept);
  return 0;
}

/* ---- Threads that use processors, caches or memory while other variants are timed ---- */

enum { HOGS = 2, HOG_BYTES = 64 << 20 };

struct hogs {
  pthread_t thread[HOGS];
  atomic_bool on, quit;
  char *memory;
  int started;
};

static void *burn(void *argument) {
  struct hogs *h = argument;
  volatile double value = 1;
  while (!h->quit) {
    if (!h->on) usleep(50);
    for (int i = 0; h->on && i < 1000; i++)
      value = value * 1.0000001;
  }
  return NULL;
}

/* The body of a thread that evicts lines of the last-level cache, and that takes the lock of the process's memory
 * map. */
static void *evict(void *argument) {
  struct hogs *h = argument;
  size_t at = 0;
  while (!h->quit) {
    if (!h->on) usleep(50);
    for (int i = 0; h->on && i < 4096; i++, at = (at + 4096 + 64) % HOG_BYTES)
      h->memory[at]++;
    if (h->on) madvise(h->memory, HOG_BYTES / 8, MADV_DONTNEED);
  }
  return NULL;
}

static int start(struct call *call, void *(*what)(void *), int count) {
  struct hogs *h = calloc(1, sizeof *h);
  *call->state = h;
  if (h == NULL) return 1;
  h->memory = mmap(NULL, HOG_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (h->memory == MAP_FAILED) return 2;
  for (h->started = 0; h->started < count; h->started++)
    if (pthread_create(&h->thread[h->started], NULL, what, h) != 0) return 3;
  return 0;
}

static int burn_open(struct call *call) {
  return start(call, burn, HOGS);
}

static int evict_open(struct call *call) {
  return start(call, evict, 1);
}

static int hogs_close(struct call *call) {
  struct hogs *h = *call->state;
  h->quit = true;
  for (int i = 0; i < h->started; i++)
    pthread_join(h->thread[i], NULL);
  munmap(h->memory, HOG_BYTES);
  free(h);
  return 0;
}

static int hogs_run(struct call *call) {
  struct hogs *h = *call->state;
  h->on = false;
  work(call);
  h->on = true;
  return 0;
}

static int hogs_twin(struct call *call) {
  struct hogs *h = *call->state;
  h->on = false;
  return work(call);
}

/* ---- Processes that work meanwhile ---- */

struct child {
  atomic_bool on;
  pid_t pid[HOGS];
};

static int child_open(struct call *call) {
  struct child *child = mmap(NULL, sizeof *child, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (child == MAP_FAILED) return 1;
  *call->state = child;
  for (int i = 0; i < HOGS; i++) {
    const pid_t pid = fork();
    if (pid < 0) return 2;
    if (pid == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      for (;;)
        if (!child->on) usleep(50);
    }
    child->pid[i] = pid;
  }
  return 0;
}

static int child_close(struct call *call) {
  struct child *child = *call->state;
  for (int i = 0; i < HOGS; i++) {
    kill(child->pid[i], SIGKILL);
    waitpid(child->pid[i], NULL, 0);
  }
  munmap(child, sizeof *child);
  return 0;
}

static int child_run(struct call *call) {
  struct child *child = *call->state;
  child->on = false;
  work(call);
  child->on = true;
  return 0;
}

static int child_twin(struct call *call) {
  struct child *child = *call->state;
  child->on = false;
  return work(call);
}

enum { OWN = GB_VARIANT_PROCESSES };
const struct guest guests[] = {
    {"levels", GELU, .run = levels_run},
    {"levels-honest", GELU, .run = levels_twin},
    {"burn", GELU, .run = hogs_run, .prepare = burn_open, .release = hogs_close},
    {"burn-honest", GELU, .run = hogs_twin, .prepare = burn_open, .release = hogs_close},
    {"evict", GELU, .run = hogs_run, .prepare = evict_open, .release = hogs_close},
    {"evict-honest", GELU, .run = hogs_twin, .prepare = evict_open, .release = hogs_close},
    {"burn-child", GELU, .run = child_run, .prepare = child_open, .release = child_close, .flags = OWN},
    {"burn-child-honest", GELU, .run = child_twin, .prepare = child_open, .release = child_close, .flags = OWN},
    {.name = NULL}};
