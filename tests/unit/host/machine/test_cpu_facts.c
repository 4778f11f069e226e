/* Tests the facts about processors on imitated machines: complete ones, bare ones and hostile ones. */
#include "machine/cpu_facts.h"

#include "base/memory.h"
#include "fake_tree.h"
#include "machine/cpu_times.h"
#include "unit.h"

#define CPU "/sys/devices/system/cpu/"

static struct cpu_facts facts;
static char text[256];

static void read_all(void) {
  cpu_facts_read(fake_root, &facts);
  cpu_facts_read_load(fake_root, &facts);
}

static const char *faults(bool on_gpu) {
  text[0] = '\0';
  cpu_facts_faults(&facts, on_gpu, text, sizeof text);
  return text;
}

static const char *words(void) {
  cpu_facts_text(&facts, text, sizeof text);
  return text;
}

/* Makes a machine that allows two of its four processors, both on one core. */
static void make_server(const char *governor) {
  fake_begin();
  fake_file("/proc/self/status", "Name:\tx\nCpus_allowed_list:\t0,2\n");
  fake_file(CPU "online", "0-3\n");
  fake_file(CPU "cpu0/cpufreq/scaling_governor", "performance\n");
  fake_file(CPU "cpu2/cpufreq/scaling_governor", governor);
  fake_file(CPU "cpu0/cpufreq/scaling_cur_freq", "3000000\n");
  fake_file(CPU "cpu2/cpufreq/scaling_cur_freq", "3500000\n");
  fake_file(CPU "cpu1/cpufreq/scaling_cur_freq", "800000\n"); /* not allowed */
  fake_file(CPU "cpu0/cpufreq/scaling_min_freq", "800000\n");
  fake_file(CPU "cpu2/cpufreq/scaling_max_freq", "4200000\n");
  fake_file(CPU "intel_pstate/no_turbo", "0\n");
  fake_file(CPU "smt/active", "1\n");
  fake_file(CPU "cpu0/topology/thread_siblings_list", "0,2\n");
  fake_file(CPU "cpu2/topology/thread_siblings_list", "0,2\n");
  fake_file("/proc/cpuinfo", "processor\t: 0\ncpu MHz\t\t: 1234.5\nflags\t\t: fpu vme hypervisors\n");
  fake_file("/proc/loadavg", "0.25 0.20 0.10 2/300 4711\n");
}

static void a_server_tells_everything(void) {
  make_server("performance\n");
  read_all();
  ASSERT_EQ_INT(cpus_count(&facts.allowed), 2);
  ASSERT_EQ_INT(facts.online, 4);
  ASSERT_EQ_STR(facts.governor, "performance");
  ASSERT_EQ_INT(facts.governed, 2);
  ASSERT_NEAR(facts.mhz, 3250, 1e-9);
  ASSERT_NEAR(facts.mhz_min, 800, 1e-9);
  ASSERT_NEAR(facts.mhz_max, 4200, 1e-9);
  ASSERT_EQ_INT(facts.boost, 1);
  ASSERT_EQ_INT(facts.smt, 1);
  ASSERT_EQ_INT(facts.siblings, 2);
  ASSERT_EQ_INT(facts.hypervisor, 0); /* the flag "hypervisors" only begins with the name of the flag that counts */
  ASSERT_NEAR(facts.load1, 0.25, 0);
  ASSERT_EQ_INT(facts.runnable, 1);
  ASSERT_EQ_STR(faults(false), "");
  ASSERT_EQ_STR(words(), "load 0.25 on 4 threads, pinned to 0,2, 3250 MHz, governor performance");
  fake_end();
}

static void faults_are_named_worst_first(void) {
  make_server("powersave\n");
  fake_file("/proc/loadavg", "3.10 0.20 0.10 6/300 4711\n");
  fake_cgroup2_mount();
  fake_file("/proc/self/cgroup", "0::/box\n");
  fake_file("/sys/fs/cgroup/box/cpu.max", "150000 100000\n");
  read_all();
  ASSERT_EQ_INT(facts.governed, 1);
  ASSERT_EQ_STR(faults(false),
                "load 3.10 on 4 threads; 5 other tasks running on 4 threads; a quota of 1.5 CPUs for 2 "
                "threads; governor powersave on 1 of 2 threads");
  ASSERT_EQ_STR(faults(true), "5 other tasks running on 4 threads"); /* with a GPU the host needs few processors */
  ASSERT_EQ_STR(words(), "pinned to 0,2, 3250 MHz");
  fake_file(CPU "cpu0/cpufreq/scaling_governor", "powersave\n");
  fake_file("/proc/loadavg", "3.70 0.20 0.10 1/300 4711\n");
  read_all();
  ASSERT_EQ_STR(faults(false), "load 3.70 on 4 threads; a quota of 1.5 CPUs for 2 threads; governor powersave");
  ASSERT_EQ_STR(faults(true), "load 3.70 on 4 threads");
  fake_end();
}

static void all_unknown(void) {
  ASSERT_EQ_INT(facts.online, -1);
  ASSERT_EQ_INT(cpus_count(&facts.allowed), 0);
  ASSERT_EQ_STR(facts.governor, "");
  ASSERT_TRUE(isnan(facts.mhz) && isnan(facts.mhz_min) && isnan(facts.mhz_max) && isnan(facts.quota_cpus));
  ASSERT_TRUE(facts.boost == -1 && facts.smt == -1 && facts.hypervisor == -1);
  ASSERT_TRUE(facts.siblings == -1 && isnan(facts.load1) && facts.runnable == -1);
  ASSERT_EQ_STR(faults(false), "");
  ASSERT_EQ_STR(words(), "load unknown, governor unknown");
}

static void nothing_is_unknown(void) {
  fake_begin();
  read_all();
  all_unknown();
  fake_end();
}

/* Fills all files with the same bytes. */
static void write_everywhere(const char *bytes, size_t size) {
  static const char *const files[] = {"/proc/loadavg",
                                      "/proc/cpuinfo",
                                      "/proc/self/cgroup",
                                      CPU "online",
                                      CPU "smt/active",
                                      CPU "intel_pstate/no_turbo",
                                      CPU "cpufreq/boost",
                                      CPU "cpu0/cpufreq/scaling_governor",
                                      CPU "cpu0/cpufreq/scaling_cur_freq",
                                      CPU "cpu0/cpufreq/scaling_min_freq",
                                      CPU "cpu0/cpufreq/scaling_max_freq",
                                      CPU "cpu0/topology/thread_siblings_list"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    fake_bytes(files[i], bytes, size);
}

static void hostile_files_are_unknown(void) {
  static const char binary[] =
      "\x7f"
      "ELF\x02\x01\x01\0\0\0\xff\xfe\n";
  char *huge = xcalloc(1 << 20, 1);
  memset(huge, '9', 1 << 20);
  const struct {
    const char *bytes;
    size_t size;
  } kinds[] = {{huge, 1 << 20}, {binary, sizeof binary - 1},     {"-1\n", 3}, {"", 0},
               {"a b c\n", 6},  {"-3000000 -1 -1 -2/-3 4\n", 23}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    fake_begin();
    write_everywhere(kinds[i].bytes, kinds[i].size);
    /* valid, because otherwise none of the other files would be read */
    fake_file("/proc/self/status", "Cpus_allowed_list:\t0\n");
    read_all();
    ASSERT_EQ_INT(cpus_count(&facts.allowed), 1);
    facts.allowed = (struct cpus){0};
    all_unknown();
    write_everywhere(kinds[i].bytes, kinds[i].size);
    fake_bytes("/proc/self/status", kinds[i].bytes, kinds[i].size);
    read_all();
    all_unknown();
    fake_end();
  }
  free(huge);
}

static void loads_that_cannot_be_are_unknown(void) {
  static const char *const bad[] = {"inf 0 0 1/2 3\n", "nan 0 0 1/2 3\n", "1e9 0 0 1/2 3\n",
                                    "1.0 0 0 0/2 3\n", "1.0 0 0 5/2 3\n", "1.0 0 0\n"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    fake_begin();
    fake_file("/proc/loadavg", bad[i]);
    read_all();
    if (!isnan(facts.load1) || facts.runnable != -1) UNIT_FAIL("%s gives %g", bad[i], facts.load1);
    fake_end();
  }
}

static void clocks_come_from_cpufreq_or_cpuinfo(void) {
  fake_begin();
  ASSERT_TRUE(isnan(cpu_clock_mhz(fake_root, 0)));
  fake_file("/proc/cpuinfo", "processor : 0\ncpu MHz\t: 2596.124\n");
  ASSERT_NEAR(cpu_clock_mhz(fake_root, 0), 2596.124, 1e-9);
  ASSERT_NEAR(cpu_clock_mhz(fake_root, -1), 2596.124, 1e-9);
  fake_file(CPU "cpu7/cpufreq/scaling_cur_freq", "1800000\n");
  ASSERT_NEAR(cpu_clock_mhz(fake_root, 7), 1800, 1e-9);
  fake_file("/proc/cpuinfo", "cpu MHz : -5\n");
  ASSERT_TRUE(isnan(cpu_clock_mhz(fake_root, 0)));
  fake_file("/proc/cpuinfo", "cpu MHz : 1e300\n");
  ASSERT_TRUE(isnan(cpu_clock_mhz(fake_root, 0)));
  fake_end();
}

static void boost_is_found_in_both_places(void) {
  fake_begin();
  fake_file(CPU "cpufreq/boost", "0\n");
  cpu_facts_read(fake_root, &facts);
  ASSERT_EQ_INT(facts.boost, 0);
  fake_file(CPU "intel_pstate/no_turbo", "1\n");
  fake_file(CPU "cpufreq/boost", "1\n");
  cpu_facts_read(fake_root, &facts);
  ASSERT_EQ_INT(facts.boost, 0); /* from the driver in use */
  fake_end();
}

static void virtual_machines_say_so(void) {
  fake_begin();
  fake_file("/proc/cpuinfo", "flags\t\t: fpu hypervisor lahf_lm\n");
  cpu_facts_read(fake_root, &facts);
  ASSERT_EQ_INT(facts.hypervisor, 1);
  ASSERT_HAS(words(), "virtual machine");
  fake_file("/proc/cpuinfo", "Features : fp asimd\n");
  cpu_facts_read(fake_root, &facts);
  ASSERT_EQ_INT(facts.hypervisor, -1);
  fake_file("/sys/hypervisor/type", "xen\n");
  cpu_facts_read(fake_root, &facts);
  ASSERT_EQ_INT(facts.hypervisor, 1);
  fake_end();
}

/* ---- Quotas ---- */

static void quota_is(double cpus, long long periods, long long throttled) {
  struct cpu_quota quota;
  cpu_quota_read(fake_root, &quota);
  if (isnan(cpus) ? !isnan(quota.cpus) : quota.cpus != cpus) UNIT_FAIL("%g cpus, expected %g", quota.cpus, cpus);
  ASSERT_EQ_INT(quota.periods, periods);
  ASSERT_EQ_INT(quota.throttled, throttled);
}

static void the_tightest_group_counts(void) {
  fake_begin();
  fake_cgroup2_mount();
  fake_file("/proc/self/cgroup", "0::/a/b/c\n");
  fake_file("/sys/fs/cgroup/cgroup.controllers", "cpu io\n");
  quota_is(INFINITY, 0, 0);
  fake_file("/sys/fs/cgroup/a/b/c/cpu.max", "max 100000\n");
  quota_is(INFINITY, 0, 0);
  fake_file("/sys/fs/cgroup/a/cpu.max", "200000 100000\n");
  fake_file("/sys/fs/cgroup/a/cpu.stat", "usage_usec 5\nnr_periods 100\nnr_throttled 7\nthrottled_usec 9\n");
  quota_is(2, 100, 7);
  fake_file("/sys/fs/cgroup/a/b/cpu.max", "50000 100000\n");
  quota_is(0.5, -1, -1); /* this group has no counters of throttling */
  fake_file("/sys/fs/cgroup/a/b/cpu.stat", "nr_periodsX1\nnr_periods -3\nnr_throttled 2 2\n");
  quota_is(0.5, -1, -1);
  fake_end();
}

static void containers_see_their_own_group(void) {
  fake_begin();
  fake_cgroup2_mount();
  fake_file("/proc/self/cgroup", "0::/../../system.slice/box\n");
  fake_file("/sys/fs/cgroup/cpu.max", "300000 100000\n");
  fake_file("/sys/fs/cgroup/cpu.stat", "nr_periods 4\nnr_throttled 1\n");
  quota_is(3, 4, 1);
  fake_file("/sys/fs/system.slice/box/cpu.max", "1000 100000\n"); /* where no group is, but a path with ".." leads */
  fake_file("/proc/self/cgroup", "0::/../system.slice/box\n");
  quota_is(3, 4, 1);
  fake_file("/proc/self/cgroup", "0::/docker/not/mounted/here\n");
  quota_is(3, 4, 1);
  fake_file("/proc/self/cgroup", "0::/\n");
  quota_is(3, 4, 1);
  fake_end();
}

static void the_first_version_has_other_names(void) {
  fake_begin();
  fake_file("/proc/self/cgroup", "5:cpuset:/x\n4:cpuacct,cpu:/job\n0::/y\n");
  fake_file("/proc/self/mountinfo", "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n");
  fake_file("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  fake_file("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  quota_is(INFINITY, 0, 0);
  fake_file("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "250000\n");
  fake_file("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  fake_file("/sys/fs/cgroup/cpu,cpuacct/job/cpu.stat", "nr_periods 10\nnr_throttled 3\n");
  quota_is(2.5, 10, 3);
  fake_end();
}

static void odd_groups_are_unknown(void) {
  static const char *const limits[] = {"",      "100000\n",          "-5 100000\n", "100000 0\n", "0 100000\n",
                                       "a b\n", "100000 100000 1\n", "max\n",       "1e5 1e5\n"};
  char *path = xcalloc(3000, 1);
  fake_begin();
  fake_cgroup2_mount();
  quota_is(NAN, -1, -1);
  fake_file("/proc/self/cgroup", "no colon here\n:\n1:cpux:/a\n");
  quota_is(NAN, -1, -1);
  fake_file("/proc/self/cgroup", "0::/box\n");
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    fake_file("/sys/fs/cgroup/box/cpu.max", limits[i]);
    quota_is(NAN, -1, -1);
  }
  strcpy(path, "0::");
  for (int i = 0; i < 700; i++)
    strcat(path, "/xy");
  fake_file("/proc/self/cgroup", path); /* longer than the longest path that is followed */
  quota_is(NAN, -1, -1);
  fake_end();
  free(path);
}

static void this_machine_is_plausible(void) {
  cpu_facts_read("", &facts);
  cpu_facts_read_load("", &facts);
  ASSERT_TRUE(cpus_count(&facts.allowed) >= 1 && facts.online >= (int64_t)cpus_count(&facts.allowed));
  ASSERT_TRUE(isnan(facts.mhz) || (facts.mhz > 100 && facts.mhz < 10000));
  ASSERT_TRUE(facts.load1 >= 0 && facts.runnable >= 0);
  ASSERT_TRUE(isnan(facts.quota_cpus) || facts.quota_cpus > 0);
  ASSERT_TRUE(facts.boost >= -1 && facts.boost <= 1 && facts.smt >= -1 && facts.smt <= 1);
  printf("\n    %s\n", words());
  printf("    faults: %s\n", faults(false));
}

UNIT_MAIN("cpu_facts", UNIT_TEST(a_server_tells_everything), UNIT_TEST(faults_are_named_worst_first),
          UNIT_TEST(nothing_is_unknown), UNIT_TEST(hostile_files_are_unknown),
          UNIT_TEST(loads_that_cannot_be_are_unknown), UNIT_TEST(clocks_come_from_cpufreq_or_cpuinfo),
          UNIT_TEST(boost_is_found_in_both_places), UNIT_TEST(virtual_machines_say_so),
          UNIT_TEST(the_tightest_group_counts), UNIT_TEST(containers_see_their_own_group),
          UNIT_TEST(the_first_version_has_other_names), UNIT_TEST(odd_groups_are_unknown),
          UNIT_TEST(this_machine_is_plausible))
