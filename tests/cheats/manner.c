/* Variants that do their work honestly but, from their twentieth call on, change something that all variants of the
 * process share. The twentieth call is one of those that are timed. */
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "problem.h"

enum { CALLS = 20, WHILE_S = 60 };

static bool is_time(gb_case *c, struct memory *m) {
  honest(c, m);
  return m->calls >= CALLS && m->streak > 0;
}

static void umask_0(gb_case *c, struct memory *m) {
  if (is_time(c, m)) umask(0);
}

static void environment(gb_case *c, struct memory *m) {
  if (is_time(c, m)) setenv("OMP_NUM_THREADS", "1", 1);
}

static void environment_gone(gb_case *c, struct memory *m) {
  if (is_time(c, m)) clearenv();
}

static void locale(gb_case *c, struct memory *m) {
  if (is_time(c, m)) setlocale(LC_ALL, "C.UTF-8");
}

static void directory(gb_case *c, struct memory *m) {
  if (is_time(c, m) && chdir("/") != 0) abort();
}

static void ignore(int number) {
  (void)number;
}

static void handler(gb_case *c, struct memory *m) {
  if (is_time(c, m)) signal(SIGTERM, ignore);
}

static void mask(gb_case *c, struct memory *m) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  if (is_time(c, m)) sigprocmask(SIG_BLOCK, &set, NULL);
}

static void limit(gb_case *c, struct memory *m) {
  struct rlimit few = {64, 64};
  if (is_time(c, m)) setrlimit(RLIMIT_NOFILE, &few);
}

static void stack_limit(gb_case *c, struct memory *m) {
  struct rlimit none = {0, 0};
  if (is_time(c, m)) setrlimit(RLIMIT_STACK, &none);
}

static void child(gb_case *c, struct memory *m) {
  static bool done;
  if (!is_time(c, m) || done) return;
  done = true;
  if (fork() == 0) {
    sleep(WHILE_S);
    _exit(0);
  }
}

static void priority(gb_case *c, struct memory *m) {
  if (is_time(c, m)) setpriority(PRIO_PROCESS, 0, 19);
}

static void alarm_clock(gb_case *c, struct memory *m) {
  if (is_time(c, m)) ualarm(900000, 0);
}

static void interval_timer(gb_case *c, struct memory *m) {
  struct itimerval far = {.it_value = {.tv_sec = WHILE_S}};
  if (is_time(c, m)) setitimer(ITIMER_VIRTUAL, &far, NULL);
}

static void timer(gb_case *c, struct memory *m) {
  static bool done;
  struct itimerspec far = {.it_value = {.tv_sec = WHILE_S}};
  timer_t id;
  if (!is_time(c, m) || done) return;
  done = true;
  if (timer_create(CLOCK_MONOTONIC, NULL, &id) == 0) timer_settime(id, 0, &far, NULL);
}

static void rounding(gb_case *c, struct memory *m) {
  if (is_time(c, m)) fesetround(FE_DOWNWARD);
}

static void flush_to_zero(gb_case *c, struct memory *m) {
  if (!is_time(c, m)) return;
#if defined(__x86_64__)
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
#else
  fesetround(FE_UPWARD);
#endif
}

static void descriptors(gb_case *c, struct memory *m) {
  if (is_time(c, m) && open("/dev/null", O_RDONLY | O_CLOEXEC) < 0) abort();
}

static void output_closed(gb_case *c, struct memory *m) {
  if (is_time(c, m)) close(STDOUT_FILENO);
}

static void parent_death(gb_case *c, struct memory *m) {
  if (is_time(c, m)) prctl(PR_SET_PDEATHSIG, 0);
}

static void timer_slack(gb_case *c, struct memory *m) {
  if (is_time(c, m)) prctl(PR_SET_TIMERSLACK, 100000000);
}

static void policy(gb_case *c, struct memory *m) {
  const struct sched_param parameter = {0};
  if (is_time(c, m)) sched_setscheduler(0, SCHED_IDLE, &parameter);
}

const struct trick manner_tricks[] = {
    {.name = "honest", .act = honest},
    {.name = "umask", .act = umask_0},
    {.name = "environment", .act = environment},
    {.name = "environment-gone", .act = environment_gone},
    {.name = "locale", .act = locale},
    {.name = "directory", .act = directory},
    {.name = "handler", .act = handler},
    {.name = "mask", .act = mask},
    {.name = "limit", .act = limit},
    {.name = "stack-limit", .act = stack_limit},
    {.name = "child", .act = child},
    {.name = "priority", .act = priority},
    {.name = "alarm", .act = alarm_clock},
    {.name = "interval-timer", .act = interval_timer},
    {.name = "timer", .act = timer},
    {.name = "rounding", .act = rounding},
    {.name = "flush-to-zero", .act = flush_to_zero},
    {.name = "descriptors", .act = descriptors},
    {.name = "output-closed", .act = output_closed},
    {.name = "parent-death", .act = parent_death},
    {.name = "timer-slack", .act = timer_slack},
    {.name = "policy", .act = policy},
    {.name = "also-honest", .act = honest},
    {.name = NULL},
};
