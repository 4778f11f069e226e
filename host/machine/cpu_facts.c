#include "machine/cpu_facts.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/cgroup.h"
#include "machine/kernel_files.h"
#include "stats/math.h"

/* Returns to how many processors one group (of cgroup version 1) is limited; INFINITY: no limit; NaN: not known. */
static double limit_first(const char *root, const char *folder) {
  char text[64];
  if (!tree_text(root, text, sizeof text, "%s/cpu.cfs_quota_us", folder)) return NAN;
  int64_t period = tree_number(root, "%s/cpu.cfs_period_us", folder);
  if (strcmp(text, "-1") == 0) return INFINITY;
  int64_t quota = tree_parse(text);
  return quota > 0 && period > 0 ? (double)quota / (double)period : NAN;
}

static double limit_second(const char *root, const char *folder) {
  char text[128];
  if (!tree_text(root, text, sizeof text, "%s/cpu.max", folder)) return NAN;
  char *space = strchr(text, ' ');
  if (space == NULL) return NAN;
  *space = '\0';
  if (strcmp(text, "max") == 0) return INFINITY;
  int64_t quota = tree_parse(text), period = tree_parse(space + 1);
  return quota > 0 && period > 0 ? (double)quota / (double)period : NAN;
}

/* Reads the CPU limit of this process. Each of its control groups, from its own up to the root, may set one; all of
 * them apply, so the smallest is taken. */
void cpu_quota_read(const char *root, struct cpu_quota *quota) {
  struct cgroup group;
  char controllers[1024];
  *quota = (struct cpu_quota){NAN, -1, -1};
  if (!cgroup_find(root, "cpu", &group)) return;
  const bool first = group.first_version;
  do {
    const double cpus = first ? limit_first(root, group.folder) : limit_second(root, group.folder);
    if (isnan(cpus) || quota->cpus <= cpus) continue;
    const bool limits = isfinite(cpus) != 0;
    *quota = (struct cpu_quota){cpus, limits ? cgroup_value(root, &group, "cpu.stat", "nr_periods") : 0,
                                limits ? cgroup_value(root, &group, "cpu.stat", "nr_throttled") : 0};
  } while (cgroup_up(&group));
  /* If no group has the file cpu.max, there is no limit: the root group has none, and neither have groups without the
   * cpu controller. */
  if (isnan(quota->cpus) && !first &&
      tree_text(root, controllers, sizeof controllers, "%s/cgroup.controllers", group.folder))
    *quota = (struct cpu_quota){INFINITY, 0, 0};
}

/* numbers of processors whose facts, and whose clocks, are read at most; reading more would take too long */
enum { CPUS_ASKED = 1024, CLOCKS_ASKED = 16 };
#define CPU "/sys/devices/system/cpu/cpu%u/"

double cpu_clock_mhz(const char *root, int cpu) {
  char text[64];
  int64_t khz = cpu < 0 ? -1 : tree_number(root, CPU "cpufreq/scaling_cur_freq", (unsigned)cpu);
  if (khz > 0) return (double)khz * 1e-3;
  double mhz = tree_value(root, "/proc/cpuinfo", "cpu MHz", text, sizeof text) ? strtod(text, NULL) : 0;
  return mhz > 0 && mhz < 1e6 ? mhz : NAN;
}

static void read_cpus(const char *root, struct cpu_facts *facts) {
  char text[4096];
  struct cpus online;
  facts->online = -1;
  if (tree_text(root, text, sizeof text, "/sys/devices/system/cpu/online") && cpus_parse(text, &online))
    facts->online = (int64_t)cpus_count(&online);
  if (!tree_value(root, "/proc/self/status", "Cpus_allowed_list", text, sizeof text) ||
      !cpus_parse(text, &facts->allowed))
    facts->allowed = (struct cpus){0};
}

static void read_governors(const char *root, struct cpu_facts *facts) {
  char name[ID_SIZE];
  unsigned cpu = cpus_next(&facts->allowed, 0);
  facts->governed = 0;
  for (int asked = 0; cpu < CPUS_MAX && asked < CPUS_ASKED; asked++, cpu = cpus_next(&facts->allowed, cpu + 1)) {
    if (!tree_text(root, name, sizeof name, CPU "cpufreq/scaling_governor", cpu) || !text_is_id(name)) continue;
    bool worse = facts->governor[0] == '\0' || strcmp(facts->governor, "performance") == 0;
    if (worse && strcmp(facts->governor, name) != 0) {
      text_copy(facts->governor, sizeof facts->governor, name);
      facts->governed = 0;
    }
    facts->governed += strcmp(facts->governor, name) == 0;
  }
}

static void read_clocks(const char *root, struct cpu_facts *facts) {
  double now[CLOCKS_ASKED];
  size_t count = 0;
  unsigned cpu = cpus_next(&facts->allowed, 0);
  for (int asked = 0; cpu < CPUS_MAX && asked < CLOCKS_ASKED; asked++, cpu = cpus_next(&facts->allowed, cpu + 1)) {
    double mhz = cpu_clock_mhz(root, (int)cpu);
    int64_t least = tree_number(root, CPU "cpufreq/scaling_min_freq", cpu);
    int64_t most = tree_number(root, CPU "cpufreq/scaling_max_freq", cpu);
    if (!isnan(mhz)) now[count++] = mhz;
    if (least > 0) facts->mhz_min = fmin(facts->mhz_min, (double)least * 1e-3); /* fmin ignores NaN */
    if (most > 0) facts->mhz_max = fmax(facts->mhz_max, (double)most * 1e-3);
  }
  if (count > 0) facts->mhz = stats_median(now, count);
}

static int read_boost(const char *root) {
  int64_t off = tree_number(root, "/sys/devices/system/cpu/intel_pstate/no_turbo");
  if (off == 0 || off == 1) return off == 0;
  int64_t on = tree_number(root, "/sys/devices/system/cpu/cpufreq/boost");
  return on == 0 || on == 1 ? (int)on : -1;
}

static void read_siblings(const char *root, struct cpu_facts *facts) {
  char text[1024];
  struct cpus core;
  int64_t active = tree_number(root, "/sys/devices/system/cpu/smt/active");
  facts->smt = active == 0 || active == 1 ? (int)active : -1;
  unsigned cpu = cpus_next(&facts->allowed, 0);
  for (int asked = 0; cpu < CPUS_MAX && asked < CPUS_ASKED; asked++, cpu = cpus_next(&facts->allowed, cpu + 1)) {
    if (!tree_text(root, text, sizeof text, CPU "topology/thread_siblings_list", cpu) || !cpus_parse(text, &core))
      continue;
    if (facts->siblings < 0) facts->siblings = 0;
    for (unsigned other = cpus_next(&core, 0); other < CPUS_MAX; other = cpus_next(&core, other + 1))
      if (other != cpu && cpus_has(&facts->allowed, other)) {
        facts->siblings++;
        break;
      }
  }
}

/* Returns 1 if this is a virtual machine, 0 if it is none, -1 if that is not known. Checks the flag that hypervisors on
 * x86 set, and the kernel's file for guests of Xen and similar hypervisors. */
static int read_hypervisor(const char *root) {
  char flags[8192], text[64];
  if (tree_text(root, text, sizeof text, "/sys/hypervisor/type")) return 1;
  if (!tree_value(root, "/proc/cpuinfo", "flags", flags, sizeof flags)) return -1;
  for (char *rest = flags, *flag; (flag = strsep(&rest, " ")) != NULL;)
    if (strcmp(flag, "hypervisor") == 0) return 1;
  return 0;
}

void cpu_facts_read_load(const char *root, struct cpu_facts *facts) {
  char text[128];
  for (int i = 0; i < 3; i++) {
    double load = NAN;
    long running = -1, all = -1;
    if (i > 0) usleep(1000);
    if (!tree_text(root, text, sizeof text, "/proc/loadavg") ||
        sscanf(text, "%lf %*f %*f %9ld/%9ld", &load, &running, &all) != 3)
      return;
    /* `running` must be at least 1, because this process is running */
    if (!(load >= 0 && load < 1e6) || running < 1 || all < running) return;
    facts->load1 = load;
    if (i == 0 || running - 1 < facts->runnable) facts->runnable = running - 1;
  }
}

void cpu_facts_read(const char *root, struct cpu_facts *facts) {
  struct cpu_quota quota;
  *facts = (struct cpu_facts){.mhz = NAN, .mhz_min = NAN, .mhz_max = NAN, .siblings = -1, .load1 = NAN, .runnable = -1};
  read_cpus(root, facts);
  read_governors(root, facts);
  read_clocks(root, facts);
  read_siblings(root, facts);
  facts->boost = read_boost(root);
  facts->hypervisor = read_hypervisor(root);
  cpu_quota_read(root, &quota);
  facts->quota_cpus = quota.cpus;
}

/* Returns the number of processors to compare the load with. These are all processors of the machine, because the load
 * is that of the whole machine. */
static long long carriers(const struct cpu_facts *facts) {
  int64_t allowed = (int64_t)cpus_count(&facts->allowed);
  return facts->online > allowed ? facts->online : allowed > 0 ? allowed : 1;
}

static bool is_loaded(const struct cpu_facts *facts, bool on_gpu) {
  return facts->load1 > (on_gpu ? 0.9 : 0.5) * (double)carriers(facts);
}

static bool is_governed(const struct cpu_facts *facts) {
  return facts->governor[0] != '\0' && strcmp(facts->governor, "performance") != 0;
}

static const char *plural(long long count) {
  return count == 1 ? "" : "s";
}

bool cpu_facts_load(const struct cpu_facts *facts, bool on_gpu, char *to, size_t size) {
  const long long cpus = carriers(facts), runnable = facts->runnable;
  const bool loaded = is_loaded(facts, on_gpu), running = runnable > 0 && (on_gpu ? 1 : 2) * runnable >= cpus;
  if (loaded) phrase_add(to, size, "; ", "load %.2f on %lld thread%s", facts->load1, cpus, plural(cpus));
  if (running)
    phrase_add(to, size, "; ", "%lld other task%s running on %lld thread%s", runnable, plural(runnable), cpus,
               plural(cpus));
  return loaded || running;
}

void cpu_facts_faults(const struct cpu_facts *facts, bool on_gpu, char *to, size_t size) {
  const long long allowed = (long long)cpus_count(&facts->allowed), governed = facts->governed;
  (void)cpu_facts_load(facts, on_gpu, to, size);
  if (facts->quota_cpus < (double)(on_gpu ? 1 : allowed))
    phrase_add(to, size, "; ", "a quota of %.3g CPUs for %lld thread%s", facts->quota_cpus, allowed, plural(allowed));
  if (on_gpu || !is_governed(facts)) return;
  phrase_add(to, size, "; ", "governor %s", facts->governor);
  if (governed < allowed) phrase_add(to, size, " ", "on %lld of %lld threads", governed, allowed);
}

void cpu_facts_text(const struct cpu_facts *facts, char *to, size_t size) {
  char list[64];
  long long cpus = carriers(facts), allowed = (long long)cpus_count(&facts->allowed);
  to[0] = '\0';
  if (isnan(facts->load1))
    phrase_add(to, size, ", ", "load unknown");
  else if (!is_loaded(facts, false))
    phrase_add(to, size, ", ", "load %.2f on %lld thread%s", facts->load1, cpus, plural(cpus));
  if (allowed > 0 && allowed < facts->online) {
    cpus_text(&facts->allowed, list, sizeof list);
    phrase_add(to, size, ", ", "pinned to %s", list);
  }
  if (!isnan(facts->mhz)) phrase_add(to, size, ", ", "%.0f MHz", facts->mhz);
  if (!is_governed(facts)) phrase_add(to, size, ", ", "governor %s", facts->governor[0] ? facts->governor : "unknown");
  if (facts->hypervisor == 1) phrase_add(to, size, ", ", "virtual machine");
}
