/* What a callback may leave changed: taken, compared, put back. Linux only. */
#include "plugin/process_state.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/memory.h"
#include "base/text.h"

enum { SIGNALS = 65, FILES = 4, CHILDREN_MOST = 1000, TIMERS_MOST = 64, HEAP_PROBE = 100000, ROOM = 1 << 30 };
enum { SPARE_FDS = 8, SPARE_FD_MOST = 4096 }; /* above what careless loops close, and below what costs a large table */

static struct {
  bool taken;
  int socket;
  fenv_t arithmetic;
  sigset_t mask;
  struct sigaction actions[SIGNALS];
  int directory;                   /* descriptor */
  struct stat files[FILES], where; /* 0, 1, 2 and the socket; the directory */
  int spares[FILES];               /* their duplicates */
  char *locale;
  struct strings environment;
  mode_t umask;
  struct rlimit limits[RLIM_NLIMITS];
  uint64_t timers; /* bits: kernel's numbers below TIMERS_MOST */
  cpu_set_t processors;
  int priority, death_signal;
  bool roomy;
} own;

static void note(struct process_state_finding *finding, enum process_state_harm harm, const char *format, ...)
    ERR_PRINTF(3, 4);
static void note(struct process_state_finding *finding, enum process_state_harm harm, const char *format, ...) {
  size_t used = strlen(finding->text);
  if (used > 0 && used + 2 < sizeof finding->text) used += (size_t)sprintf(finding->text + used, ", ");
  va_list args;
  va_start(args, format);
  vsnprintf(finding->text + used, sizeof finding->text - used, format, args);
  va_end(args);
  if (harm > finding->harm) finding->harm = harm;
}

/* ---- Arithmetic ---- */

/* The control bits; which exceptions have occurred is everybody's. */
static uint64_t mode_bits(const fenv_t *env) {
#if defined(__x86_64__)
  return (uint64_t)(env->__control_word & 0x0F3F) | (uint64_t)env->__tags << 16 |
         (uint64_t)(env->__mxcsr & 0xFFC0) << 32;
#elif defined(__aarch64__)
  return env->__fpcr;
#endif
}

static const char *mode_name(uint64_t changed) {
#if defined(__x86_64__)
  return changed & UINT64_C(0x8040) << 32   ? "flush to zero"
         : changed & UINT64_C(0x6000) << 32 ? "rounding"
         : changed & UINT64_C(0x1F80) << 32 ? "traps"
         : changed & 0xFFFF0000             ? "x87 registers left in use"
                                            : "x87";
#elif defined(__aarch64__)
  return changed & (UINT64_C(1) << 24 | UINT64_C(1) << 19) ? "flush to zero"
         : changed & UINT64_C(3) << 22                     ? "rounding"
                                                           : "traps";
#endif
}

/* All of it; fesetenv() leaves the tags and the precision of the x87 as they are. */
static void restore_arithmetic(void) {
#if defined(__x86_64__)
  __asm__ volatile("fldenv %0\n\tldmxcsr %1" : : "m"(own.arithmetic), "m"(own.arithmetic.__mxcsr));
#else
  fesetenv(&own.arithmetic);
#endif
}

static void check_arithmetic(struct process_state_finding *finding) {
  fenv_t now;
  fegetenv(&now);
  uint64_t changed = mode_bits(&now) ^ mode_bits(&own.arithmetic);
  if (changed == 0) return;
  restore_arithmetic();
  note(finding, PROCESS_STATE_UNDONE, "changed the floating-point mode (%s)", mode_name(changed));
}

/* ---- Signals and timers ---- */

static void signal_name(int number, char *to, size_t size) {
  const char *name = sigabbrev_np(number);
  if (name != NULL)
    snprintf(to, size, "SIG%s", name);
  else
    snprintf(to, size, "signal %d", number);
}

static void check_mask(struct process_state_finding *finding) {
  sigset_t now;
  char name[32];
  sigprocmask(SIG_SETMASK, NULL, &now);
  for (int i = 1; i < SIGNALS; i++) {
    if (sigismember(&now, i) == sigismember(&own.mask, i)) continue;
    signal_name(i, name, sizeof name);
    note(finding, PROCESS_STATE_UNDONE, "%s %s", sigismember(&now, i) ? "blocked" : "unblocked", name);
    sigprocmask(SIG_SETMASK, &own.mask, NULL);
    return;
  }
}

/* The C library adds flags of its own. */
static bool same_action(const struct sigaction *a, const struct sigaction *b) {
  const int flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART | SA_NODEFER | (int)SA_RESETHAND | SA_NOCLDWAIT | SA_NOCLDSTOP;
  return a->sa_handler == b->sa_handler && ((a->sa_flags ^ b->sa_flags) & flags) == 0;
}

static void check_handlers(struct process_state_finding *finding) {
  char name[32];
  int changed = 0;
  for (int i = 1; i < SIGNALS; i++) {
    struct sigaction now;
    if (sigaction(i, NULL, &now) != 0 || same_action(&now, &own.actions[i])) continue;
    sigaction(i, &own.actions[i], NULL);
    if (changed++ == 0) signal_name(i, name, sizeof name);
  }
  if (changed == 1) note(finding, PROCESS_STATE_UNDONE, "changed what %s does", name);
  if (changed > 1) note(finding, PROCESS_STATE_UNDONE, "changed what %s and %d other signals do", name, changed - 1);
}

static void check_alarm(struct process_state_finding *finding) {
  struct itimerval now;
  const struct itimerval none = {0};
  if (getitimer(ITIMER_REAL, &now) != 0 || (now.it_value.tv_sec == 0 && now.it_value.tv_usec == 0)) return;
  setitimer(ITIMER_REAL, &none, NULL);
  note(finding, PROCESS_STATE_UNDONE, "left an alarm set");
}

/* Bits of the timers there are; none where the kernel does not tell. */
static uint64_t read_timers(void) {
  char line[128];
  uint64_t bits = 0;
  int number;
  FILE *file = fopen("/proc/self/timers", "re");
  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    if (sscanf(line, "ID: %d", &number) == 1 && number >= 0 && number < TIMERS_MOST) bits |= UINT64_C(1) << number;
  if (file != NULL) fclose(file);
  return bits;
}

static void check_timers(struct process_state_finding *finding) {
  uint64_t more = read_timers() & ~own.timers;
  for (int i = 0; i < TIMERS_MOST; i++)
    if (more >> i & 1) syscall(SYS_timer_delete, i);
  if (more != 0) note(finding, PROCESS_STATE_UNDONE, "left a timer set");
}

/* ---- Directory, locale, environment, umask ---- */

static bool same_file(const struct stat *a, const struct stat *b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static void check_directory(struct process_state_finding *finding) {
  struct stat now;
  char path[256];
  if (stat(".", &now) == 0 && same_file(&now, &own.where)) return;
  if (getcwd(path, sizeof path) == NULL) text_copy(path, sizeof path, "a place of a long name");
  bool back = fchdir(own.directory) == 0;
  note(finding, back ? PROCESS_STATE_UNDONE : PROCESS_STATE_LASTING, "changed the directory to %s", path);
}

static void check_locale(struct process_state_finding *finding) {
  const char *now = setlocale(LC_ALL, NULL);
  if (uselocale((locale_t)0) != LC_GLOBAL_LOCALE) {
    uselocale(LC_GLOBAL_LOCALE);
    note(finding, PROCESS_STATE_UNDONE, "changed its thread's locale");
  }
  if (now != NULL && strcmp(now, own.locale) == 0) return;
  note(finding, PROCESS_STATE_UNDONE, "changed the locale to %.60s", now ? now : "?");
  setlocale(LC_ALL, own.locale);
}

/* The first name whose value is not as it was, or NULL. */
static const char *changed_variable(void) {
  size_t i = 0;
  for (; environ != NULL && environ[i] != NULL && i < own.environment.count; i++)
    if (strcmp(environ[i], own.environment.items[i]) != 0) return own.environment.items[i];
  if (i < own.environment.count) return own.environment.items[i];
  return environ != NULL && environ[i] != NULL ? environ[i] : NULL;
}

static void check_environment(struct process_state_finding *finding) {
  const char *changed = changed_variable();
  if (changed == NULL) return;
  note(finding, PROCESS_STATE_UNDONE, "changed the environment (%.*s)", (int)(strcspn(changed, "=") % 64), changed);
  clearenv();
  for (size_t i = 0; i < own.environment.count; i++) {
    char *name = xstrdup(own.environment.items[i]), *value = strchr(name, '=');
    if (value != NULL) {
      *value = '\0';
      setenv(name, value + 1, 1);
    }
    free(name);
  }
}

static void check_umask(struct process_state_finding *finding) {
  mode_t now = umask(own.umask);
  if (now != own.umask) note(finding, PROCESS_STATE_UNDONE, "changed the umask to %04o", now);
}

/* ---- Limits, priority, ties ---- */

static const char *limit_name(int limit) {
  static const char *const names[RLIM_NLIMITS] = {[RLIMIT_CPU] = "CPU",       [RLIMIT_FSIZE] = "FSIZE",
                                                  [RLIMIT_DATA] = "DATA",     [RLIMIT_STACK] = "STACK",
                                                  [RLIMIT_CORE] = "CORE",     [RLIMIT_RSS] = "RSS",
                                                  [RLIMIT_NOFILE] = "NOFILE", [RLIMIT_AS] = "AS",
                                                  [RLIMIT_NPROC] = "NPROC",   [RLIMIT_MEMLOCK] = "MEMLOCK",
                                                  [RLIMIT_LOCKS] = "LOCKS",   [RLIMIT_SIGPENDING] = "SIGPENDING",
                                                  [RLIMIT_NICE] = "NICE",     [RLIMIT_MSGQUEUE] = "MSGQUEUE",
                                                  [RLIMIT_RTPRIO] = "RTPRIO", [RLIMIT_RTTIME] = "RTTIME"};
  return names[limit] != NULL ? names[limit] : "of another name";
}

static void check_limits(struct process_state_finding *finding) {
  struct rlimit now;
  for (int i = 0; i < RLIM_NLIMITS; i++) {
    const struct rlimit *was = &own.limits[i];
    if (getrlimit((__rlimit_resource_t)i, &now) != 0) continue;
    if (now.rlim_cur == was->rlim_cur && now.rlim_max == was->rlim_max) continue;
    bool back = setrlimit((__rlimit_resource_t)i, was) == 0;
    note(finding, back ? PROCESS_STATE_UNDONE : PROCESS_STATE_LASTING, "changed the limit %s", limit_name(i));
  }
}

/* Libraries pin the thread that calls them: no offence, but not the next one's business. */
static void check_processors(void) {
  cpu_set_t now;
  if (sched_getaffinity(0, sizeof now, &now) == 0 && !CPU_EQUAL(&now, &own.processors))
    sched_setaffinity(0, sizeof own.processors, &own.processors);
}

static void check_priority(struct process_state_finding *finding) {
  int now = getpriority(PRIO_PROCESS, 0);
  if (now == own.priority) return;
  bool back = setpriority(PRIO_PROCESS, 0, own.priority) == 0;
  note(finding, back ? PROCESS_STATE_UNDONE : PROCESS_STATE_LASTING, "changed its priority to %d", now);
}

static void check_death_signal(struct process_state_finding *finding) {
  int now = 0;
  if (prctl(PR_GET_PDEATHSIG, &now) != 0 || now == own.death_signal) return;
  prctl(PR_SET_PDEATHSIG, own.death_signal);
  note(finding, PROCESS_STATE_UNDONE, "changed what its parent's death does to it");
}

/* ---- Descriptors ---- */

static int watched(int place) {
  return place < 3 ? place : own.socket;
}

/* PROCESS_STATE_NONE where it is as it was. */
static enum process_state_harm restore_file(int place) {
  struct stat now;
  int fd = watched(place), spare = own.spares[place];
  if (spare < 0 || (fstat(fd, &now) == 0 && same_file(&now, &own.files[place]))) return PROCESS_STATE_NONE;
  bool back = fstat(spare, &now) == 0 && same_file(&now, &own.files[place]) && dup2(spare, fd) == fd;
  return back ? PROCESS_STATE_UNDONE : fd == own.socket ? PROCESS_STATE_CUT : PROCESS_STATE_LASTING;
}

static void check_descriptors(struct process_state_finding *finding) {
  char list[64] = "";
  enum process_state_harm worst = PROCESS_STATE_NONE;
  int count = 0;
  for (int i = 0; i < FILES; i++) {
    enum process_state_harm harm = restore_file(i);
    if (harm > worst) worst = harm;
    if (harm != PROCESS_STATE_NONE) snprintf(list + strlen(list), sizeof list - strlen(list), " %d", watched(i));
    count += harm != PROCESS_STATE_NONE;
  }
  if (count > 0) note(finding, worst, "closed or replaced descriptor%s%s", count > 1 ? "s" : "", list);
}

/* With its duplicate the connection ends where either end shuts it down. */
static void check_socket(struct process_state_finding *finding) {
  struct pollfd end = {.fd = own.socket};
  if (own.socket >= 0 && poll(&end, 1, 0) > 0 && (end.revents & (POLLHUP | POLLERR)) != 0)
    note(finding, PROCESS_STATE_CUT, "shut down the connection to the host");
}

static void check_files(struct process_state_finding *finding) {
  check_descriptors(finding);
  check_socket(finding);
  int next = fcntl(0, F_DUPFD_CLOEXEC, 0);
  if (next >= 0)
    close(next);
  else if (errno == EMFILE)
    note(finding, PROCESS_STATE_LASTING, "left no descriptor free");
}

/* ---- Memory ---- */

/* Taking a large block from it makes the allocator look at its end, which an overrun block damages: better here than in
 * the next one's turn. It ends the process then. */
static void check_heap(void) {
  void *volatile block = malloc(HEAP_PROBE);
  free(block);
}

/* Is there address space for what the next one needs? Nothing is taken. */
static bool is_roomy(void) {
  void *place = mmap(NULL, ROOM, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place != MAP_FAILED) munmap(place, ROOM);
  return place != MAP_FAILED;
}

static void check_room(struct process_state_finding *finding) {
  if (own.roomy && !is_roomy()) note(finding, PROCESS_STATE_LASTING, "left no memory to others");
}

/* ---- Children ---- */

/* Is this process our child, and no zombie? The name in the second field may hold anything. */
static bool is_child(const char *number) {
  char path[64], text[512];
  char state = 'Z';
  int parent = 0;
  snprintf(path, sizeof path, "/proc/%.20s/stat", number);
  FILE *file = fopen(path, "re");
  if (file == NULL) return false;
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  const char *end = strrchr(text, ')');
  return end != NULL && sscanf(end + 1, " %c %d", &state, &parent) == 2 && parent == getpid() && state != 'Z';
}

/* One running child, or 0. Not every kernel lists them. */
static pid_t running_child(void) {
  long pid = 0;
  DIR *all = opendir("/proc");
  struct dirent *one;
  while (all != NULL && pid == 0 && (one = readdir(all)) != NULL)
    if (one->d_name[0] >= '1' && one->d_name[0] <= '9' && is_child(one->d_name)) pid = strtol(one->d_name, NULL, 10);
  if (all != NULL) closedir(all);
  return (pid_t)pid;
}

/* A killed one's own children become ours where this process takes in orphans. */
static void check_children(struct process_state_finding *finding) {
  siginfo_t info;
  pid_t pid, first = 0;
  int count = 0;
  while (waitpid(-1, NULL, WNOHANG) > 0)
    continue;
  if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0) return; /* ECHILD: the usual case, one call */
  for (; count < CHILDREN_MOST && (pid = running_child()) > 0; count++) {
    if (first == 0) first = pid;
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
  }
  enum process_state_harm harm = running_child() == 0 ? PROCESS_STATE_UNDONE : PROCESS_STATE_LASTING;
  if (count == 1) note(finding, harm, "left process %d running", (int)first);
  if (count > 1) note(finding, harm, "left %d processes running, one of them %d", count, (int)first);
}

/* ---- All of it ---- */

static int spare_fd(void) {
  struct rlimit limit;
  bool low = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < SPARE_FD_MOST;
  return (low ? (int)limit.rlim_cur : SPARE_FD_MOST) - SPARE_FDS;
}

static void take_files(int socket) {
  const int from = spare_fd();
  own.socket = socket;
  for (int i = 0; i < FILES; i++) {
    if (own.taken && own.spares[i] >= 0) close(own.spares[i]);
    int fd = watched(i);
    own.spares[i] = fd >= 0 && fstat(fd, &own.files[i]) == 0 ? fcntl(fd, F_DUPFD_CLOEXEC, from) : -1;
  }
  if (own.taken) close(own.directory);
  int here = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  own.directory = here >= 0 ? fcntl(here, F_DUPFD_CLOEXEC, from) : -1;
  if (here >= 0) close(here);
  if (stat(".", &own.where) != 0) own.where = (struct stat){0};
}

static void take_texts(void) {
  const char *locale = setlocale(LC_ALL, NULL);
  free(own.locale);
  own.locale = xstrdup(locale ? locale : "C");
  strings_free(&own.environment);
  own.environment = (struct strings){0};
  for (char **item = environ; item != NULL && *item != NULL; item++)
    strings_add(&own.environment, *item);
}

void process_state_take(int socket) {
  take_files(socket);
  take_texts();
  fegetenv(&own.arithmetic);
  sigprocmask(SIG_SETMASK, NULL, &own.mask);
  for (int i = 1; i < SIGNALS; i++)
    sigaction(i, NULL, &own.actions[i]);
  for (int i = 0; i < RLIM_NLIMITS; i++)
    getrlimit((__rlimit_resource_t)i, &own.limits[i]);
  own.umask = umask(022);
  umask(own.umask);
  own.timers = read_timers();
  sched_getaffinity(0, sizeof own.processors, &own.processors);
  own.priority = getpriority(PRIO_PROCESS, 0);
  prctl(PR_GET_PDEATHSIG, &own.death_signal);
  own.roomy = is_roomy();
  own.taken = true;
}

enum process_state_harm process_state_check(enum process_state_depth depth, struct process_state_finding *finding) {
  *finding = (struct process_state_finding){0};
  if (!own.taken) return PROCESS_STATE_NONE;
  check_arithmetic(finding);
  check_mask(finding);
  check_alarm(finding);
  check_processors();
  if (depth == PROCESS_STATE_QUICK) return finding->harm;
  check_limits(finding); /* first: the others need descriptors */
  check_files(finding);
  check_handlers(finding);
  check_timers(finding);
  check_directory(finding);
  check_locale(finding);
  check_environment(finding);
  check_umask(finding);
  check_priority(finding);
  check_death_signal(finding);
  check_children(finding);
  check_room(finding);
  check_heap();
  text_sanitize(finding->text);
  return finding->harm;
}
