/* Tests every setting of the process that a callback may leave changed: it is found, named and restored. The test
 * plays the callback. */
#include "plugin/process_state.h"

#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "unit.h"

static int pair[2];
static struct process_state_finding finding;

static void nothing_before_it_is_taken(void) {
  umask(0);
  ASSERT_EQ_INT(process_state_check(&finding), PROCESS_STATE_NONE);
  umask(022);
  ASSERT_EQ_INT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
  setenv("GUARD_TEST", "as it was", 1);
  process_state_take(pair[0]);
  ASSERT_EQ_INT(process_state_check(&finding), PROCESS_STATE_NONE);
  ASSERT_EQ_STR(finding.text, "");
}

/* Checks that the change is found once, and restored. */
static void finds(const char *text) {
  ASSERT_EQ_INT(process_state_check(&finding), PROCESS_STATE_UNDONE);
  ASSERT_EQ_INT(finding.harm, PROCESS_STATE_UNDONE);
  ASSERT_HAS(finding.text, text);
  ASSERT_EQ_INT(process_state_check(&finding), PROCESS_STATE_NONE);
  ASSERT_EQ_STR(finding.text, "");
}

static void arithmetic(void) {
  fesetround(FE_DOWNWARD);
  finds("changed the floating-point mode (rounding)");
  ASSERT_EQ_INT(fegetround(), FE_TONEAREST);
  if (feenableexcept(FE_DIVBYZERO) != -1) /* many Arm processors have none */
    finds("changed the floating-point mode (traps)");
  volatile double zero = 0;
  ASSERT_TRUE(isinf(1 / zero));
#if defined(__x86_64__)
  volatile double tiny = 1e-310;
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
  ASSERT_TRUE(tiny * 1 == 0);
  finds("changed the floating-point mode (flush to zero)");
  ASSERT_TRUE(tiny * 1 > 0);
  __asm__ volatile("pxor %%mm0, %%mm0" ::: "mm0");
  finds("changed the floating-point mode (x87 registers left in use)");
  volatile long double one = 1;
  ASSERT_TRUE(one + one == 2);
#endif
}

static void signals(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigprocmask(SIG_BLOCK, &set, NULL);
  finds("blocked SIGTERM");
  sigprocmask(SIG_SETMASK, NULL, &set);
  ASSERT_EQ_INT(sigismember(&set, SIGTERM), 0);
  struct sigaction before, after;
  sigaction(SIGSEGV, NULL, &before); /* a sanitizer installs its own */
  signal(SIGSEGV, SIG_IGN);
  finds("changed what SIGSEGV does");
  sigaction(SIGSEGV, NULL, &after);
  ASSERT_TRUE(before.sa_handler == after.sa_handler);
  signal(SIGBUS, SIG_IGN);
  signal(SIGSEGV, SIG_IGN);
  signal(SIGRTMAX, SIG_IGN);
  finds("changed what SIGBUS and 2 other signals do");
}

static void timers(void) {
  const struct itimerval soon = {.it_value = {.tv_usec = 20000}};
  setitimer(ITIMER_REAL, &soon, NULL);
  finds("left an alarm set");
  setitimer(ITIMER_VIRTUAL, &soon, NULL);
  finds("left a virtual alarm set");
  setitimer(ITIMER_PROF, &soon, NULL);
  finds("left a profiling alarm set");
  struct itimerspec later = {.it_value = {.tv_nsec = 20000000}};
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
  timer_t timer;
  ASSERT_EQ_INT(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
  ASSERT_EQ_INT(timer_settime(timer, 0, &later, NULL), 0);
  if (access("/proc/self/timers", R_OK) == 0)
    finds("left a timer set");
  else
    timer_delete(timer);
  usleep(50000); /* waits until the timer would have fired: if it is still set, its signal ends this test */
  UNIT_PASS();
}

static void directory(void) {
  char before[4096], after[4096];
  ASSERT_TRUE(getcwd(before, sizeof before) != NULL);
  ASSERT_EQ_INT(chdir("/proc"), 0);
  finds("changed the directory to /proc");
  ASSERT_TRUE(getcwd(after, sizeof after) != NULL);
  ASSERT_EQ_STR(after, before);
}

static void texts(void) {
  ASSERT_TRUE(setlocale(LC_ALL, "C.UTF-8") != NULL);
  finds("changed the locale to C.UTF-8");
  ASSERT_EQ_STR(setlocale(LC_ALL, NULL), "C");
  locale_t locale = newlocale(LC_NUMERIC_MASK, "C.UTF-8", (locale_t)0);
  uselocale(locale);
  finds("changed its thread's locale");
  freelocale(locale);
  setenv("GUARD_TEST", "otherwise", 1);
  finds("changed the environment (GUARD_TEST)");
  ASSERT_EQ_STR(getenv("GUARD_TEST"), "as it was");
  setenv("GUARD_NEW", "1", 1);
  finds("changed the environment (GUARD_NEW)");
  ASSERT_TRUE(getenv("GUARD_NEW") == NULL);
  setenv("GUARD_WITH_SIXTY_FOUR_LETTERS_FOUR_FIVE_SIX_SEVEN_EIGHT_NINE_TEN", "1", 1);
  finds("changed the environment (GUARD_WITH_SIXTY_FOUR_LETTERS_FOUR_FIVE_SIX_SEVEN_EIGHT_NINE_TEN)");
  unsetenv("GUARD_TEST");
  finds("changed the environment (GUARD_TEST)");
  clearenv();
  finds("changed the environment (");
  ASSERT_EQ_STR(getenv("GUARD_TEST"), "as it was");
}

static void limits_and_ties(void) {
  struct rlimit limit;
  ASSERT_EQ_INT(getrlimit(RLIMIT_NOFILE, &limit), 0);
  const struct rlimit low = {3, limit.rlim_max};
  setrlimit(RLIMIT_NOFILE, &low);
  finds("changed the limit NOFILE");
  umask(0);
  finds("changed the umask to 0000");
  ASSERT_EQ_INT(umask(022), 022);
  const struct sched_param parameter = {0};
  ASSERT_EQ_INT(sched_setscheduler(0, SCHED_BATCH, &parameter), 0);
  finds("changed its scheduling policy to 3");
  ASSERT_EQ_INT(sched_getscheduler(0), SCHED_OTHER);
  prctl(PR_SET_TIMERSLACK, 123456);
  finds("changed its timer slack to 123456 ns");
  prctl(PR_SET_PDEATHSIG, SIGUSR2);
  finds("changed what its parent's death does to it");
  cpu_set_t all, one;
  ASSERT_EQ_INT(sched_getaffinity(0, sizeof all, &all), 0);
  CPU_ZERO(&one);
  for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
    if (CPU_ISSET(i, &all)) CPU_SET(i, &one);
  ASSERT_EQ_INT(sched_setaffinity(0, sizeof one, &one), 0);
  ASSERT_EQ_INT(process_state_check(&finding), PROCESS_STATE_NONE); /* restored silently */
  ASSERT_EQ_INT(sched_getaffinity(0, sizeof one, &one), 0);
  ASSERT_TRUE(CPU_EQUAL(&one, &all));
}

static void descriptors(void) {
  struct stat before, after;
  ASSERT_EQ_INT(fstat(1, &before), 0);
  fflush(stdout);
  close(1);
  finds("closed or replaced descriptor 1");
  int null = open("/dev/null", O_WRONLY);
  dup2(null, 2);
  close(null);
  finds("closed or replaced descriptor 2");
  close(pair[0]);
  char text[64];
  snprintf(text, sizeof text, "closed or replaced descriptor %d", pair[0]);
  finds(text);
  ASSERT_EQ_INT(fstat(1, &after), 0);
  ASSERT_EQ_INT(before.st_ino, after.st_ino);
  ASSERT_EQ_INT(write(pair[0], "x", 1), 1); /* the connection still works */
}

static void memory(void) {
  enum { MOST = 40000 };
  static void *blocks[MOST];
  static size_t sizes[MOST];
  int count = 0;
  for (size_t bytes = (size_t)1 << 44; bytes >= (size_t)1 << 29; bytes /= 2)
    while (count < MOST && (blocks[count] = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                                                 -1, 0)) != MAP_FAILED)
      sizes[count++] = bytes;
  if (count == MOST) return; /* some machines allow more mappings, so that sanitizers work */
  ASSERT_EQ_INT(process_state_check(&finding), PROCESS_STATE_LASTING);
  ASSERT_EQ_STR(finding.text, "left no memory to others");
  while (count-- > 0)
    munmap(blocks[count], sizes[count]);
  ASSERT_EQ_INT(process_state_check(&finding), PROCESS_STATE_NONE);
}

static void several_at_once(void) {
  umask(0);
  ASSERT_EQ_INT(chdir("/proc"), 0);
  fesetround(FE_UPWARD);
  finds("changed the floating-point mode (rounding), changed the directory to /proc, changed the umask to 0000");
}

static void children(void) {
  pid_t pid = fork();
  if (pid == 0) {
    pause();
    _exit(0);
  }
  char text[64];
  snprintf(text, sizeof text, "left process %d running", (int)pid);
  finds(text);
  ASSERT_EQ_INT(kill(pid, 0), -1);
  if (fork() == 0) _exit(0); /* a child that ended leaves no finding and no zombie */
  siginfo_t info;
  ASSERT_EQ_INT(waitid(P_ALL, 0, &info, WEXITED | WNOWAIT), 0);
  ASSERT_EQ_INT(process_state_check(&finding), PROCESS_STATE_NONE);
  ASSERT_EQ_INT(waitpid(-1, NULL, WNOHANG), -1);
  /* the orphan of a daemon goes to the nearest subreaper */
  ASSERT_EQ_INT(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  if (fork() == 0) {
    setsid();
    for (int i = 0; i < 3; i++)
      if (fork() == 0) pause();
    _exit(0);
  }
  /* waits until the daemon has started the processes and ended, so that they are orphans */
  ASSERT_EQ_INT(waitid(P_ALL, 0, &info, WEXITED | WNOWAIT), 0);
  finds("left 3 processes running, one of them ");
}

/* A variant may keep child processes from prepare to release. Checks after other variants leave these alone, but do
 * find additional processes. */
static void kept_children(void) {
  siginfo_t info;
  process_state_keep_children(&finding, 1); /* there are none */
  const pid_t pid = fork();
  if (pid == 0) {
    while (clock() < CLOCKS_PER_SEC / 50) /* of processor time */
      continue;
    pause();
    _exit(0);
  }
  process_state_keep_children(&finding, 1);
  process_state_let_children_go(&finding, 2);
  process_state_let_children_go(pair, 1);
  ASSERT_EQ_INT(process_state_check(&finding), PROCESS_STATE_NONE);
  while (process_state_children_ns() < 10000000)
    usleep(1000);
  const pid_t stranger = fork();
  if (stranger == 0) pause();
  char text[64];
  snprintf(text, sizeof text, "left process %d running", (int)stranger);
  finds(text);
  ASSERT_EQ_INT(kill(pid, 0), 0);
  ASSERT_EQ_INT(kill(pid, SIGKILL), 0); /* the process that started it must wait for it */
  ASSERT_EQ_INT(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
  ASSERT_EQ_INT(process_state_check(&finding), PROCESS_STATE_NONE);
  ASSERT_EQ_INT(waitpid(pid, NULL, 0), pid);
  process_state_let_children_go(&finding, 1);
  ASSERT_EQ_INT(process_state_children_ns(), 0);
  const pid_t late = fork();
  if (late == 0) pause();
  process_state_keep_children(&finding, 1);
  process_state_let_children_go(&finding, 1);
  snprintf(text, sizeof text, "left process %d running", (int)late);
  finds(text);
}

static void it_is_quick(void) {
  struct timespec from, to;
  enum { TIMES = 1000 };
  double least = INFINITY;
  for (int i = 0; i < TIMES; i++) {
    clock_gettime(CLOCK_MONOTONIC, &from);
    process_state_check(&finding);
    clock_gettime(CLOCK_MONOTONIC, &to);
    least = fmin(least, (double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec));
  }
  printf("  %.1f us  ", least / 1000);
  ASSERT_TRUE(least < 2e6);
}

static bool grows(struct process_state_growth *growth, int64_t files, int64_t threads) {
  static char text[256];
  static const struct process_state_counts before = {10, 4};
  const struct process_state_counts after = {10 + files, 4 + threads};
  bool growing = process_state_grows(growth, &before, &after, text, sizeof text);
  ASSERT_EQ_INT(growing, growing && text[0] != '\0');
  return growing;
}

static void growth_slot_after_slot(void) {
  struct process_state_growth growth = {0};
  /* a large growth that occurs only once does not count, because thread pools and libraries cause it */
  ASSERT_TRUE(!grows(&growth, 500, 64));
  ASSERT_TRUE(!grows(&growth, 20, 8));
  for (int i = 0; i < 100; i++) /* a later growth that is released again */
    ASSERT_TRUE(!grows(&growth, i == 50 ? 30 : i == 60 ? -30 : 0, i == 70 ? 16 : 0));
  growth = (struct process_state_growth){.slots = 2};
  ASSERT_TRUE(!grows(&growth, 50, 0));
  ASSERT_TRUE(!grows(&growth, 50, 0));
  ASSERT_TRUE(grows(&growth, 50, 0));
  growth = (struct process_state_growth){.slots = 2};
  ASSERT_TRUE(!grows(&growth, 0, 1));
  ASSERT_TRUE(!grows(&growth, 0, 1));
  ASSERT_TRUE(grows(&growth, 0, 1)); /* it grew in three slots in a row */
  growth = (struct process_state_growth){.slots = 2};
  for (int i = 0; i < 14; i++)
    ASSERT_TRUE(!grows(&growth, 0, i % 2));
  ASSERT_TRUE(!grows(&growth, 0, 0));
  ASSERT_TRUE(grows(&growth, 0, 1)); /* it grew in eight slots in total */
}

static void counts(void) {
  struct process_state_counts before, after;
  process_state_count(&before);
  ASSERT_EQ_INT(before.threads, 1);
  int fds[3] = {dup(0), dup(0), dup(0)};
  process_state_count(&after);
  const int next = dup(0); /* inherited descriptors may lie in between */
  close(next);
  ASSERT_TRUE(after.files >= before.files + 3);
  ASSERT_EQ_INT(after.files, next);
  for (int i = 0; i < 3; i++)
    close(fds[i]);
}

static void *for_milliseconds(void *ms) {
  usleep((useconds_t)(intptr_t)ms * 1000);
  return NULL;
}

static void start_thread(intptr_t ms) {
  pthread_t thread;
  ASSERT_EQ_INT(pthread_create(&thread, NULL, for_milliseconds, (void *)ms), 0);
  pthread_detach(thread);
}

/* A thread that is about to end does not count as one that stays. */
static void threads_on_their_way_out(void) {
  struct process_state_counts before, after;
  process_state_count(&before);
  start_thread(8);
  process_state_count_after(&before, &after);
  ASSERT_EQ_INT(after.threads, before.threads);
  start_thread(400);
  const int64_t start = clock_now_ns();
  process_state_count_after(&before, &after);
  ASSERT_EQ_INT(after.threads, before.threads + 1);
  ASSERT_TRUE(clock_now_ns() - start >= 50000000);
  for (int i = 0; i < 500 && after.threads > before.threads; i++)
    process_state_count_after(&before, &after);
}

static void no_descriptor_is_free(void) {
  struct rlimit limit, low;
  struct process_state_counts before, full;
  process_state_count(&before);
  ASSERT_EQ_INT(getrlimit(RLIMIT_NOFILE, &limit), 0);
  pid_t pid = fork(); /* in a child process, because the check would restore the limit in this process */
  if (pid == 0) {
    low = (struct rlimit){(rlim_t)before.files, limit.rlim_max};
    setrlimit(RLIMIT_NOFILE, &low);
    process_state_count(&full);
    process_state_take(-1); /* makes the current limit the expected one */
    bool right = full.files > before.files && process_state_check(&finding) == PROCESS_STATE_LASTING &&
                 strstr(finding.text, "left no descriptor free") != NULL;
    _exit(right ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ_INT(waitpid(pid, &status, 0), pid);
  ASSERT_EQ_INT(status, 0);
}

/* Runs last, because its effects are permanent. */
static void what_lasts(void) {
  shutdown(pair[1], SHUT_RDWR);
  ASSERT_EQ_INT(process_state_check(&finding), PROCESS_STATE_CUT);
  ASSERT_HAS(finding.text, "shut down the connection to the host");
  closefrom(3);
  ASSERT_EQ_INT(process_state_check(&finding), PROCESS_STATE_CUT);
  ASSERT_HAS(finding.text, "closed or replaced descriptor ");
}

UNIT_MAIN("guard", UNIT_TEST(nothing_before_it_is_taken), UNIT_TEST(arithmetic), UNIT_TEST(signals), UNIT_TEST(timers),
          UNIT_TEST(directory), UNIT_TEST(texts), UNIT_TEST(limits_and_ties), UNIT_TEST(descriptors), UNIT_TEST(memory),
          UNIT_TEST(several_at_once), UNIT_TEST(children), UNIT_TEST(kept_children), UNIT_TEST(it_is_quick),
          UNIT_TEST(growth_slot_after_slot), UNIT_TEST(counts), UNIT_TEST(threads_on_their_way_out),
          UNIT_TEST(no_descriptor_is_free), UNIT_TEST(what_lasts))
