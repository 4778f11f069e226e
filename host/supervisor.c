/* Worker processes as the parent sees them: a socket, a shared page, a pipe with what they print, and a pid. */
#include "supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "worker.h"

enum { POLL_MS = 20, LEAVE_MS = 500, DIE_MS = 1000, READS_MOST = 32, FRAME_S = 10 };
static const double grace_s = 5; /* a callback may take this long to return once the user wants to stop */

struct supervised {
  pid_t pid; /* 0: gone */
  int socket, output;
  struct phase_page *page;
  int64_t stop_ns;    /* when it was asked to stop, or 0 */
  bool silent;        /* it has closed its output */
  char printed[4096]; /* the last of it */
  size_t printed_size;
};

static volatile sig_atomic_t signal_number, signal_count;

static void on_signal(int number) {
  signal_number = number;
  signal_count++;
}

void supervisor_catch_signals(void) {
  struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  signal(SIGPIPE, SIG_IGN);
}

int supervisor_signal(void) {
  return signal_number;
}

/* ---- Starting ---- */

struct ends {
  int socket[2], output[2], page;
};

static void close_ends(const struct ends *e) {
  const int all[] = {e->socket[0], e->socket[1], e->output[0], e->output[1], e->page};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    if (all[i] >= 0) close(all[i]);
}

static int make_ends(struct ends *e) {
  *e = (struct ends){{-1, -1}, {-1, -1}, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, e->socket) != 0) return -1;
  if (pipe2(e->output, O_CLOEXEC) != 0) return -1;
  e->page = memfd_create("gpubench-phase", MFD_CLOEXEC);
  return e->page < 0 ? -1 : ftruncate(e->page, sizeof(struct phase_page));
}

/* In the child: only async-signal-safe calls. The ends are moved up first, so that none is overwritten by another. */
static _Noreturn void become_worker(const struct ends *e, char **argv) {
  int socket = fcntl(e->socket[1], F_DUPFD, 16), page = fcntl(e->page, F_DUPFD, 16);
  int output = fcntl(e->output[1], F_DUPFD, 16), null = open("/dev/null", O_RDONLY);
  signal(SIGTERM, SIG_DFL);
  dup2(null, 0);
  dup2(output, 1);
  dup2(output, 2);
  dup2(socket, WORKER_SOCKET_FD);
  dup2(page, WORKER_PAGE_FD);
  closefrom(WORKER_PAGE_FD + 1);
  execv("/proc/self/exe", argv);
  _exit(127);
}

int supervised_start(struct supervised **worker, struct err *err) {
  struct ends e;
  char parent[16];
  char *argv[] = {"gpubench", WORKER_COMMAND, parent, NULL};
  snprintf(parent, sizeof parent, "%d", (int)getpid());
  void *page = MAP_FAILED;
  pid_t pid = -1;
  if (make_ends(&e) == 0) page = mmap(NULL, sizeof(struct phase_page), PROT_READ | PROT_WRITE, MAP_SHARED, e.page, 0);
  if (page != MAP_FAILED) pid = fork();
  if (pid == 0) become_worker(&e, argv);
  if (pid < 0) {
    err_set(err, EXIT_FAILED, "cannot start a worker process: %s", strerror(errno));
    close_ends(&e);
    return -1;
  }
  struct supervised *w = xcalloc(1, sizeof *w);
  *w = (struct supervised){.pid = pid, .socket = e.socket[0], .output = e.output[0], .page = page};
  e.socket[0] = e.output[0] = -1;
  close_ends(&e);
  fcntl(w->output, F_SETFL, O_NONBLOCK);
  const struct timeval patience = {.tv_sec = FRAME_S}; /* a frame that stops halfway must not hold the parent */
  setsockopt(w->socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  *worker = w;
  return 0;
}

/* ---- Watching ---- */

/* A full pipe's worth at most: a worker may print faster than we read, and its limit is to be watched meanwhile. */
static void drain_output(struct supervised *w) {
  char buffer[4096];
  ssize_t got;
  for (int reads = 0; reads < READS_MOST && (got = read(w->output, buffer, sizeof buffer)) > 0; reads++) {
    size_t size = (size_t)got, room = sizeof w->printed - 1, keep = w->printed_size;
    if (keep + size > room) {
      size_t cut = keep + size - room < keep ? keep + size - room : keep;
      memmove(w->printed, w->printed + cut, keep -= cut);
    }
    size_t start = size > room ? size - room : 0;
    memcpy(w->printed + keep, buffer + start, size - start);
    w->printed_size = keep + size - start;
    w->printed[w->printed_size] = '\0';
  }
}

static void last_line(struct supervised *w, char *to, size_t size) {
  drain_output(w);
  for (size_t i = 0; i < w->printed_size; i++)
    if (w->printed[i] == '\0') w->printed[i] = '?';
  size_t end = w->printed_size;
  while (end > 0 && strchr("\n\r ", w->printed[end - 1]) != NULL)
    end--;
  w->printed[end] = '\0';
  char *line = strrchr(w->printed, '\n');
  text_copy(to, size, line ? line + 1 : w->printed);
  text_sanitize(to);
}

/* Waits for it to end by itself, and ends it otherwise. True when it had to be killed. */
static bool reap(struct supervised *w, int patience_ms, int *status) {
  bool gone = false;
  for (int waited = 0; !gone && waited < patience_ms; waited += 5) {
    gone = waitpid(w->pid, status, WNOHANG) == w->pid;
    if (!gone) usleep(5000);
  }
  if (!gone) {
    kill(w->pid, SIGKILL);
    while (waitpid(w->pid, status, 0) < 0 && errno == EINTR)
      continue;
  }
  w->pid = 0;
  return !gone && WIFSIGNALED(*status) && WTERMSIG(*status) == SIGKILL;
}

static void name_signal(int number, char *to, size_t size) {
  const char *name = sigabbrev_np(number);
  if (name != NULL)
    snprintf(to, size, "SIG%s", name);
  else
    snprintf(to, size, "signal %d", number);
}

/* `how` NULL: by itself. What has closed or broken its socket without dying is ended too. */
static void bury(struct supervised *w, enum ending_kind kind, const char *how, struct ending *ending) {
  int status = 0;
  ending->kind = kind;
  ending->phase = (enum phase)atomic_load(&w->page->phase);
  ending->variant = atomic_load(&w->page->variant);
  bool killed = reap(w, kind == ENDING_DIED ? DIE_MS : 0, &status);
  if (how == NULL && killed) how = "hung up";
  if (how != NULL)
    text_copy(ending->how, sizeof ending->how, how);
  else if (WIFSIGNALED(status))
    name_signal(WTERMSIG(status), ending->how, sizeof ending->how);
  else
    snprintf(ending->how, sizeof ending->how, "exited with status %d", WEXITSTATUS(status));
  last_line(w, ending->tail, sizeof ending->tail);
}

/* Ends the wait when a callback has outlasted the limit or the user insists. */
static bool gave_up(struct supervised *w, double timeout_s, struct ending *ending) {
  char how[TEXT_SIZE];
  bool idle = atomic_load(&w->page->phase) == PHASE_IDLE; /* before its time: they are written the other way round */
  double seconds = (double)(clock_now_ns() - atomic_load(&w->page->since_ns)) * 1e-9;
  if (signal_count > 0 && atomic_exchange(&w->page->stop, 1) == 0) w->stop_ns = clock_now_ns();
  bool inside = !idle && seconds > grace_s;
  bool waited = w->stop_ns != 0 && (double)(clock_now_ns() - w->stop_ns) * 1e-9 > grace_s;
  if (signal_count > 1 || (inside && waited)) {
    bury(w, ENDING_INTERRUPTED, "interrupted", ending);
    return true;
  }
  if (idle || seconds < timeout_s) return false;
  snprintf(how, sizeof how, "no return within %g s", timeout_s);
  bury(w, ENDING_TIMEOUT, how, ending);
  return true;
}

/* Foreign code runs where it comes from: it must be a text, and a failure. */
static void take_failure(const struct err *err, struct ending *ending) {
  ending->kind = ENDING_FAILED;
  ending->err = *err;
  ending->err.text[sizeof ending->err.text - 1] = '\0';
  text_sanitize(ending->err.text);
  if (err->exit_code < EXIT_REGRESSION || err->exit_code > EXIT_DEVICE) ending->err.exit_code = EXIT_FAILED;
}

/* True when the answer is complete or the worker is gone. */
static bool take_message(struct supervised *w, const struct listener *listener, struct ending *ending) {
  struct message message;
  bool last = false;
  if (wire_receive(w->socket, &message) != 0) {
    bury(w, ENDING_DIED, NULL, ending);
    return true;
  }
  const struct err *err = wire_as(&message, sizeof *err);
  if (message.type == MSG_DONE) {
    ending->kind = ENDING_DONE;
    last = true;
  } else if (message.type == MSG_FAILED && err != NULL) {
    take_failure(err, ending);
    last = true;
  } else if (listener != NULL) {
    listener->message(listener->user, &message);
  }
  free(message.payload);
  return last;
}

void supervised_ask(struct supervised *w, enum message_type type, const void *payload, size_t size,
                    const struct listener *listener, double timeout_s, struct ending *ending) {
  *ending = (struct ending){.variant = -1};
  if (w->pid == 0 || wire_send(w->socket, type, payload, size) != 0) {
    ending->kind = ENDING_DIED;
    text_copy(ending->how, sizeof ending->how, "ended before it was asked");
    if (w->pid != 0) bury(w, ENDING_DIED, NULL, ending);
    return;
  }
  for (bool ended = false; !ended;) {
    struct pollfd fds[] = {{.fd = w->socket, .events = POLLIN}, {.fd = w->silent ? -1 : w->output, .events = POLLIN}};
    poll(fds, 2, POLL_MS);
    if (fds[1].revents & POLLIN)
      drain_output(w);
    else if (fds[1].revents != 0)
      w->silent = true; /* or it would be ready for ever */
    if (fds[0].revents != 0) ended = take_message(w, listener, ending);
    if (!ended) ended = gave_up(w, timeout_s, ending); /* also while it talks without a pause */
    if (listener != NULL && listener->tick != NULL) listener->tick(listener->user);
  }
}

void supervised_stop(struct supervised *w) {
  if (w == NULL) return;
  shutdown(w->socket, SHUT_RDWR);
  int status;
  if (w->pid != 0) reap(w, LEAVE_MS, &status);
  close(w->socket);
  close(w->output);
  munmap(w->page, sizeof *w->page);
  free(w);
}
