/* Tests reapers, the processes that end everything that a worker started, even if the parent is killed. All processes
 * hold the write end of a pipe, so its end of file shows that none is left. */
#include "worker/reaper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "unit.h"
#include "worker/freeze.h"

static struct reaper reaper;
static struct err error;
static int tube[2];

/* ---- Workers ---- */

static void tell(char byte) {
  if (write(tube[1], &byte, 1) != 1) _exit(9);
}

static _Noreturn void stay(void) {
  for (;;)
    pause();
}

/* Leaves a grandchild in another session that ignores all signals that can be ignored. */
static void leave_behind(void) {
  if (fork() > 0) return;
  setsid();
  if (fork() > 0) _exit(0);
  setsid();
  for (int i = 1; i < 32; i++)
    signal(i, SIG_IGN);
  tell('d');
  stay();
}

static void set_out(const void *context) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (int i = 0; i < *(const int *)context; i++)
    leave_behind();
}

static void ends(const void *context) {
  set_out(context);
  char byte;
  for (int i = 0; i < *(const int *)context; i++) /* waits until they run */
    if (read(tube[0], &byte, 1) != 1) _exit(8);
  _exit(7);
}

static void dies(const void *context) {
  set_out(context);
  signal(SIGSEGV, SIG_DFL); /* a sanitizer would turn it into an exit */
  raise(SIGSEGV);
}

static void hangs(const void *context) {
  set_out(context);
  for (int i = 1; i < 32; i++)
    if (i != SIGSEGV) signal(i, SIG_IGN);
  tell('w');
  stay();
}

static void groups(const void *context) {
  (void)context;
  _exit(getpgrp() == getpid() && getpgid(getppid()) == getppid() && getppid() != *(const pid_t *)context ? 0 : 1);
}

static rlim_t core_limit(void) {
  struct rlimit limit = {0};
  getrlimit(RLIMIT_CORE, &limit);
  return limit.rlim_cur;
}

static void tells_its_limit(const void *context) {
  _exit(core_limit() == *(const rlim_t *)context ? 0 : 1);
}

/* Forks children that fork children, as fast as the machine allows. FORKS_MOST limits them: on a machine where the
 * reaper gets too little processor time, they would otherwise exhaust the process table. */
static void multiplies(const void *context) {
  enum { FORKS_MOST = 3000 };
  (void)context;
  _Atomic int *forks = mmap(NULL, sizeof *forks, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (forks == MAP_FAILED) _exit(8);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (int i = 0; i < 200 && atomic_fetch_add(forks, 1) < FORKS_MOST; i++)
    if (fork() == 0 && i % 7 != 0) stay();
  stay();
}

/* Grows a binary tree of 127 processes; the parents of the leaves exit, which makes the leaves orphans. */
static void grows(const void *context) {
  (void)context;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (int generation = 0; generation < 6; generation++) {
    usleep(300);
    if (fork() == 0 || fork() == 0) continue;
    if (generation == 5) _exit(0);
    stay();
  }
  stay();
}

/* ---- The parent ---- */

static void start(void (*enter)(const void *), int left_behind) {
  static int count;
  count = left_behind;
  error = (struct err){0};
  ASSERT_EQ_INT(pipe2(tube, O_CLOEXEC), 0);
  ASSERT_EQ_INT(reaper_start(&reaper, NULL, enter, &count, &error), 0);
  ASSERT_EQ_STR(error.text, "");
  ASSERT_TRUE(reaper.pid > 0 && reaper.worker > 0 && reaper.worker != reaper.pid);
}

static void hears(const char *expected) {
  for (const char *c = expected; *c != '\0'; c++) {
    char byte = 0;
    ASSERT_EQ_INT(read(tube[0], &byte, 1), 1);
  }
}

static void nobody_is_left(void) {
  struct pollfd end = {.fd = tube[0], .events = POLLIN};
  char bytes[64];
  close(tube[1]);
  ssize_t got = 1;
  while (got > 0 && poll(&end, 1, 3000) > 0)
    got = read(tube[0], bytes, sizeof bytes);
  ASSERT_EQ_INT(got, 0);
  close(tube[0]);
  ASSERT_TRUE(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
}

static void a_worker_ends_by_itself(void) {
  int status = 0;
  start(ends, 0);
  ASSERT_TRUE(reaper_wait(&reaper, 5000, &status));
  ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7);
  ASSERT_EQ_INT(reaper.pid, 0);
  ASSERT_TRUE(reaper_end(&reaper, &status)); /* there is nothing left to do */
  nobody_is_left();
}

static void what_it_left_behind_ends_with_it(void) {
  int status = 0;
  start(ends, 5);
  ASSERT_TRUE(reaper_wait(&reaper, 5000, &status));
  ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7);
  nobody_is_left();
}

static void a_death_is_told_as_it_was(void) {
  int status = 0;
  start(dies, 2);
  ASSERT_TRUE(reaper_wait(&reaper, 5000, &status));
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
  nobody_is_left();
}

static void a_hanging_worker_is_ended(void) {
  int status = 0;
  start(hangs, 3);
  hears("wddd");
  ASSERT_TRUE(!reaper_wait(&reaper, 50, &status));
  ASSERT_TRUE(reaper_end(&reaper, &status));
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  nobody_is_left();
}

static void a_crowd_is_ended(void) {
  int status = 0;
  start(multiplies, 0);
  usleep(20000);
  ASSERT_TRUE(reaper_end(&reaper, &status));
  nobody_is_left();
}

/* The parent is killed, which the reaper notices by the leash, a socket that is then closed. */
static void all_end_with_the_parent(void) {
  ASSERT_EQ_INT(pipe2(tube, O_CLOEXEC), 0);
  fflush(stdout);
  pid_t parent = fork();
  if (parent == 0) {
    static const int count = 3;
    if (reaper_start(&reaper, NULL, hangs, &count, &error) != 0) _exit(1);
    stay();
  }
  hears("wddd");
  kill(parent, SIGKILL);
  ASSERT_EQ_INT(waitpid(parent, NULL, 0), parent);
  nobody_is_left();
}

/* If the reaper is killed, its worker dies too, and the parent is told. */
static void a_killed_warden_takes_its_worker_along(void) {
  int status = 0;
  start(hangs, 0);
  hears("w");
  kill(reaper.pid, SIGKILL);
  ASSERT_TRUE(reaper_wait(&reaper, 3000, &status));
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  nobody_is_left();
}

/* A signal to the parent's process group, such as one from a terminal, reaches neither the reaper nor the worker. */
static void both_lead_groups_of_their_own(void) {
  static pid_t own;
  int status = 1;
  own = getpid();
  ASSERT_EQ_INT(pipe2(tube, O_CLOEXEC), 0);
  ASSERT_EQ_INT(reaper_start(&reaper, NULL, groups, &own, &error), 0);
  ASSERT_TRUE(reaper_wait(&reaper, 5000, &status));
  ASSERT_EQ_INT(status, 0);
  nobody_is_left();
}

/* A plugin changed a resource limit of the process that starts workers. New workers must start with the original
 * limit. */
static void workers_begin_as_the_first_one(void) {
  rlim_t first;
  int status = 1;
  inherited_take();
  first = core_limit();
  struct rlimit changed, kept;
  ASSERT_EQ_INT(getrlimit(RLIMIT_CORE, &kept), 0);
  changed = kept;
  changed.rlim_cur = first == 4096 ? 8192 : 4096;
  if (changed.rlim_cur > kept.rlim_max) return; /* the limit cannot be set */
  ASSERT_EQ_INT(setrlimit(RLIMIT_CORE, &changed), 0);
  ASSERT_EQ_INT(pipe2(tube, O_CLOEXEC), 0);
  ASSERT_EQ_INT(reaper_start(&reaper, NULL, tells_its_limit, &first, &error), 0);
  ASSERT_TRUE(reaper_wait(&reaper, 5000, &status));
  ASSERT_EQ_INT(setrlimit(RLIMIT_CORE, &kept), 0);
  ASSERT_EQ_INT(status, 0);
  nobody_is_left();
}

/* ---- Frozen workers ---- */

static void what_is_frozen_ends_with_the_parent(void) {
  ASSERT_EQ_INT(pipe2(tube, O_CLOEXEC), 0);
  fflush(stdout);
  pid_t parent = fork();
  if (parent == 0) {
    static const int count = 3;
    char byte;
    if (reaper_start(&reaper, NULL, hangs, &count, &error) != 0) _exit(1);
    for (int i = 0; i < 4; i++)
      if (read(tube[0], &byte, 1) != 1) _exit(1);
    if (freeze_below(reaper.pid)) tell('f');
    stay();
  }
  hears("f");
  kill(parent, SIGKILL);
  ASSERT_EQ_INT(waitpid(parent, NULL, 0), parent);
  nobody_is_left();
}

/* Freezes (stops) a tree of processes while it still grows. After that it must not grow. */
static void a_crowd_is_frozen(void) {
  int status = 0;
  static const struct timespec pause = {.tv_nsec = 20000000};
  start(grows, 0);
  ASSERT_TRUE(freeze_below(reaper.pid));
  nanosleep(&pause, NULL);
  ASSERT_TRUE(freeze_below(reaper.pid)); /* there is nothing to do */
  thaw_below(reaper.pid);
  ASSERT_TRUE(freeze_below(reaper.pid));
  ASSERT_TRUE(reaper_end(&reaper, &status));
  nobody_is_left();
}

int main(void) {
  static const struct unit_test tests[] = {UNIT_TEST(a_worker_ends_by_itself),
                                           UNIT_TEST(what_it_left_behind_ends_with_it),
                                           UNIT_TEST(a_death_is_told_as_it_was),
                                           UNIT_TEST(a_hanging_worker_is_ended),
                                           UNIT_TEST(a_crowd_is_ended),
                                           UNIT_TEST(all_end_with_the_parent),
                                           UNIT_TEST(both_lead_groups_of_their_own),
                                           UNIT_TEST(workers_begin_as_the_first_one),
                                           UNIT_TEST(a_killed_warden_takes_its_worker_along),
                                           UNIT_TEST(what_is_frozen_ends_with_the_parent),
                                           UNIT_TEST(a_crowd_is_frozen)};
  alarm(1000); /* a parent that hangs is a failure as well */
  return unit_run("warden", tests, sizeof tests / sizeof tests[0]);
}
