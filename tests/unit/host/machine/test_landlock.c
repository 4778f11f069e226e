/* Tests what a restricted process can still reach. */
#include "machine/landlock.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

/* The tree that the tests create: TOP/run (hidden), TOP/run/results, TOP/other, TOP/base/scratch-own,
 * TOP/base/scratch-theirs/secret */
static char top[] = "/tmp/gpubench-landlock-XXXXXX";

static const char *in_top(const char *name) {
  static char paths[8][256];
  static unsigned next;
  char *path = paths[next++ % 8];
  snprintf(path, sizeof paths[0], "%s/%s", top, name);
  return path;
}

static void make_file(const char *name) {
  const int fd = open(in_top(name), O_WRONLY | O_CREAT, 0644);
  if (fd < 0 || write(fd, "x", 1) != 1) abort();
  close(fd);
}

static int make_all(void) {
  if (mkdtemp(top) == NULL) return -1;
  mkdir(in_top("run"), 0755), mkdir(in_top("base"), 0755);
  mkdir(in_top("base/scratch-own"), 0755), mkdir(in_top("base/scratch-theirs"), 0755);
  make_file("run/results"), make_file("other"), make_file("base/scratch-theirs/secret"), make_file("base/plain");
  return symlink(in_top("run"), in_top("latest"));
}

/* Returns the result of `try` in a restricted process; 99: the process could not be restricted. */
static int bounded(int (*try)(void)) {
  int status = 0;
  const pid_t pid = fork();
  if (pid == 0) {
    struct err err = {0};
    char own[256], hidden[256], proc[32];
    snprintf(own, sizeof own, "%s", in_top("base/scratch-own"));
    snprintf(hidden, sizeof hidden, "%s", in_top("run"));
    snprintf(proc, sizeof proc, "/proc/%d", (int)getpid());
    const struct landlock_bounds bounds = {own, hidden, proc, "scratch-"};
    if (landlock_enter(&bounds, &err) != 0) {
      fprintf(stderr, "%s\n", err.text);
      _exit(99);
    }
    _exit(try());
  }
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
}

static int opens(const char *path, int how) {
  const int fd = open(path, how, 0600);
  if (fd >= 0) close(fd);
  return fd >= 0;
}

static int try_reading(void) {
  if (opens(in_top("run/results"), O_RDONLY) || opens(in_top("latest/results"), O_RDONLY)) return 1;
  if (opens(in_top("base/scratch-theirs/secret"), O_RDONLY)) return 2;
  if (!opens(in_top("other"), O_RDONLY) || !opens(in_top("base/plain"), O_RDONLY)) return 3;
  if (!opens("/etc/passwd", O_RDONLY) || !opens("/proc/self/status", O_RDONLY)) return 4;
  /* names can be listed, because imports from the folder need that */
  return opens(top, O_RDONLY | O_DIRECTORY) ? 0 : 5;
}

static int try_writing(void) {
  if (opens(in_top("other"), O_WRONLY) || opens(in_top("new"), O_WRONLY | O_CREAT)) return 1;
  if (opens(in_top("run/results"), O_WRONLY) || opens(in_top("run/new"), O_WRONLY | O_CREAT)) return 2;
  if (unlink(in_top("other")) == 0 || rename(in_top("other"), in_top("moved")) == 0) return 3;
  if (truncate(in_top("other"), 0) == 0 && landlock_version() >= 3) return 4;
  if (mkdir(in_top("folder"), 0700) == 0 || opens("/tmp/gpubench-landlock-planted", O_WRONLY | O_CREAT)) return 5;
  if (!opens(in_top("base/scratch-own/file"), O_WRONLY | O_CREAT) || !opens("/dev/null", O_WRONLY)) return 6;
  if (mkdir(in_top("base/scratch-own/folder"), 0700) != 0 || rmdir(in_top("base/scratch-own/folder")) != 0) return 7;
  return link(in_top("run/results"), in_top("base/scratch-own/theirs")) == 0 ? 8 : 0;
}

static int try_processes(void) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/mem", (int)getppid());
  if (opens(path, O_RDONLY) || ptrace(PTRACE_SEIZE, getppid(), NULL, NULL) == 0) return 1;
  return kill(getppid(), 0) == 0 && landlock_version() >= LANDLOCK_SIGNALS ? 2 : 0;
}

/* A restricted process can write the names of its threads to /proc: CUDA does that, and does not start if it cannot.
 * It can write no other files there. */
static int try_proc(void) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/comm", (int)getppid());
  if (!opens("/proc/self/comm", O_WRONLY) || !opens("/proc/thread-self/comm", O_WRONLY | O_TRUNC)) return 1;
  return opens(path, O_WRONLY) || opens("/proc/sys/kernel/core_pattern", O_WRONLY) ? 2 : 0;
}

/* A child process is restricted as well. */
static int try_a_child(void) {
  int status = 0;
  const pid_t pid = fork();
  if (pid == 0) _exit(try_writing() + 16 * try_reading());
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 97;
}

static void reading(void) {
  ASSERT_EQ_INT(bounded(try_reading), 0);
}

static void writing(void) {
  ASSERT_EQ_INT(bounded(try_writing), 0);
}

static void processes(void) {
  ASSERT_EQ_INT(bounded(try_processes), 0);
}

static void proc_of_its_own(void) {
  ASSERT_EQ_INT(bounded(try_proc), 0);
}

static void children(void) {
  ASSERT_EQ_INT(bounded(try_a_child), 0);
}

static void a_run_that_is_not_there_yet(void) {
  struct err err = {0};
  int status = 0;
  const pid_t pid = fork();
  if (pid == 0) {
    const struct landlock_bounds bounds = {strdup(in_top("base/scratch-own")), strdup(in_top("later/run")), "/proc",
                                           NULL};
    _exit(landlock_enter(&bounds, &err) == 0 && opens(in_top("other"), O_RDONLY) ? 0 : 1);
  }
  waitpid(pid, &status, 0);
  ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static int clean(void) {
  char command[300];
  snprintf(command, sizeof command, "rm -rf %s", top);
  return system(command);
}

int main(void) {
  static const struct unit_test tests[] = {UNIT_TEST(reading),   UNIT_TEST(writing),
                                           UNIT_TEST(processes), UNIT_TEST(proc_of_its_own),
                                           UNIT_TEST(children),  UNIT_TEST(a_run_that_is_not_there_yet)};
  if (landlock_version() == 0) return puts("this kernel has no landlock: nothing to test"), 77;
  if (make_all() != 0) return 2;
  const int failed = unit_run("landlock", tests, sizeof tests / sizeof tests[0]);
  return clean() != 0 || failed;
}
