/* Settings of a process: locale, environment, umask, limits, processors, priority, what its parent's death does. */
#include <locale.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "plugin/process_watch.h"

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

const struct process_watch watch_locale = {take_locale, check_locale};

static void take_environment(void) {
  strings_free(&taken_environment);
  taken_environment = (struct strings){0};
  for (char **item = environ; item != NULL && *item != NULL; item++)
    strings_add(&taken_environment, *item);
}

/* The first name whose value is not as it was, or NULL. */
static const char *changed_variable(void) {
  size_t i = 0;
  for (; environ != NULL && environ[i] != NULL && i < taken_environment.count; i++)
    if (strcmp(environ[i], taken_environment.items[i]) != 0) return taken_environment.items[i];
  if (i < taken_environment.count) return taken_environment.items[i];
  return environ != NULL && environ[i] != NULL ? environ[i] : NULL;
}

static void check_environment(struct process_state_finding *finding) {
  const char *changed = changed_variable();
  if (changed == NULL) return;
  process_finding_add(finding, PROCESS_STATE_UNDONE, "changed the environment (%.*s)",
                      (int)(strcspn(changed, "=") % 64), changed);
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

const struct process_watch watch_environment = {take_environment, check_environment};

static void take_umask(void) {
  taken_umask = umask(022);
  umask(taken_umask);
}

static void check_umask(struct process_state_finding *finding) {
  mode_t now = umask(taken_umask);
  if (now != taken_umask) process_finding_add(finding, PROCESS_STATE_UNDONE, "changed the umask to %04o", now);
}

const struct process_watch watch_umask = {take_umask, check_umask};

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

const struct process_watch watch_limits = {take_limits, check_limits};

static void take_processors(void) {
  sched_getaffinity(0, sizeof taken_processors, &taken_processors);
}

/* Libraries pin the thread that calls them: no offence, but not the next one's business. */
static void check_processors(struct process_state_finding *finding) {
  (void)finding;
  cpu_set_t now;
  if (sched_getaffinity(0, sizeof now, &now) == 0 && !CPU_EQUAL(&now, &taken_processors))
    sched_setaffinity(0, sizeof taken_processors, &taken_processors);
}

const struct process_watch watch_processors = {take_processors, check_processors};

static void take_priority(void) {
  taken_priority = getpriority(PRIO_PROCESS, 0);
  taken_policy = sched_getscheduler(0);
  taken_slack = prctl(PR_GET_TIMERSLACK);
}

static void check_policy(struct process_state_finding *finding) {
  const struct sched_param parameter = {0}; /* what workers start with is none of the policies that have others */
  int now = sched_getscheduler(0);
  if (now == taken_policy) return;
  bool back = sched_setscheduler(0, taken_policy, &parameter) == 0;
  process_finding_add(finding, back ? PROCESS_STATE_UNDONE : PROCESS_STATE_LASTING,
                      "changed its scheduling policy to %d", now);
}

/* How late its sleeps may end. */
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

const struct process_watch watch_priority = {take_priority, check_priority};

static void take_death_signal(void) {
  prctl(PR_GET_PDEATHSIG, &taken_death_signal);
}

static void check_death_signal(struct process_state_finding *finding) {
  int now = 0;
  if (prctl(PR_GET_PDEATHSIG, &now) != 0 || now == taken_death_signal) return;
  prctl(PR_SET_PDEATHSIG, taken_death_signal);
  process_finding_add(finding, PROCESS_STATE_UNDONE, "changed what its parent's death does to it");
}

const struct process_watch watch_death_signal = {take_death_signal, check_death_signal};
