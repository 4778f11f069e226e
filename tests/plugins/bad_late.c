/* Variants that compute the right results and, from their 20th call on, change something that all variants of the
 * process share. The 20th call is one that is timed. Some variants change nothing themselves, and fail because of what
 * others changed. Each worker process counts calls from 0. */
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "simple.h"

enum { LATE = 20 };

/* ---- Changes of the process ---- */

static void changes_umask(void) {
  umask(0);
}

static void changes_environment(void) {
  setenv("OMP_NUM_THREADS", "1", 1);
}

static void changes_locale(void) {
  if (setlocale(LC_ALL, "C.UTF-8") == NULL) abort();
}

static void changes_directory(void) {
  if (chdir("/") != 0) abort();
}

static void ignore(int number) {
  (void)number;
}

static void installs_handler(void) {
  signal(SIGFPE, ignore);
}

static void lowers_limits(void) {
  struct rlimit limit = {64, 64};
  setrlimit(RLIMIT_NOFILE, &limit);
}

static void leaves_child(void) {
  if (fork() == 0) {
    sleep(60);
    _exit(0);
  }
}

static void is_nice(void) {
  setpriority(PRIO_PROCESS, 0, 19);
}

static void sets_timer(void) {
  struct itimerspec later = {.it_value = {.tv_sec = 60}};
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
  timer_t timer;
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0) timer_settime(timer, 0, &later, NULL);
}

static void rounds_down(void) {
  fesetround(FE_DOWNWARD);
}

/* ---- Effects on other variants ---- */

static pthread_mutex_t shared = PTHREAD_MUTEX_INITIALIZER;
static volatile int broken;

static void holds_the_lock(void) {
  pthread_mutex_trylock(&shared);
}

static void needs_the_lock(void) {
  pthread_mutex_lock(&shared);
  pthread_mutex_unlock(&shared);
}

static void breaks(void) {
  broken = 1;
}

static void *change_later(void *argument) {
  struct timespec pause = {.tv_nsec = 7000000};
  nanosleep(&pause, NULL);
  umask(0);
  return argument;
}

/* Starts a thread that makes the change later, mostly while another variant runs. */
static void changes_it_later(void) {
  static pthread_t thread;
  if (thread == 0 && pthread_create(&thread, NULL, change_later, NULL) == 0) pthread_detach(thread);
}

/* ---- The table ---- */

struct deed {
  const char *name;
  void (*late)(void);   /* called in each call from the 20th on; NULL: nothing is called */
  void (*always)(void); /* called in every call; NULL: nothing is called */
  int needs_whole;      /* true: `run` fails after another variant has set the variable `broken` */
};

static const struct deed deeds[] = {
    {"good", NULL, NULL, 0},
    {"umask", changes_umask, NULL, 0},
    {"environment", changes_environment, NULL, 0},
    {"locale", changes_locale, NULL, 0},
    {"directory", changes_directory, NULL, 0},
    {"handler", installs_handler, NULL, 0},
    {"better", NULL, NULL, 0},
    {"limits", lowers_limits, NULL, 0},
    {"child", leaves_child, NULL, 0},
    {"priority", is_nice, NULL, 0},
    {"timer", sets_timer, NULL, 0},
    {"rounding", rounds_down, NULL, 0},
    {"holds-lock", holds_the_lock, NULL, 0},
    {"needs-lock", NULL, needs_the_lock, 0},
    {"breaks", breaks, NULL, 0},
    {"needs-whole", NULL, NULL, 1},
    {"later", changes_it_later, NULL, 0},
    {"best", NULL, NULL, 0},
};
enum { COUNT = sizeof deeds / sizeof deeds[0] };

static gb_status run_deed(const gb_variant *self, gb_case *c, void *vstate) {
  static unsigned calls[COUNT];
  const struct deed *deed = self->user;
  gb_status status = simple_run(self, c, vstate);
  if (deed->always != NULL) deed->always();
  if (deed->late != NULL && ++calls[deed - deeds] >= LATE) deed->late();
  return deed->needs_whole && broken ? gb_failf(&gb, c, GB_EFAIL, "something is broken") : status;
}

/* A `reference` that takes 0.6 s, so that a test can kill the worker while it runs. */
static gb_status slow_reference(const gb_bench *self, gb_case *c, void *state) {
  struct timespec pause = {.tv_nsec = 600000000};
  nanosleep(&pause, NULL);
  return simple_reference(self, c, state);
}

/* ---- A bench that fails after both of its variants have run in the same process ---- */

static int runs[2]; /* number of calls of each of the two in this process */

static gb_status run_counted(const gb_variant *self, gb_case *c, void *vstate) {
  ++*(int *)(uintptr_t)self->user;
  return simple_run(self, c, vstate);
}

static gb_status reference_for_one(const gb_bench *self, gb_case *c, void *state) {
  if (runs[0] >= LATE && runs[1] >= LATE) return gb_failf(&gb, c, GB_EFAIL, "both have run");
  return simple_reference(self, c, state);
}

static gb_variant left = SIMPLE_VARIANT("left", run_counted), right = SIMPLE_VARIANT("right", run_counted);
static const gb_variant *const both[] = {&left, &right, NULL};
static gb_bench rivals = SIMPLE_BENCH("rivals", both);

/* ---- A bench that is slow ---- */

static const gb_variant first = SIMPLE_BASELINE("first"), second = SIMPLE_VARIANT("second", simple_run);
static const gb_variant *const pair[] = {&first, &second, NULL};
static gb_bench slow = SIMPLE_BENCH("slow", pair);

static gb_variant variants[COUNT];
static const gb_variant *list[COUNT + 1];
static const gb_bench bench = SIMPLE_BENCH("late", list);

static gb_status late_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  for (int i = 0; i < COUNT; i++) {
    variants[i] = (gb_variant)SIMPLE_VARIANT(deeds[i].name, run_deed);
    variants[i].flags = i == 0 ? GB_VARIANT_BASELINE : 0;
    variants[i].user = &deeds[i];
    list[i] = &variants[i];
  }
  slow.reference = slow_reference;
  rivals.reference = reference_for_one;
  left.flags = GB_VARIANT_BASELINE;
  left.user = &runs[0];
  right.user = &runs[1];
  gb_status status = gb_sdk_open(&gb, host);
  if (status == GB_OK) status = host->add(host, registry, &slow);
  if (status == GB_OK) status = host->add(host, registry, &rivals);
  return status == GB_OK ? host->add(host, registry, &bench) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "late", .version = "1.0.0", .open = late_open};
