/* Starts reapers. A reaper is a process between gpubench and one worker, which kills everything that the worker leaves
 * behind. The code that runs in it is here too: it only waits, kills and reaps. */
#include "worker/reaper.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/glibc.h"
#include "base/process_stat.h"
#include "worker/signals.h"

static struct {
  bool there, placed;
  cpu_set_t processors;
  int policy, priority;
  struct rlimit limits[RLIM_NLIMITS];
} taken;

void inherited_take(void) {
  if (taken.there) return;
  taken.there = true;
  taken.placed = sched_getaffinity(0, sizeof taken.processors, &taken.processors) == 0;
  taken.policy = sched_getscheduler(0);
  taken.priority = getpriority(PRIO_PROCESS, 0);
  for (int i = 0; i < RLIM_NLIMITS; i++)
    getrlimit((__rlimit_resource_t)i, &taken.limits[i]);
}

void inherited_restore(void) {
  const struct sched_param none = {0};
  if (!taken.there) return;
  if (taken.placed) sched_setaffinity(0, sizeof taken.processors, &taken.processors);
  if (sched_getscheduler(0) != taken.policy) sched_setscheduler(0, taken.policy, &none);
  if (getpriority(PRIO_PROCESS, 0) != taken.priority) setpriority(PRIO_PROCESS, 0, taken.priority);
  for (int i = 0; i < RLIM_NLIMITS; i++)
    setrlimit((__rlimit_resource_t)i, &taken.limits[i]);
}

/* number of descriptors that must be free: reaper and worker move descriptors to 16 and above before dup2() puts them
 * in their places */
enum { FILES = 24 };

static void limit_text(__rlimit_resource_t which, char *to, size_t size) {
  struct rlimit limit;
  to[0] = '\0';
  if (getrlimit(which, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    snprintf(to, size, " (limit %llu)", (unsigned long long)limit.rlim_cur);
}

int exhausted_err(int error, struct err *err) {
  char limit[64] = "";
  const char *why = strerror(error);
  if (error == EMFILE) {
    limit_text(RLIMIT_NOFILE, limit, sizeof limit);
    why = "too many open files";
  } else if (error == EAGAIN) {
    limit_text(RLIMIT_NPROC, limit, sizeof limit);
    why = "too many processes";
  }
  return err_set(err, EXIT_FAILED, "cannot start a worker process: %s%s", why, limit);
}

int exhausted_files(void) {
  int fd = fcntl(0, F_DUPFD_CLOEXEC, FILES);
  if (fd < 0 && errno == EBADF) return 0; /* descriptor 0 is closed, so the test is not possible */
  if (fd < 0) return errno = EMFILE, -1;  /* EINVAL: the limit is below FILES */
  close(fd);
  return 0;
}

enum { LEASH = 0, BASE = 1, SWEEP_MS = 2, SWEEPS_MOST = 2500, KILL_MS = 20000, HURRY_MS = 500 };

/* ---- In the reaper's process ---- */

static void on_child(int number) {
  (void)number; /* does nothing: the signal only interrupts a wait */
}

static bool is_reaper_child(const char *pid) {
  struct process_stat stat;
  return pid[0] >= '1' && pid[0] <= '9' && process_stat_read(pid, &stat) && stat.parent == getpid();
}

static void kill_children(void) {
  DIR *processes = opendir("/proc");
  const struct dirent *entry;
  while (processes != NULL && (entry = readdir(processes)) != NULL)
    if (is_reaper_child(entry->d_name)) kill((pid_t)atoi(entry->d_name), SIGKILL);
  if (processes != NULL) closedir(processes);
}

/* Kills the children of this process until none is left. When a child dies, its own children become children of this
 * process. A process that cannot be killed, because it became another user's, is left. */
static void sweep_children(void) {
  const struct timespec pause = {.tv_nsec = SWEEP_MS * 1000000};
  for (int i = 0; i < SWEEPS_MOST; i++) {
    pid_t pid = waitpid(-1, NULL, WNOHANG);
    if (pid < 0 && errno == ECHILD) return;
    if (pid > 0) continue;
    kill_children();
    nanosleep(&pause, NULL);
  }
}

/* Waits until the worker has ended. Kills the worker when the parent has ended or has closed its end of the leash (the
 * socket between reaper and parent). */
static int watch_worker(pid_t worker, const sigset_t *open_mask) {
  struct pollfd leash = {.fd = LEASH, .events = POLLIN};
  for (;;) {
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
      if (pid == worker) return status;
    if (ppoll(&leash, leash.fd < 0 ? 0 : 1, NULL, open_mask) <= 0) continue;
    kill(worker, SIGKILL);
    kill(-worker, SIGKILL);
    leash.fd = -1;
  }
}

static void ignore_signals(void) {
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP, SIGTTIN, SIGTTOU, SIGUSR1, SIGUSR2};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
    signal(numbers[i], SIG_IGN);
}

/* Starts the worker as a child of this process. Blocks SIGCHLD first, so that the worker's end cannot be missed. */
static pid_t start_worker(sigset_t *open_mask, void (*enter)(const void *), const void *context) {
  const struct sigaction action = {.sa_handler = on_child};
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, open_mask);
  sigdelset(open_mask, SIGCHLD);
  setpgid(0, 0);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  pid_t worker = fork();
  if (worker == 0) {
    setpgid(0, 0);
    sigprocmask(SIG_SETMASK, open_mask, NULL);
    inherited_restore();
    enter(context);
    _exit(127);
  }
  sigaction(SIGCHLD, &action, NULL);
  return worker;
}

/* Moves the leash (the socket to the parent) to descriptor 0, and opens the folder that contains the worker's scratch
 * directory as descriptor 1. That descriptor refers to the same folder even if its name changes. */
static void hold_leash(int leash, const struct scratch *scratch) {
  leash = fcntl(leash, F_DUPFD, 16);
  int base = scratch != NULL ? scratch_open_base(scratch) : -1, other = base >= 0 ? fcntl(base, F_DUPFD, 16) : -1;
  dup2(leash, LEASH);
  close(BASE);
  if (other >= 0) dup2(other, BASE);
  closefrom(BASE + 1);
}

static _Noreturn void guard_worker(int leash, const struct scratch *scratch, void (*enter)(const void *),
                                   const void *context) {
  struct err ignored = {0}; /* ignored, because the parent removes what this process leaves of the scratch directory */
  sigset_t open_mask;
  pid_t worker = start_worker(&open_mask, enter, context);
  int32_t said = worker > 0 ? (int32_t)worker : -errno;
  ignore_signals();
  prctl(PR_SET_NAME, "gpubench-reaper");
  hold_leash(leash, scratch);
  (void)send(LEASH, &said, sizeof said, MSG_NOSIGNAL);
  if (worker < 0) _exit(1);
  said = watch_worker(worker, &open_mask);
  kill(-worker, SIGKILL);
  sweep_children();
  bool alone = send(LEASH, &said, sizeof said, MSG_NOSIGNAL) < 0;
  if (scratch != NULL) scratch_remove(BASE, scratch->name, scratch->uid, &ignored);
  _exit(alone);
}

/* ---- In the parent ---- */

static bool hear_reaper(int leash, int32_t *said) {
  ssize_t got;
  while ((got = recv(leash, said, sizeof *said, MSG_WAITALL)) < 0 && errno == EINTR)
    continue;
  return got == sizeof *said;
}

static void bury_reaper(struct reaper *reaper) {
  while (waitpid(reaper->pid, NULL, 0) < 0 && errno == EINTR)
    continue;
  close(reaper->leash);
  *reaper = (struct reaper){.leash = -1};
}

int reaper_start(struct reaper *reaper, const struct scratch *scratch, void (*enter)(const void *), const void *context,
                 struct err *err) {
  int leash[2];
  int32_t said = 0;
  inherited_take();
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, leash) != 0) return exhausted_err(errno, err);
  pid_t pid = fork();
  int why = errno;
  if (pid == 0) {
    close(leash[0]);
    guard_worker(leash[1], scratch, enter, context);
  }
  close(leash[1]);
  *reaper = (struct reaper){.pid = pid, .leash = leash[0]};
  if (pid > 0 && hear_reaper(leash[0], &said) && said > 0) {
    reaper->worker = said;
    return 0;
  }
  if (pid > 0) {
    why = said < 0 ? -said : ECHILD;
    bury_reaper(reaper);
  } else {
    close(leash[0]);
  }
  return exhausted_err(why, err);
}

static int64_t now_ms(void) {
  return clock_now_ns() / 1000000;
}

bool reaper_wait(struct reaper *reaper, int patience_ms, int *status) {
  struct pollfd leash = {.fd = reaper->leash, .events = POLLIN};
  int32_t said = 0;
  int ready = 0;
  for (int64_t end = now_ms() + patience_ms, left = patience_ms; ready <= 0 && left >= 0; left = end - now_ms())
    ready = poll(&leash, 1, (int)left);
  if (ready <= 0) return false;
  /* a reaper that says nothing was killed; the kernel then killed its worker too, with SIGKILL (PR_SET_PDEATHSIG) */
  *status = hear_reaper(reaper->leash, &said) ? said : SIGKILL;
  bury_reaper(reaper);
  return true;
}

bool reaper_end(struct reaper *reaper, int *status) {
  if (reaper->pid == 0) return true;
  shutdown(reaper->leash, SHUT_WR);
  kill(reaper->pid, SIGCONT); /* the reaper may have been stopped by its worker */
  if (reaper_wait(reaper, signals_asked_to_finish() ? HURRY_MS : KILL_MS, status)) return true;
  close(reaper->leash);
  *reaper = (struct reaper){.leash = -1};
  return false;
}
