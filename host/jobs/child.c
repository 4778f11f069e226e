#include "jobs/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/memory.h"
#include "base/output.h"
#include "worker/signals.h"

enum { LINE_SIZE = 4096, LOOK_MS = 50 };

struct running {
  struct child *child;
  pid_t pid; /* pid of the child; 0: it has ended */
  int said;  /* read end of its stderr; -1: closed */
  int log;
  char line[LINE_SIZE];
  size_t used;
};

/* ---- Starting a child ---- */

static void bind_to(const struct cpus *cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (unsigned cpu = cpus_next(cpus, 0); cpu < CPU_SETSIZE; cpu = cpus_next(cpus, cpu + 1))
    CPU_SET(cpu, &set);
  if (CPU_COUNT(&set) > 0) sched_setaffinity(0, sizeof set, &set); /* if this fails, the child runs on any processor */
}

static _Noreturn void become(const struct child *child, pid_t parent, int log, int say) {
  char **words = xcalloc(child->words.count + 2, sizeof *words);
  words[0] = "gpubench";
  for (size_t i = 0; i < child->words.count; i++)
    words[i + 1] = child->words.items[i];
  /* ends the child when its parent ends, because then its results would not be merged */
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(127);
  if (child->cpus != NULL) bind_to(child->cpus);
  if (child->folder != NULL && chdir(child->folder) != 0) _exit(127);
  if (log >= 0) dup2(log, 1);
  if (say >= 0) dup2(say, 2);
  execv("/proc/self/exe", words);
  _exit(127);
}

static void start_child(struct running *r) {
  struct child *child = r->child;
  int said[2] = {-1, -1};
  const pid_t parent = getpid();
  r->log = child->log != NULL ? open(child->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
  if (child->log != NULL && pipe2(said, O_CLOEXEC) != 0) said[0] = said[1] = -1;
  r->pid = fork();
  if (r->pid == 0) become(child, parent, r->log, said[1]);
  if (said[1] >= 0) close(said[1]);
  r->said = said[0];
  if (r->pid > 0) return;
  r->pid = 0;
}

/* ---- While the children run ---- */

static void say_line(struct running *r, size_t length) {
  r->line[length] = '\0';
  escape_terminal(r->line, output_utf8());
  if (!r->child->quiet) fprintf(stderr, "%s %s\n", r->child->label, r->line);
}

static void say_lines(struct running *r) {
  char *end;
  while ((end = memchr(r->line, '\n', r->used)) != NULL || r->used + 1 == sizeof r->line) {
    const size_t length = end != NULL ? (size_t)(end - r->line) : r->used, taken = length + (end != NULL);
    char rest[LINE_SIZE];
    memcpy(rest, r->line + taken, r->used - taken);
    say_line(r, length);
    r->used -= taken;
    memcpy(r->line, rest, r->used);
  }
}

static void stop_log(struct running *r) {
  fprintf(stderr, "gpubench: warning: %s: %s\n", r->child->log, strerror(errno));
  close(r->log);
  r->log = -1;
}

static void hear_child(struct running *r) {
  const ssize_t got = read(r->said, r->line + r->used, sizeof r->line - 1 - r->used);
  if (got < 0 && errno == EINTR) return;
  if (got > 0) {
    if (r->log >= 0 && write(r->log, r->line + r->used, (size_t)got) < 0) stop_log(r);
    r->used += (size_t)got;
    say_lines(r);
    return;
  }
  if (r->used > 0) say_line(r, r->used);
  r->used = 0;
  close(r->said);
  r->said = -1;
}

/* Reads and prints what the children write. Returns false if none has written anything. */
static bool listen_to_children(struct running *all, size_t count, int patience_ms) {
  SCOPED struct pollfd *fds = xcalloc(count, sizeof *fds);
  bool any = false;
  for (size_t i = 0; i < count; i++)
    fds[i] = (struct pollfd){.fd = all[i].said, .events = POLLIN};
  if (poll(fds, count, patience_ms) > 0)
    for (size_t i = 0; i < count; i++) {
      if (fds[i].revents == 0) continue;
      hear_child(&all[i]);
      any = true;
    }
  return any;
}

/* Forwards to the children the first and the second signal that this process has received. `*passed` is the number of
 * signals that were forwarded already. */
static void pass_on(const struct running *all, size_t count, int *passed) {
  const int due = signals_last() == 0 ? 0 : signals_insisted() ? 2 : 1;
  for (; *passed < due; ++*passed)
    for (size_t i = 0; i < count; i++)
      if (all[i].pid > 0) kill(all[i].pid, signals_last());
}

static bool look_for_ends(struct running *all, size_t count) {
  bool any = false;
  for (size_t i = 0; i < count; i++) {
    if (all[i].pid > 0 && waitpid(all[i].pid, &all[i].child->status, WNOHANG) == all[i].pid) all[i].pid = 0;
    any = any || all[i].pid > 0;
  }
  return any;
}

void children_run(struct child *children, size_t count) {
  SCOPED struct running *all = xcalloc(count, sizeof *all);
  int passed = signals_last() == 0 ? 0 : 1;
  fflush(NULL);
  for (size_t i = 0; i < count; i++) {
    all[i] = (struct running){.child = &children[i], .said = -1, .log = -1};
    children[i].status = -1;
    start_child(&all[i]);
  }
  while (look_for_ends(all, count)) {
    listen_to_children(all, count, LOOK_MS);
    pass_on(all, count, &passed);
  }
  /* Reads the children's last lines. Does not wait for the end of the pipe, because a process that a job left behind
   * may keep the pipe open. */
  while (listen_to_children(all, count, 0))
    continue;
  for (size_t i = 0; i < count; i++) {
    if (all[i].said >= 0) close(all[i].said);
    if (all[i].log >= 0) close(all[i].log);
  }
}

/* ---- How a child ended ---- */

int child_code(const struct child *child) {
  if (child->status == -1) return EXIT_FAILED;
  return WIFEXITED(child->status) ? WEXITSTATUS(child->status) : 128 + WTERMSIG(child->status);
}

void child_end(const struct child *child, char *to, size_t size) {
  char name[32];
  if (child->status == -1) {
    text_copy(to, size, "could not be started");
  } else if (WIFSIGNALED(child->status)) {
    text_signal(WTERMSIG(child->status), name, sizeof name);
    snprintf(to, size, "was killed by %s", name);
  } else {
    snprintf(to, size, "ended with exit code %d", WEXITSTATUS(child->status));
  }
}

void child_free(struct child *child) {
  strings_free(&child->words);
  free(child->folder);
  free(child->log);
}
