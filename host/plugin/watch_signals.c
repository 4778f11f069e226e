/* Blocked signals, their handlers, alarms and timers. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/text.h"
#include "plugin/process_watch.h"

enum { SIGNALS = 65, TIMERS_MOST = 64 };

static sigset_t taken_mask;
static struct sigaction taken_actions[SIGNALS];
static uint64_t taken_timers; /* bits: kernel's numbers below TIMERS_MOST */

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

const struct process_watch watch_mask = {take_mask, check_mask};

/* ---- Handlers ---- */

static void take_handlers(void) {
  for (int i = 1; i < SIGNALS; i++)
    sigaction(i, NULL, &taken_actions[i]);
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
    if (sigaction(i, NULL, &now) != 0 || same_action(&now, &taken_actions[i])) continue;
    sigaction(i, &taken_actions[i], NULL);
    if (changed++ == 0) text_signal(i, name, sizeof name);
  }
  if (changed == 1) process_finding_add(finding, PROCESS_STATE_UNDONE, "changed what %s does", name);
  if (changed > 1)
    process_finding_add(finding, PROCESS_STATE_UNDONE, "changed what %s and %d other signals do", name, changed - 1);
}

const struct process_watch watch_handlers = {take_handlers, check_handlers};

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

const struct process_watch watch_alarm = {NULL, check_alarm};

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

static void take_timers(void) {
  taken_timers = read_timers();
}

static void check_timers(struct process_state_finding *finding) {
  uint64_t more = read_timers() & ~taken_timers;
  for (int i = 0; i < TIMERS_MOST; i++)
    if (more >> i & 1) syscall(SYS_timer_delete, i);
  if (more != 0) process_finding_add(finding, PROCESS_STATE_UNDONE, "left a timer set");
}

const struct process_watch watch_timers = {take_timers, check_timers};
