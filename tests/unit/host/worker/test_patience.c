/* Tests that a callback which waits for a processor gets more time than an idle one, but not unlimited time. */
#include "worker/patience.h"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "unit.h"

enum { CROWD = 4 };

static const double limit_s = 0.2;
static pid_t crowd[CROWD];

static void rest(double seconds) {
  const struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
  nanosleep(&t, NULL);
}

/* Starts a process, busy or sleeping; all of them share one processor. */
static pid_t begin(bool busy) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  cpu_set_t one;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  sched_getaffinity(0, sizeof one, &one);
  size_t cpu = 0;
  while (!CPU_ISSET(cpu, &one))
    cpu++;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  sched_setaffinity(0, sizeof one, &one);
  for (volatile int turns = 0;; turns = turns + 1)
    if (!busy) pause();
}

static void end(pid_t pid) {
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
}

static void begin_callback(struct patience *p, struct phase_page *page) {
  *page = (struct phase_page){0};
  phase_enter(page, PHASE_RUN, 0);
  patience_begin(p);
  ASSERT_TRUE(patience_look(p, page));
}

static double seconds_since(struct timespec from) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(now.tv_sec - from.tv_sec) + (double)(now.tv_nsec - from.tv_nsec) * 1e-9;
}

/* Polls as often as a parent does. Returns the seconds until the time is over, at most `most_s`; this process may be
 * delayed itself. */
static double patient_s(pid_t pid, double most_s) {
  const struct call_limit limit = call_limit_of(limit_s);
  double given_s;
  struct phase_page page;
  struct patience p;
  struct timespec from;
  clock_gettime(CLOCK_MONOTONIC, &from);
  begin_callback(&p, &page);
  while (seconds_since(from) < most_s && !patience_is_over(&p, pid, &limit, &given_s))
    rest(0.01);
  return seconds_since(from);
}

static void who_sleeps_has_the_limit(void) {
  const pid_t pid = begin(false);
  rest(0.05);
  const double passed = patient_s(pid, 100 * limit_s);
  /* the process slept and was never ready to run, so its limit was not extended */
  ASSERT_TRUE(passed >= limit_s && passed < 50 * limit_s);
  end(pid);
}

static void who_waits_for_a_processor_has_longer(void) {
  for (int i = 0; i < CROWD; i++)
    crowd[i] = begin(true);
  const pid_t pid = begin(true);
  rest(0.2);
  struct thread_time time;
  thread_time_read(pid, &time);
  /* The process gets a fifth of the processor: half of the limit passes as usual, the other half five times as
   * slowly. */
  if (time.ready) ASSERT_TRUE(patient_s(pid, 2 * limit_s) >= 1.5 * limit_s);
  /* on any machine the wait ends after ten times the limit */
  ASSERT_TRUE(patient_s(pid, 100 * limit_s) < 50 * limit_s);
  end(pid);
  for (int i = 0; i < CROWD; i++)
    end(crowd[i]);
}

/* A callback that reports progress for ever counts as a hang. The next callback gets its full time again. */
static void progress_has_an_end(void) {
  static const struct call_limit brief = {.most_s = 0.01}, longer = {.most_s = 1};
  double given_s;
  struct phase_page page;
  struct patience p;
  struct timespec from;
  page = (struct phase_page){0};
  phase_enter(&page, PHASE_PREPARE, 2);
  patience_begin(&p);
  clock_gettime(CLOCK_MONOTONIC, &from);
  bool over = false;
  while (!over && seconds_since(from) < 20) {
    phase_go_on(&page);
    ASSERT_TRUE(patience_look(&p, &page));
    over = patience_is_over(&p, getpid(), &brief, &given_s);
    rest(0.001);
  }
  ASSERT_TRUE(over && seconds_since(from) >= 60 * brief.most_s);
  phase_enter(&page, PHASE_PREPARE, 3);
  ASSERT_TRUE(patience_look(&p, &page));
  ASSERT_TRUE(!patience_is_over(&p, getpid(), &longer, &given_s));
}

/* A callback may take four times as long as the longest one that has ended. Here one of a second has ended, so the next
 * one gets four seconds instead of two. */
static void who_took_long_and_ended_has_longer(void) {
  static const struct call_limit brief = {.most_s = 100, .ends_ns = 1}; /* no time is left, except two seconds */
  struct phase_page page;
  struct patience p;
  double given_s;
  begin_callback(&p, &page);
  ASSERT_TRUE(!patience_is_over(&p, getpid(), &brief, &given_s));
  ASSERT_TRUE(given_s == 2);
  rest(1);
  phase_enter(&page, PHASE_RUN, 1);
  ASSERT_TRUE(patience_look(&p, &page));
  ASSERT_TRUE(!patience_is_over(&p, getpid(), &brief, &given_s));
  ASSERT_TRUE(given_s >= 4);
}

UNIT_MAIN("worker_patience", UNIT_TEST(who_took_long_and_ended_has_longer), UNIT_TEST(who_sleeps_has_the_limit),
          UNIT_TEST(who_waits_for_a_processor_has_longer), UNIT_TEST(progress_has_an_end))
