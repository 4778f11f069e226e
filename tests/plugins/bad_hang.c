/* Variants that keep gpubench from continuing, each in one way: gpubench's own code in the worker process hangs, the
 * worker is stopped, or memory that it shares with gpubench says that no callback runs. */
#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "simple.h"

static void pause_ms(long ms) {
  struct timespec pause = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&pause, NULL);
}

static void begin(void *(*body)(void *)) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, body, NULL) == 0) pthread_detach(thread);
}

/* ---- The allocator's lock ---- */

enum { TAKERS = 48, TRY_MS = 20 };
static sem_t go[TAKERS], probe, answer;
static pthread_t takers[TAKERS];

/* The body of a thread that allocates and frees blocks until it is cancelled, ideally while it holds the allocator's
 * lock. The blocks are too large for the thread's cache, so that each allocation takes the lock. */
static void *take(void *argument) {
  sem_t *begun = argument;
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  while (sem_wait(begun) != 0)
    continue;
  for (;;) {
    void *volatile block = malloc(40000);
    free(block);
  }
  return argument;
}

static void *try_malloc(void *argument) {
  for (;;) {
    if (sem_wait(&probe) != 0) continue;
    void *volatile block = malloc(50000);
    free(block);
    sem_post(&answer);
  }
  return argument;
}

static int is_held(void) {
  struct timespec end;
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_nsec += TRY_MS * 1000000;
  end.tv_sec += end.tv_nsec / 1000000000;
  end.tv_nsec %= 1000000000;
  sem_post(&probe);
  return sem_timedwait(&answer, &end) != 0;
}

static void *hold_heap(void *argument) {
  pause_ms(3); /* waits until the callback has returned */
  for (int i = 0; i < TAKERS && !is_held(); i++) {
    sem_post(&go[i]);
    pause_ms(1);
    pthread_cancel(takers[i]);
    pause_ms(1);
  }
  return argument;
}

static void holds_heap(void) {
  mallopt(M_ARENA_MAX, 1);
  sem_init(&probe, 0, 0), sem_init(&answer, 0, 0);
  for (int i = 0; i < TAKERS; i++) {
    sem_init(&go[i], 0, 0);
    pthread_create(&takers[i], NULL, take, &go[i]);
  }
  begin(try_malloc);
  begin(hold_heap);
}

/* ---- Stopped ---- */

static void *stop(void *argument) {
  pause_ms(3);
  kill(getpid(), SIGSTOP);
  return argument;
}

static void stops(void) {
  begin(stop);
}

/* ---- The status page ---- */

static void *find_page(void) {
  char line[512];
  unsigned long from = 0, to, found = 0;
  FILE *maps = fopen("/proc/self/maps", "r");
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL)
    if (strstr(line, "gpubench-phase") != NULL && sscanf(line, "%lx-%lx", &from, &to) == 2) found = from;
  if (maps != NULL) fclose(maps);
  return (void *)found;
}

static void zeroes(void) {
  void *page = find_page();
  if (page == NULL) abort();
  memset(page, 0, 64);
  for (;;)
    pause();
}

static void *zero_on(void *argument) {
  void *const page = find_page();
  volatile bool there = page != NULL;
  while (there)
    memset(page, 0, 64);
  return argument;
}

static void zeroes_on(void) {
  begin(zero_on);
  for (volatile int forever = 1; forever;)
    continue;
}

/* Sets the shared memory by which gpubench knows which callback runs to the value for "none", and does not return. */
static void says_nothing_runs(void) {
  uint32_t *page = find_page();
  if (page == NULL) abort();
  *page &= 0xFFFF0000U;
  for (;;)
    pause();
}

static void sleeps(void) {
  for (;;)
    pause();
}

/* ---- The tables ---- */

struct deed {
  const char *name;
  void (*act)(void);
};

static const struct deed deeds[] = {
    {"good", NULL},         {"heap", holds_heap},           {"stop", stops},   {"zero", zeroes},
    {"zero-on", zeroes_on}, {"nothing", says_nothing_runs}, {"sleep", sleeps}, {"best", NULL},
};
enum { COUNT = sizeof deeds / sizeof deeds[0] };

/* Computes the right results. In the third call in a process it also calls deed->act, which does the harm. */
static gb_status run_deed(const gb_variant *self, gb_case *c, void *vstate) {
  static int calls[COUNT];
  const struct deed *deed = self->user;
  gb_status status = simple_run(self, c, vstate);
  if (deed->act != NULL && ++calls[deed - deeds] == 3) deed->act();
  return status;
}

static void *stop_later(void *argument) {
  pause_ms(100); /* waits until the worker has reported the end of the case */
  return stop(argument);
}

/* The `teardown` of a bench that stops its worker 100 ms after the case has ended, when the worker waits for the next
 * case or works on it. */
static void stop_between(const gb_bench *self, gb_case *c, void *state) {
  (void)self, (void)c, (void)state;
  begin(stop_later);
}

static const gb_variant only = SIMPLE_BASELINE("only");
static const gb_variant *const alone[] = {&only, NULL};
static const gb_axis which = {GB_SIZE(gb_axis), .type = GB_I64, .name = "which", .values = "1,2,3"};
static const gb_axis *const axes[] = {&which, NULL};
static gb_bench between = SIMPLE_BENCH("between", alone);

static gb_variant variants[COUNT];
static const gb_variant *list[COUNT + 1];
static const gb_bench bench = SIMPLE_BENCH("hang", list);

static gb_status hang_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  for (int i = 0; i < COUNT; i++) {
    variants[i] = (gb_variant)SIMPLE_VARIANT(deeds[i].name, run_deed);
    variants[i].flags = i == 0 ? GB_VARIANT_BASELINE : 0;
    variants[i].user = &deeds[i];
    list[i] = &variants[i];
  }
  between.axes = axes;
  between.teardown = stop_between;
  gb_status status = gb_sdk_open(&gb, host);
  if (status == GB_OK) status = host->add(host, registry, &between);
  return status == GB_OK ? host->add(host, registry, &bench) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "hang", .version = "1.0.0", .open = hang_open};
