/* Runs a worker as a process, with a socket, a shared status page, and a pipe or file for its output. A reaper, a
 * process between this one and the worker, ends all processes that the worker leaves. */
#include "worker/child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/glibc.h"
#include "base/memory.h"
#include "base/process_stat.h"
#include "base/tree.h"
#include "worker/freeze.h"
#include "worker/isolation.h"
#include "worker/patience.h"
#include "worker/printed.h"
#include "worker/reaper.h"
#include "worker/signals.h"
#include "worker/worker.h"

/* Returns the path of this program, also under valgrind, where /proc/self/exe is valgrind. If the program's file was
 * replaced since the start, returns /proc/self/exe. */
static const char *own_binary(char *path, size_t size) {
  static const char gone[] = " (deleted)";
  ssize_t length = readlink("/proc/self/exe", path, size - 1);
  path[length > 0 ? length : 0] = '\0';
  const char *end = length > (ssize_t)strlen(gone) ? path + length - strlen(gone) : path;
  return strcmp(end, gone) != 0 && access(path, X_OK) == 0 ? path : "/proc/self/exe";
}

/* The script that turns a Python interpreter into a worker. It imports nothing from the current folder, and writes no
 * bytecode cache next to our own module. PyDLL keeps the GIL; plugins/python/README.md says why. */
static const char boot[] =
    "import sys\n"
    "sys.path = [sys.argv[1]] + [p for p in sys.path if p]\n"
    "kept, sys.dont_write_bytecode = sys.dont_write_bytecode, True\n"
    "import ctypes, faulthandler, os, gpubench\n"
    "sys.dont_write_bytecode = kept\n"
    "faulthandler.enable(all_threads=False)\n"
    "library, parent, scratch = sys.argv[2:]\n"
    "sys.argv = ['']\n"
    "ctypes.PyDLL(library).gpubench_worker(int(parent), os.fsencode(scratch))\n";

static void become_python(const char *python, char *parent, char *scratch) {
  char library[PATH_MAX + 64], module[PATH_MAX + 64];
  tree_installed(library, sizeof library, "/lib/gpubench/libgpubench-worker.so");
  tree_installed(module, sizeof module, "/share/gpubench/python");
  /* -u: unbuffered, so that the parent reads output while the callback that printed it still runs */
  execl(python, python, "-u", "-c", boot, module, library, parent, scratch, (char *)NULL);
}

/* Replaces this process by a worker; returns on failure. `python` is the interpreter, or NULL. The other arguments are
 * passed to the worker. */
static void program_become(const char *python, char *parent, char *scratch) {
  char path[PATH_MAX];
  char *argv[] = {"gpubench", WORKER_COMMAND, parent, scratch, NULL};
  if (python != NULL)
    become_python(python, parent, scratch);
  else
    execv(own_binary(path, sizeof path), argv);
}

enum { POLL_MS = 20, LEAVE_MS = 500, CLOSE_MS = 2000, DIE_MS = 1000 };

struct child {
  struct worker_process process; /* first, so that a struct child can be used as a struct worker_process */
  struct reaper reaper;          /* pid 0: the reaper has ended */
  int socket, output;
  struct phase_page *page;
  struct scratch scratch;
  struct own_user user;      /* uid 0: the worker has the same user as this process */
  struct strings loaded;     /* file names of the worker's plugins, in the order of loading */
  uint64_t memory_limit;     /* limit of the worker's resident memory, in bytes; 0: none */
  bool silent;               /* true if the worker has closed its output */
  bool told_to_stop;         /* true once this process has set `stop` on the status page, which only it may do */
  bool filed;                /* true if the output goes to a file, for which poll() would always return at once */
  bool frozen;               /* true if the worker and all processes that it started are stopped */
  int64_t memory_checked_ns; /* time of the last check of the memory limit */
  struct wire_seal seal;
  struct patience patience;
  struct printed printed;
};

/* ---- Starting ---- */

struct ends {
  int socket[2], output[2], page;
  struct scratch scratch;
  const char *folder;                /* working directory of the worker; NULL: the current one */
  const char *python;                /* path of the Python interpreter to execute; NULL: gpubench is executed */
  const struct isolation *isolation; /* NULL: not isolated */
  struct own_user user;
};

static void close_ends(const struct ends *e) {
  const int all[] = {e->socket[0], e->socket[1], e->output[0], e->output[1], e->page};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    if (all[i] >= 0) close(all[i]);
}

/* Makes the two ends of a worker's output: a pipe, or an unnamed file that is opened twice, so that each end has its
 * own position. */
static int make_output(bool file, int output[2]) {
  char path[32];
  if (!file) return pipe2(output, O_CLOEXEC);
  output[1] = memfd_create("gpubench-output", MFD_CLOEXEC);
  if (output[1] < 0) return -1;
  snprintf(path, sizeof path, "/proc/self/fd/%d", output[1]);
  output[0] = open(path, O_RDONLY | O_CLOEXEC);
  return output[0] < 0 ? -1 : 0;
}

static int make_ends(const struct worker_terms *terms, struct ends *e) {
  *e = (struct ends){
      .socket = {-1, -1}, .output = {-1, -1}, .page = -1, .folder = terms->folder, .python = terms->python};
  e->isolation = terms->isolation;
  scratch_choose(terms->scratch, &e->scratch);
  if (exhausted_files() != 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, e->socket) != 0) return -1;
  if (make_output(e->folder != NULL, e->output) != 0) return -1;
  e->page = memfd_create("gpubench-phase", MFD_CLOEXEC);
  return e->page < 0 ? -1 : ftruncate(e->page, sizeof(struct phase_page));
}

/* Isolates this process if the user asked for that (--isolate). On failure, prints the reason, which the parent reads
 * as the worker's last line of output, and exits. */
static void isolate(const struct ends *e) {
  struct err err = {0};
  if (e->isolation == NULL || isolation_enter(e->isolation, &e->user, &e->scratch, &err) == 0) return;
  dprintf(1, "%s\n", err.text);
  _exit(EXIT_FAILED);
}

/* Runs in the child and becomes the worker. Moves the descriptors to high numbers first, so that dup2() overwrites none
 * that is still needed. */
static void become_worker(const void *context) {
  const struct ends *e = context;
  char reaper[16], scratch[sizeof e->scratch.base + sizeof e->scratch.name + 2];
  scratch_path(&e->scratch, scratch, sizeof scratch);
  snprintf(reaper, sizeof reaper, "%d", (int)getppid());
  int socket = fcntl(e->socket[1], F_DUPFD, 16), page = fcntl(e->page, F_DUPFD, 16);
  int output = fcntl(e->output[1], F_DUPFD, 16), null = open("/dev/null", O_RDONLY);
  signals_reset();
  dup2(null, 0);
  dup2(output, 1);
  dup2(output, 2);
  dup2(socket, WORKER_SOCKET_FD);
  dup2(page, WORKER_PAGE_FD);
  closefrom(WORKER_PAGE_FD + 1);
  if (e->folder != NULL && chdir(e->folder) != 0) _exit(EXIT_FAILED);
  isolate(e);
  program_become(e->python, reaper, scratch);
}

static struct worker_process *start_worker_child(const struct worker_terms *terms, struct err *err) {
  struct ends e;
  struct reaper reaper;
  void *page = MAP_FAILED;
  struct own_user user = OWN_USER_NONE;
  if (terms->isolation != NULL && terms->isolation->user && own_user_take(&user, err) != 0) return NULL;
  const bool made = make_ends(terms, &e) == 0;
  e.user = user;
  e.scratch.uid = user.uid;
  if (made) page = mmap(NULL, sizeof(struct phase_page), PROT_READ | PROT_WRITE, MAP_SHARED, e.page, 0);
  if (page == MAP_FAILED)
    exhausted_err(errno, err);
  else
    phase_enter(page, PHASE_IDLE, -1);
  if (page == MAP_FAILED || reaper_start(&reaper, &e.scratch, become_worker, &e, err) != 0) {
    if (page != MAP_FAILED) munmap(page, sizeof(struct phase_page));
    close_ends(&e);
    own_user_release(&user);
    return NULL;
  }
  struct child *w = xcalloc(1, sizeof *w);
  *w = (struct child){.process = {&child_backend},
                      .memory_limit = terms->memory,
                      .reaper = reaper,
                      .socket = e.socket[0],
                      .output = e.output[0],
                      .filed = e.folder != NULL,
                      .page = page,
                      .scratch = e.scratch,
                      .user = user,
                      .printed.owner = PRINTED_BENCH};
  e.socket[0] = e.output[0] = -1;
  close_ends(&e);
  fcntl(w->output, F_SETFL, O_NONBLOCK);
  wire_hurry(w->socket); /* limits how long sending and receiving take: half a frame must not block the parent */
  return &w->process;
}

/* ---- Watching ---- */

static void drain_output(struct child *w) {
  printed_read(&w->printed, w->output, &w->page->variant);
}

struct news {
  bool message; /* a message came, or the worker closed its socket */
  bool gone;
};

/* Waits a moment (POLL_MS) for messages and reads output that came meanwhile. */
static struct news wait_for_news(struct child *w) {
  struct pollfd fds[] = {{.fd = w->socket, .events = POLLIN},
                         {.fd = w->silent || w->filed ? -1 : w->output, .events = POLLIN},
                         {.fd = w->reaper.leash, .events = POLLIN}};
  poll(fds, 3, POLL_MS);
  if (w->filed || (fds[1].revents & POLLIN))
    drain_output(w);
  else if (fds[1].revents != 0)
    w->silent = true; /* the output was closed; without this, poll() would return at once for ever */
  return (struct news){.message = fds[0].revents != 0, .gone = fds[2].revents != 0};
}

/* How a worker ended: without help, killed by this process, or not at all, because it cannot be killed. */
enum end { END_BY_ITSELF, END_KILLED, END_NEVER };

/* Waits for the worker to end, and kills it after `patience_ms`. Removes the worker's scratch directory in case its
 * reaper, the process that normally does that, was killed. */
static enum end reap_child(struct child *w, int patience_ms, int *status) {
  enum end end = END_BY_ITSELF;
  if (!reaper_wait(&w->reaper, patience_ms, status)) end = reaper_end(&w->reaper, status) ? END_KILLED : END_NEVER;
  if (end != END_NEVER) backend_remove_scratch(&w->scratch);
  return end;
}

/* Describes a wait status. Returns true if the worker was killed from outside gpubench. */
static bool describe_status(int status, char *to, size_t size) {
  bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  if (killed)
    text_copy(to, size, "the worker was killed from outside (SIGKILL)");
  else if (WIFSIGNALED(status))
    text_signal(WTERMSIG(status), to, size);
  else
    snprintf(to, size, "exited with status %d", WEXITSTATUS(status));
  return killed;
}

/* Ends the worker and fills in the ending. `how` says why the parent ends the worker; NULL: the parent did not end it.
 * A worker that closed its socket or sent an invalid frame, but still runs, is killed as well. */
static void bury_child(struct child *w, enum ending_kind kind, const char *how, struct ending *ending) {
  int status = 0;
  ending->kind = kind;
  patience_look(&w->patience, w->page);
  ending->phase = w->patience.seen.phase;
  ending->variant = w->patience.seen.variant;
  enum end end = reap_child(w, kind == ENDING_DIED && how == NULL ? DIE_MS : 0, &status);
  if (how == NULL && end != END_BY_ITSELF) how = "hung up";
  if (how != NULL)
    snprintf(ending->how, sizeof ending->how, "%.200s%s", how, end == END_NEVER ? ", and cannot be killed" : "");
  else
    ending->killed = describe_status(status, ending->how, sizeof ending->how);
  drain_output(w);
  if (w->printed.owner == ending->variant) printed_last_line(&w->printed, ending->tail, sizeof ending->tail);
}

/* Ends a worker that exceeds the memory limit. Returns true if the worker was ended. Checks every 10 ms, so that a
 * worker can allocate only little between two checks. */
static bool outgrown(struct child *w, struct ending *ending) {
  enum { EVERY_NS = 10000000 };
  char has[32], may[32], how[128];
  int64_t now = clock_now_ns();
  if (w->memory_limit == 0 || now - w->memory_checked_ns < EVERY_NS) return false;
  w->memory_checked_ns = now;
  int64_t bytes = resident_bytes(w->reaper.worker);
  if (bytes < 0 || (uint64_t)bytes <= w->memory_limit) return false;
  text_bytes(has, sizeof has, (double)bytes);
  text_bytes(may, sizeof may, (double)w->memory_limit);
  snprintf(how, sizeof how, "memory limit: %s resident, --memory-limit is %s", has, may);
  bury_child(w, ENDING_DIED, how, ending);
  return true;
}

static bool note_death(struct child *w, struct ending *ending) {
  bury_child(w, ENDING_DIED, NULL, ending);
  return true;
}

/* Ends a worker if a plugin has written to the worker's status page, memory that the worker shares with this process. A
 * plugin has written there if the page has no valid mark (phase and variant), or if `stop` is set although this process
 * has not set it. Returns true if the worker was ended. */
static bool overwrote_page(struct child *w, struct ending *ending) {
  const bool stops = atomic_load(&w->page->stop) != 0 && !w->told_to_stop;
  if (patience_look(&w->patience, w->page) && !stops) return false;
  bury_child(w, ENDING_DIED, "overwrote the page that it shares with the host", ending);
  return true;
}

/* Ends a worker that exceeds its time limit, or when the user insists on ending the run. Returns true if the worker was
 * ended. */
static bool gave_up(struct child *w, const struct call_limit *limit, struct ending *ending) {
  char how[TEXT_SIZE];
  double given_s;
  if (overwrote_page(w, ending)) return true;
  if (signals_asked_to_finish()) {
    w->told_to_stop = true;
    atomic_store(&w->page->stop, 1);
  }
  if (signals_insisted() || signals_waited()) {
    bury_child(w, ENDING_INTERRUPTED, "interrupted", ending);
    return true;
  }
  if (!patience_is_over(&w->patience, w->reaper.worker, limit, &given_s)) return false;
  call_limit_text(limit, given_s, w->patience.seen.phase == PHASE_IDLE, how, sizeof how);
  bury_child(w, ENDING_TIMEOUT, how, ending);
  return true;
}

/* Takes one message. Returns true if the answer is complete or the worker is gone. */
static bool take_message(struct child *w, const struct listener *listener, struct ending *ending) {
  struct message message;
  if (wire_receive_sealed(w->socket, &w->seal, MSG_SEAL, &message) != 0) {
    bury_child(w, signals_waited() ? ENDING_INTERRUPTED : ENDING_DIED, NULL, ending);
    return true;
  }
  patience_heard(&w->patience);
  if (overwrote_page(w, ending)) { /* checked at once, while the status page still names the variant that ran */
    free(message.payload);
    return true;
  }
  if (message.type == MSG_SEAL && message.payload == NULL) return false;
  if (!backend_may_send(&message, listener)) {
    free(message.payload); /* only a plugin can have sent this message: the worker's own code does not send it at this
                              point */
    bury_child(w, ENDING_DIED, "sent nonsense", ending);
    return true;
  }
  bool last = backend_hear(&message, listener, ending);
  /* clears the phase and variant of this request on the status page, so that they are not taken for those of the next
   * request */
  if (last) phase_enter(w->page, PHASE_IDLE, -1);
  free(message.payload);
  return last;
}

/* ---- Asking ---- */

static void ask_child(struct worker_process *process, enum message_type type, const void *payload, size_t size,
                      const struct listener *listener, struct call_limit limit, struct ending *ending) {
  struct child *w = (struct child *)process;
  if (type == MSG_LOAD) {
    const char *slash = memrchr(payload, '/', size);
    strings_add(&w->loaded, slash != NULL ? slash + 1 : payload);
    text_sanitize(w->loaded.items[w->loaded.count - 1]);
  }
  drain_output(w);
  /* drops output that a variant of the previous request printed: in this request, its index may belong to another
   * variant */
  if (w->printed.owner != PRINTED_BENCH) w->printed.size = 0;
  patience_begin(&w->patience);
  if (w->reaper.pid == 0 || wire_send(w->socket, type, payload, size) != 0) {
    ending->kind = ENDING_DIED;
    text_copy(ending->how, sizeof ending->how, "exited before the first request");
    if (w->reaper.pid != 0) bury_child(w, ENDING_DIED, NULL, ending);
    return;
  }
  for (bool ended = false; !ended;) {
    const struct news news = wait_for_news(w);
    if (news.message)
      ended = take_message(w, listener, ending);
    else if (news.gone) /* `message` does not tell this: another process may still hold the dead worker's socket open */
      ended = note_death(w, ending);
    /* the limits are also checked while the worker sends without a pause */
    if (!ended) ended = gave_up(w, &limit, ending) || outgrown(w, ending);
    if (listener != NULL && listener->tick != NULL) listener->tick(listener->user);
  }
}

/* ---- Freezing ---- */

static bool freeze_child(struct worker_process *process, bool frozen) {
  struct child *w = (struct child *)process;
  const bool own = w->user.uid != 0, still = frozen && w->frozen;
  /* a frozen worker with a separate user need not be frozen again: no process of another user can continue it */
  if (w->reaper.pid == 0 || (own && still)) return true;
  w->frozen = frozen;
  if (own && own_user_signal(&w->user, frozen ? SIGSTOP : SIGCONT)) return true;
  if (frozen) return freeze_below(w->reaper.pid);
  thaw_below(w->reaper.pid);
  return true;
}

/* ---- Stopping ---- */

/* True once a plugin's `close` took too long or failed. The user is told of it only once in a run. Workers that are
 * stopped later get no time for `close`. */
static bool told_close;

/* Gives the plugins of a worker time for their `close`, and drops messages and output meanwhile. */
static void let_close(struct child *w) {
  const int64_t until_ns = clock_now_ns() + (told_close ? 0 : CLOSE_MS) * INT64_C(1000000);
  char dropped[4096];
  for (ssize_t got = 1; clock_now_ns() < until_ns && !signals_insisted() && !signals_waited();) {
    const struct news news = wait_for_news(w);
    if (news.message) got = recv(w->socket, dropped, sizeof dropped, MSG_DONTWAIT);
    if (news.gone || got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return;
  }
}

/* Warns about a `close` that failed, once in a run. The failure has no other consequence, because all rows are complete
 * by then. Ignores workers whose output goes to a file (`filed`): `gpubench check` starts them, and judges
 * their `close` itself. */
static void tell_close(const struct child *w, enum end end, int status) {
  char how[TEXT_SIZE];
  struct phase_mark mark;
  if (told_close || w->filed || !phase_read(w->page, &mark) || mark.phase != PHASE_CLOSE || signals_asked_to_finish())
    return;
  if (end == END_BY_ITSELF)
    describe_status(status, how, sizeof how);
  else
    snprintf(how, sizeof how, "no return within %g s", CLOSE_MS * 1e-3);
  const bool known = mark.variant >= 0 && (size_t)mark.variant < w->loaded.count;
  fprintf(stderr, "gpubench: warning: %s: %s in close\n", known ? w->loaded.items[mark.variant] : "a plugin", how);
  told_close = true;
}

static void stop_child(struct worker_process *process) {
  struct child *w = (struct child *)process;
  int status = 0;
  if (w->reaper.pid != 0) {
    if (w->frozen) freeze_child(process, false); /* continues the worker so that its plugins can be closed */
    shutdown(w->socket, SHUT_WR);
    let_close(w);
    const enum end end = reap_child(w, LEAVE_MS, &status);
    tell_close(w, end, status);
  }
  own_user_release(&w->user);
  strings_free(&w->loaded);
  close(w->socket);
  close(w->output);
  munmap(w->page, sizeof *w->page);
  free(w);
}

static bool child_printed(struct worker_process *process, char *to, size_t size) {
  struct child *w = (struct child *)process;
  drain_output(w);
  printed_last_line(&w->printed, to, size);
  return w->printed.size > 0;
}

static int64_t time_ns(struct worker_process *process) {
  const struct child *w = (struct child *)process;
  return w->reaper.pid != 0 ? process_time_read(w->reaper.worker) : 0;
}

static pid_t child_pid(const struct worker_process *process) {
  return ((const struct child *)process)->reaper.worker;
}

const struct backend child_backend = {start_worker_child, ask_child, stop_child, freeze_child, time_ns,
                                      child_printed,      child_pid};
