#include "machine/cpu_times.h"

#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/parallel.h"
#include "machine/cpu_facts.h"
#include "machine/kernel_files.h"

/* Constants for measuring which share of a processor a thread gets. Threads first spin for short_ns. If each gets at
 * least the share `alone`, nothing else runs, and the result is 1. Otherwise they spin for long_ns: the scheduler
 * prefers a thread that has slept for some milliseconds, so the short spin shows too high a share. `least` is the
 * smallest share that is reported. */
static const int64_t short_ns = 20000000, long_ns = 380000000;
static const double alone = 0.9, least = 0.1;

struct spin {
  int64_t until_ns;
  _Atomic int64_t least_ns; /* the CPU time of the thread that got the least */
};

static int64_t used_ns(void) {
  struct timespec used = {0};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
}

static void spin_thread(void *context, size_t piece) {
  struct spin *s = context;
  (void)piece;
  const int64_t before = used_ns();
  while (clock_now_ns() < s->until_ns)
    continue;
  const int64_t used = used_ns() - before;
  int64_t former = s->least_ns;
  while (used < former && !atomic_compare_exchange_weak(&s->least_ns, &former, used))
    continue;
}

static double measure_cpu_share(size_t threads, int64_t ns) {
  struct spin s = {.until_ns = clock_now_ns() + ns, .least_ns = ns};
  parallel_each(threads, spin_thread, &s);
  return fmax(least, (double)s.least_ns / (double)ns);
}

double cpu_share_measure(size_t threads) {
  const double share = measure_cpu_share(threads, short_ns);
  return share >= alone ? 1 : measure_cpu_share(threads, long_ns);
}

/* indices of fields in a line of /proc/stat: user nice system idle iowait ... steal */
enum { FIELDS = 8, IDLE = 3, IOWAIT = 4, STEAL = 7 };
enum { HOT_CPUS_ASKED = 256, TICKS_LEAST = 20 };

static int64_t clock_ns(clockid_t clock) {
  struct timespec t;
  if (clock_gettime(clock, &t) != 0) return -1;
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Parses a processor's line of /proc/stat, such as "cpu3 4705 150 ...": the number of the processor and the first
 * fields. Returns false for any other line. */
static bool parse_stat(const char *line, unsigned *cpu, int64_t fields[FIELDS]) {
  char *end;
  if (strncmp(line, "cpu", 3) != 0 || line[3] < '0' || line[3] > '9') return false;
  unsigned long number = strtoul(line + 3, &end, 10);
  for (int i = 0; i < FIELDS; i++) {
    end += strspn(end, " ");
    if (*end < '0' || *end > '9') return false;
    fields[i] = strtoll(end, &end, 10);
    if (fields[i] > INT64_MAX / 1000000) return false; /* sums must not overflow */
  }
  *cpu = number < CPUS_MAX ? (unsigned)number : CPUS_MAX;
  return true;
}

static void read_stat(const char *root, const struct cpus *allowed, struct cpu_times *times) {
  char line[512];
  unsigned cpu;
  int64_t fields[FIELDS];
  SCOPED_TREE_FILE struct tree_file file = tree_open(root, "/proc/stat");
  while (tree_line(&file, line, sizeof line) && strncmp(line, "cpu", 3) == 0) {
    if (!parse_stat(line, &cpu, fields) || !cpus_has(allowed, cpu)) continue;
    if (times->total_ticks < 0) times->total_ticks = times->idle_ticks = times->steal_ticks = 0;
    for (int i = 0; i < FIELDS; i++)
      times->total_ticks += fields[i];
    times->idle_ticks += fields[IDLE] + fields[IOWAIT];
    times->steal_ticks += fields[STEAL];
  }
}

static int64_t hot_file(const char *root, unsigned cpu, const char *what) {
  int64_t count = tree_number(root, "/sys/devices/system/cpu/cpu%u/thermal_throttle/%s_throttle_count", cpu, what);
  return count > INT64_C(1000000000000) ? -1 : count; /* sums must not overflow */
}

/* Returns how often the processor's core and package were slowed down because of heat; -1: the kernel does not count
 * that. */
static int64_t hot_count(const char *root, unsigned cpu) {
  int64_t core = hot_file(root, cpu, "core"), package = hot_file(root, cpu, "package");
  return core < 0 ? package : package < 0 ? core : core + package;
}

static void read_hot_counts(const char *root, const struct cpus *allowed, struct cpu_times *times) {
  unsigned cpu = cpus_next(allowed, 0);
  for (int asked = 0; cpu < CPUS_MAX && asked < HOT_CPUS_ASKED; asked++, cpu = cpus_next(allowed, cpu + 1)) {
    int64_t count = hot_count(root, cpu);
    if (count < 0) return; /* if one processor has no counter, none has */
    times->hot = (times->hot < 0 ? 0 : times->hot) + count;
  }
}

void cpu_times_read(const char *root, struct cpu_times *times) {
  char list[4096];
  struct cpus allowed;
  struct cpu_quota quota;
  struct rusage usage;
  *times = (struct cpu_times){-1, -1, -1, -1, -1, -1, -1, -1, -1};
  tree_value(root, "/proc/self/status", "Cpus_allowed_list", list, sizeof list);
  cpus_parse(list, &allowed);
  read_stat(root, &allowed, times);
  read_hot_counts(root, &allowed, times);
  cpu_quota_read(root, &quota);
  times->quota_periods = quota.periods;
  times->quota_throttled = quota.throttled;
  times->at_ns = clock_ns(CLOCK_MONOTONIC);
  times->own_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  if (getrusage(RUSAGE_SELF, &usage) == 0) times->involuntary = usage.ru_nivcsw;
}

/* Returns by how much a counter has grown. -1: not known, or the counter went backwards, as some do when a virtual
 * machine migrates. */
static int64_t grown_count(int64_t begin, int64_t end) {
  return begin >= 0 && end >= begin ? end - begin : -1;
}

static double share_of_whole(int64_t part, int64_t whole) {
  return part >= 0 && whole > 0 && part <= whole ? (double)part / (double)whole : NAN;
}

void cpu_times_between(const struct cpu_times *begin, const struct cpu_times *end, struct host_usage *usage) {
  int64_t total = grown_count(begin->total_ticks, end->total_ticks),
          idle = grown_count(begin->idle_ticks, end->idle_ticks);
  int64_t steal = grown_count(begin->steal_ticks, end->steal_ticks), own = grown_count(begin->own_ns, end->own_ns);
  int64_t passed = grown_count(begin->at_ns, end->at_ns),
          periods = grown_count(begin->quota_periods, end->quota_periods);
  double tick_s = 1.0 / (double)sysconf(_SC_CLK_TCK);
  *usage = HOST_USAGE_UNKNOWN;
  usage->involuntary = grown_count(begin->involuntary, end->involuntary);
  usage->hot = grown_count(begin->hot, end->hot);
  if (passed >= 0) usage->seconds = (double)passed * 1e-9;
  if (own >= 0) usage->own_s = (double)own * 1e-9;
  if (periods >= 0)
    usage->quota_share =
        periods == 0 ? 0 : share_of_whole(grown_count(begin->quota_throttled, end->quota_throttled), periods);
  if (total < TICKS_LEAST || idle < 0 || idle > total) return;
  usage->wanted_s = (double)(total - idle) * tick_s;
  usage->steal_share = total == idle && steal == 0 ? 0 : share_of_whole(steal, total - idle);
  if (steal < 0 || isnan(usage->own_s)) return;
  /* 2 ticks are subtracted, because each of the two readings is rounded */
  double others = (double)(total - idle - steal - 2) * tick_s - usage->own_s;
  usage->others_share = fmin(1, fmax(0, others / ((double)total * tick_s)));
}

void cpu_slot_state(const char *root, struct cpu_watch *watch, struct slot_state *state) {
  int cpu = sched_getcpu();
  int64_t hot = cpu < 0 ? -1 : hot_count(root, (unsigned)cpu);
  bool comparable = watch->used && watch->cpu == cpu && watch->hot >= 0 && hot >= 0;
  state->sm_clock_mhz = cpu_clock_mhz(root, cpu);
  state->throttle = !comparable ? 0 : hot > watch->hot ? THROTTLE_THERMAL : THROTTLE_NONE;
  *watch = (struct cpu_watch){hot, cpu, 1};
}
