/* Checks the settings of the process that plugin code may change. */
#include "plugin/process_watch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"

void process_finding_add(struct process_state_finding *finding, enum process_state_harm harm, const char *format, ...) {
  size_t used = strlen(finding->text);
  if (used > 0 && used + 2 < sizeof finding->text) used += (size_t)sprintf(finding->text + used, ", ");
  va_list args;
  va_start(args, format);
  vsnprintf(finding->text + used, sizeof finding->text - used, format, args);
  va_end(args);
  if (harm > finding->harm) finding->harm = harm;
}

/* ---- Settings of the process: locale, environment, umask, limits, processors, priority, death signal ---- */

static char *taken_locale;
static struct strings taken_environment;
static mode_t taken_umask;
static struct rlimit taken_limits[RLIM_NLIMITS];
static cpu_set_t taken_processors;
static int taken_priority, taken_policy, taken_slack, taken_death_signal;

/* ---- Locale, environment, umask ---- */

static void take_locale(void) {
  const char *now = setlocale(LC_ALL, NULL);
  free(taken_locale);
  taken_locale = xstrdup(now ? now : "C");
}

static void check_locale(struct process_state_finding *finding) {
  const char *now = setlocale(LC_ALL, NULL);
  if (uselocale((locale_t)0) != LC_GLOBAL_LOCALE) {
    uselocale(LC_GLOBAL_LOCALE);
    process_finding_add(finding, PROCESS_STATE_UNDONE, "changed its thread's locale");
  }
  if (now != NULL && strcmp(now, taken_locale) == 0) return;
  process_finding_add(finding, PROCESS_STATE_UNDONE, "changed the locale to %.60s", now ? now : "?");
  setlocale(LC_ALL, taken_locale);
}

static void take_environment(void) {
  strings_free(&taken_environment);
  taken_environment = (struct strings){0};
  for (char **item = environ; item != NULL && *item != NULL; item++)
    strings_add(&taken_environment, *item);
}

/* Returns the first environment variable whose value has changed, or NULL. */
static const char *changed_variable(void) {
  size_t i = 0;
  for (; environ != NULL && environ[i] != NULL && i < taken_environment.count; i++)
    if (strcmp(environ[i], taken_environment.items[i]) != 0) return taken_environment.items[i];
  if (i < taken_environment.count) return taken_environment.items[i];
  return environ != NULL && environ[i] != NULL ? environ[i] : NULL;
}

static void check_environment(struct process_state_finding *finding) {
  enum { NAME_MOST = 64 };
  const char *changed = changed_variable();
  if (changed == NULL) return;
  const size_t length = strcspn(changed, "=");
  process_finding_add(finding, PROCESS_STATE_UNDONE, "changed the environment (%.*s)",
                      (int)(length < NAME_MOST ? length : NAME_MOST), changed);
  clearenv();
  for (size_t i = 0; i < taken_environment.count; i++) {
    char *name = xstrdup(taken_environment.items[i]), *value = strchr(name, '=');
    if (value != NULL) {
      *value = '\0';
      setenv(name, value + 1, 1);
    }
    free(name);
  }
}

static void take_umask(void) {
  taken_umask = umask(022);
  umask(taken_umask);
}

static void check_umask(struct process_state_finding *finding) {
  mode_t now = umask(taken_umask);
  if (now != taken_umask) process_finding_add(finding, PROCESS_STATE_UNDONE, "changed the umask to %04o", now);
}

/* ---- Limits, priority, death signal ---- */

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

static void take_limits(void) {
  for (int i = 0; i < RLIM_NLIMITS; i++)
    getrlimit((__rlimit_resource_t)i, &taken_limits[i]);
}

static void check_limits(struct process_state_finding *finding) {
  struct rlimit now;
  for (int i = 0; i < RLIM_NLIMITS; i++) {
    const struct rlimit *was = &taken_limits[i];
    if (getrlimit((__rlimit_resource_t)i, &now) != 0) continue;
    if (now.rlim_cur == was->rlim_cur && now.rlim_max == was->rlim_max) continue;
    bool back = setrlimit((__rlimit_resource_t)i, was) == 0;
    process_finding_add(finding, back ? PROCESS_STATE_UNDONE : PROCESS_STATE_LASTING, "changed the limit %s",
                        limit_name(i));
  }
}

static void take_processors(void) {
  sched_getaffinity(0, sizeof taken_processors, &taken_processors);
}

/* Restores the processor affinity. A change is not reported, because libraries may rightly pin the thread that calls
 * them to a processor. It is undone, because it must not affect the next variant. */
static void check_processors(struct process_state_finding *finding) {
  (void)finding;
  cpu_set_t now;
  if (sched_getaffinity(0, sizeof now, &now) == 0 && !CPU_EQUAL(&now, &taken_processors))
    sched_setaffinity(0, sizeof taken_processors, &taken_processors);
}

static void take_priority(void) {
  taken_priority = getpriority(PRIO_PROCESS, 0);
  taken_policy = sched_getscheduler(0);
  taken_slack = prctl(PR_GET_TIMERSLACK);
}

static void check_policy(struct process_state_finding *finding) {
  /* no priority is set, because workers start with a policy that has none */
  const struct sched_param parameter = {0};
  int now = sched_getscheduler(0);
  if (now == taken_policy) return;
  bool back = sched_setscheduler(0, taken_policy, &parameter) == 0;
  process_finding_add(finding, back ? PROCESS_STATE_UNDONE : PROCESS_STATE_LASTING,
                      "changed its scheduling policy to %d", now);
}

/* Checks the timer slack, the time by which the kernel may end sleeps late. */
static void check_slack(struct process_state_finding *finding) {
  int now = prctl(PR_GET_TIMERSLACK);
  if (now == taken_slack || taken_slack <= 0) return;
  prctl(PR_SET_TIMERSLACK, (unsigned long)taken_slack);
  process_finding_add(finding, PROCESS_STATE_UNDONE, "changed its timer slack to %d ns", now);
}

static void check_priority(struct process_state_finding *finding) {
  check_policy(finding);
  check_slack(finding);
  int now = getpriority(PRIO_PROCESS, 0);
  if (now == taken_priority) return;
  bool back = setpriority(PRIO_PROCESS, 0, taken_priority) == 0;
  process_finding_add(finding, back ? PROCESS_STATE_UNDONE : PROCESS_STATE_LASTING, "changed its priority to %d", now);
}

static void take_death_signal(void) {
  prctl(PR_GET_PDEATHSIG, &taken_death_signal);
}

static void check_death_signal(struct process_state_finding *finding) {
  int now = 0;
  if (prctl(PR_GET_PDEATHSIG, &now) != 0 || now == taken_death_signal) return;
  prctl(PR_SET_PDEATHSIG, taken_death_signal);
  process_finding_add(finding, PROCESS_STATE_UNDONE, "changed what its parent's death does to it");
}

/* ---- Floating-point mode ---- */

static fenv_t taken;

static void take_arithmetic(void) {
  fegetenv(&taken);
}

/* Returns the control bits of the floating-point mode, without the exception flags, which may change. */
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

/* Restores the whole floating-point mode. Does not use fesetenv() alone, which leaves the tags and the precision of the
 * x87 unchanged. */
static void restore_arithmetic(void) {
#if defined(__x86_64__)
  __asm__ volatile("fldenv %0\n\tldmxcsr %1" : : "m"(taken), "m"(taken.__mxcsr));
#else
  fesetenv(&taken);
#endif
}

static void check_arithmetic(struct process_state_finding *finding) {
  fenv_t now;
  fegetenv(&now);
  uint64_t changed = mode_bits(&now) ^ mode_bits(&taken);
  if (changed == 0) return;
  restore_arithmetic();
  process_finding_add(finding, PROCESS_STATE_UNDONE, "changed the floating-point mode (%s)", mode_name(changed));
}

/* ---- Blocked signals, handlers, alarms and timers ---- */

enum { SIGNALS = 65, TIMERS_MOST = 64 };

static sigset_t taken_mask;
static struct sigaction taken_actions[SIGNALS];
static uint64_t taken_timers; /* a bit for each timer number of the kernel below TIMERS_MOST */

static void take_mask(void) {
  sigprocmask(SIG_SETMASK, NULL, &taken_mask);
}

static void check_mask(struct process_state_finding *finding) {
  sigset_t now;
  char name[32];
  sigprocmask(SIG_SETMASK, NULL, &now);
  for (int i = 1; i < SIGNALS; i++) {
    if (sigismember(&now, i) == sigismember(&taken_mask, i)) continue;
    text_signal(i, name, sizeof name);
    process_finding_add(finding, PROCESS_STATE_UNDONE, "%s %s", sigismember(&now, i) ? "blocked" : "unblocked", name);
    sigprocmask(SIG_SETMASK, &taken_mask, NULL);
    return;
  }
}

/* ---- Handlers ---- */

static void take_handlers(void) {
  for (int i = 1; i < SIGNALS; i++)
    sigaction(i, NULL, &taken_actions[i]);
}

/* Returns true if two handlers are the same. Compares only the flags listed here, because the C library sets other
 * flags itself. */
static bool same_action(const struct sigaction *a, const struct sigaction *b) {
  const int flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART | SA_NODEFER | (int)SA_RESETHAND | SA_NOCLDWAIT | SA_NOCLDSTOP;
  return a->sa_handler == b->sa_handler && ((a->sa_flags ^ b->sa_flags) & flags) == 0;
}

static void check_handlers(struct process_state_finding *finding) {
  char name[32];
  int changed = 0;
  for (int i = 1; i < SIGNALS; i++) {
    struct sigaction now;
    if (sigaction(i, NULL, &now) != 0 || same_action(&now, &taken_actions[i])) continue;
    sigaction(i, &taken_actions[i], NULL);
    if (changed++ == 0) text_signal(i, name, sizeof name);
  }
  if (changed == 1) process_finding_add(finding, PROCESS_STATE_UNDONE, "changed what %s does", name);
  if (changed > 1)
    process_finding_add(finding, PROCESS_STATE_UNDONE, "changed what %s and %d other signals do", name, changed - 1);
}

/* ---- Alarms and timers ---- */

static void check_alarm(struct process_state_finding *finding) {
  static const struct {
    __itimer_which_t which;
    const char *name;
  } alarms[] = {{ITIMER_REAL, "an alarm"}, {ITIMER_VIRTUAL, "a virtual alarm"}, {ITIMER_PROF, "a profiling alarm"}};
  const struct itimerval none = {0};
  struct itimerval now;
  for (size_t i = 0; i < sizeof alarms / sizeof alarms[0]; i++) {
    if (getitimer(alarms[i].which, &now) != 0 || (now.it_value.tv_sec == 0 && now.it_value.tv_usec == 0)) continue;
    setitimer(alarms[i].which, &none, NULL);
    process_finding_add(finding, PROCESS_STATE_UNDONE, "left %s set", alarms[i].name);
  }
}

/* Returns a bit for each existing timer; none if the kernel does not list them. */
static uint64_t read_timers(void) {
  char line[128];
  uint64_t bits = 0;
  int number;
  SCOPED_FILE FILE *file = fopen("/proc/self/timers", "re");
  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    if (sscanf(line, "ID: %d", &number) == 1 && number >= 0 && number < TIMERS_MOST) bits |= UINT64_C(1) << number;
  return bits;
}

static void take_timers(void) {
  taken_timers = read_timers();
}

static void check_timers(struct process_state_finding *finding) {
  uint64_t more = read_timers() & ~taken_timers;
  for (int i = 0; i < TIMERS_MOST; i++)
    if (more >> i & 1) syscall(SYS_timer_delete, i);
  if (more != 0) process_finding_add(finding, PROCESS_STATE_UNDONE, "left a timer set");
}

/* ---- Shared descriptors (0, 1, 2 and the connection to the parent) and the working directory ----
 *
 * A duplicate of each descriptor is kept at a high number, because plugins that close descriptors in a loop start at
 * low numbers. */

enum { FILES = 4 };
/* range of the numbers of the duplicates: above the numbers that a plugin's loop over descriptors closes, and low
 * enough that the kernel needs no large table */
enum { SPARE_FDS = 8, SPARE_FD_MOST = 4096 };

static struct {
  bool taken;
  int socket;
  struct stat files[FILES]; /* what the descriptors 0, 1, 2 and the socket refer to */
  int spares[FILES];        /* duplicates of these four descriptors */
} own;

static struct {
  bool taken;
  bool reached; /* false if an isolated worker's user may not enter the folder in which the worker was started */
  int fd;
  struct stat where;
} directory;

static bool same_file(const struct stat *a, const struct stat *b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static int spare_fd(void) {
  struct rlimit limit;
  bool low = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < SPARE_FD_MOST;
  return (low ? (int)limit.rlim_cur : SPARE_FD_MOST) - SPARE_FDS;
}

/* ---- Checking descriptors ---- */

static int watched(int place) {
  return place < 3 ? place : own.socket;
}

static void take_files(void) {
  const int from = spare_fd();
  for (int i = 0; i < FILES; i++) {
    if (own.taken && own.spares[i] >= 0) close(own.spares[i]);
    int fd = watched(i);
    own.spares[i] = fd >= 0 && fstat(fd, &own.files[i]) == 0 ? fcntl(fd, F_DUPFD_CLOEXEC, from) : -1;
  }
  own.taken = true;
}

/* Restores a descriptor from its duplicate. Returns PROCESS_STATE_NONE if it is unchanged. */
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
  if (count > 0) process_finding_add(finding, worst, "closed or replaced descriptor%s%s", count > 1 ? "s" : "", list);
}

/* Checks whether a plugin has shut the connection to the parent down. That ends the connection for the duplicate of the
 * socket as well, so it cannot be restored. */
static void check_socket(struct process_state_finding *finding) {
  struct pollfd end = {.fd = own.socket};
  if (own.socket >= 0 && poll(&end, 1, 0) > 0 && (end.revents & (POLLHUP | POLLERR)) != 0)
    process_finding_add(finding, PROCESS_STATE_CUT, "shut down the connection to the host");
}

static void check_files(struct process_state_finding *finding) {
  check_descriptors(finding);
  check_socket(finding);
  int next = fcntl(0, F_DUPFD_CLOEXEC, 0);
  if (next >= 0)
    close(next);
  else if (errno == EMFILE)
    process_finding_add(finding, PROCESS_STATE_LASTING, "left no descriptor free");
}

/* ---- Checking the working directory ---- */

static void take_directory(void) {
  if (directory.taken) close(directory.fd);
  int here = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  directory.fd = here >= 0 ? fcntl(here, F_DUPFD_CLOEXEC, spare_fd()) : -1;
  if (here >= 0) close(here);
  directory.reached = stat(".", &directory.where) == 0;
  directory.taken = true;
}

static void check_directory(struct process_state_finding *finding) {
  struct stat now;
  char path[256];
  const bool reached = stat(".", &now) == 0;
  if (reached == directory.reached && (!reached || same_file(&now, &directory.where))) return;
  if (getcwd(path, sizeof path) == NULL) text_copy(path, sizeof path, "a place of a long name");
  bool back = fchdir(directory.fd) == 0;
  process_finding_add(finding, back ? PROCESS_STATE_UNDONE : PROCESS_STATE_LASTING, "changed the directory to %s",
                      path);
}

/* ---- Checking everything ---- */

/* All checks, in the order in which they run. Limits are restored before descriptors: if a plugin has lowered the limit
 * of open files, descriptors cannot be restored. Entries without `take` compare with no earlier value. */
static const struct {
  void (*take)(void);
  void (*check)(struct process_state_finding *finding);
} watches[] = {
    {take_arithmetic, check_arithmetic},
    {take_mask, check_mask},
    {NULL, check_alarm},
    {take_processors, check_processors},
    {take_limits, check_limits},
    {take_files, check_files},
    {take_handlers, check_handlers},
    {take_timers, check_timers},
    {take_directory, check_directory},
    {take_locale, check_locale},
    {take_environment, check_environment},
    {take_umask, check_umask},
    {take_priority, check_priority},
    {take_death_signal, check_death_signal},
    {NULL, watch_check_children},
    {watch_take_room, watch_check_room},
    {NULL, watch_check_heap},
};

enum { WATCHES = sizeof watches / sizeof watches[0] };

static bool all_taken;

void process_state_take(int socket) {
  own.socket = socket;
  for (size_t i = 0; i < WATCHES; i++)
    if (watches[i].take != NULL) watches[i].take();
  all_taken = true;
}

enum process_state_harm process_state_check(struct process_state_finding *finding) {
  *finding = (struct process_state_finding){0};
  for (size_t i = 0; all_taken && i < WATCHES; i++)
    watches[i].check(finding);
  text_sanitize(finding->text);
  return finding->harm;
}
