/* Tests the counters of an imitated kernel, and the usage computed from two readings. */
#include "machine/cpu_times.h"

#include <sched.h>
#include <time.h>
#include <unistd.h>

#include "fake_tree.h"
#include "unit.h"

#define CPU "/sys/devices/system/cpu/"

static struct cpu_times begin, end;
static struct host_usage usage;

static const char *faults(bool on_gpu) {
  static char text[256];
  text[0] = '\0';
  host_usage_faults(&usage, on_gpu, text, sizeof text);
  return text;
}

static void only_our_processors_count(void) {
  fake_begin();
  fake_file("/proc/self/status", "Cpus_allowed_list:\t1,3\n");
  fake_file("/proc/stat",
            "cpu  9 9 9 9 9 9 9 9 9 9\n"
            "cpu0 1000 1000 1000 1000 1000 1000 1000 1000 0 0\n"
            "cpu1 1 2 3 4 5 6 7 8 0 0\n"
            "cpu3 10 20 30 40 50 60 70 80\n" /* from a kernel older than guest times */
            "intr 5 5 5\ncpu1 9 9 9 9 9 9 9 9 9 9\n");
  fake_file(CPU "cpu1/thermal_throttle/core_throttle_count", "3\n");
  fake_file(CPU "cpu1/thermal_throttle/package_throttle_count", "4\n");
  fake_file(CPU "cpu3/thermal_throttle/core_throttle_count", "10\n");
  fake_file(CPU "cpu0/thermal_throttle/core_throttle_count", "1000\n");
  fake_cgroup2_mount();
  fake_file("/proc/self/cgroup", "0::/\n");
  fake_file("/sys/fs/cgroup/cpu.max", "10000 100000\n");
  fake_file("/sys/fs/cgroup/cpu.stat", "nr_periods 100\nnr_throttled 40\n");
  cpu_times_read(fake_root, &begin);
  ASSERT_EQ_INT(begin.total_ticks, 36 + 360);
  ASSERT_EQ_INT(begin.idle_ticks, 9 + 90);
  ASSERT_EQ_INT(begin.steal_ticks, 8 + 80);
  ASSERT_EQ_INT(begin.hot, 17);
  ASSERT_EQ_INT(begin.quota_periods, 100);
  ASSERT_EQ_INT(begin.quota_throttled, 40);
  ASSERT_TRUE(begin.at_ns > 0 && begin.own_ns > 0 && begin.involuntary >= 0);
  fake_end();
}

static void counters_unknown(void) {
  cpu_times_read(fake_root, &begin);
  ASSERT_TRUE(begin.total_ticks == -1 && begin.idle_ticks == -1 && begin.steal_ticks == -1);
  ASSERT_TRUE(begin.hot == -1 && begin.quota_periods == -1 && begin.quota_throttled == -1);
}

static void odd_counters_are_unknown(void) {
  static const char *const bad[] = {"",
                                    "cpu0 1 2 3\n",
                                    "cpu0 -1 2 3 4 5 6 7 8\n",
                                    "cpu0 1 2 3 4 5 6 7 x\n",
                                    "cpu0 99999999999999999999 2 3 4 5 6 7 8\n",
                                    "cpu99999999999999999999 1 2 3 4 5 6 7 8\n",
                                    "cpux 1 2 3 4 5 6 7 8\n",
                                    "\n\n"};
  char binary[4096];
  for (size_t i = 0; i < sizeof binary; i++)
    binary[i] = (char)(i * 7);
  fake_begin();
  counters_unknown();
  fake_file("/proc/self/status", "Cpus_allowed_list:\t0\n");
  counters_unknown();
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    fake_file("/proc/stat", bad[i]);
    counters_unknown();
  }
  fake_bytes("/proc/stat", binary, sizeof binary);
  fake_file(CPU "cpu0/thermal_throttle/core_throttle_count", "-5\n");
  fake_file(CPU "cpu0/thermal_throttle/package_throttle_count", "9223372036854775807\n");
  counters_unknown();
  fake_end();
}

/* Sets two readings that lie one second apart, on two processors: 200 ticks. */
static void set(int64_t idle, int64_t steal, double own_s) {
  long hz = sysconf(_SC_CLK_TCK);
  begin = (struct cpu_times){1000, 5000, 3000, 100, 1000, 10, 100, 40, 7};
  end = begin;
  end.at_ns += 1000000000;
  end.total_ticks += 2 * hz;
  end.idle_ticks += idle * hz / 100;
  end.steal_ticks += steal * hz / 100;
  end.own_ns += (int64_t)(own_s * 1e9);
}

static void between(void) {
  cpu_times_between(&begin, &end, &usage);
}

static void a_quiet_machine_has_no_faults(void) {
  set(100, 0, 0.99);
  end.involuntary += 5;
  end.quota_periods += 10;
  between();
  ASSERT_NEAR(usage.seconds, 1, 1e-9);
  ASSERT_NEAR(usage.wanted_s, 1, 1e-9);
  ASSERT_NEAR(usage.own_s, 0.99, 1e-9);
  ASSERT_NEAR(usage.steal_share, 0, 0);
  ASSERT_NEAR(usage.others_share, 0, 0);
  ASSERT_NEAR(usage.quota_share, 0, 0);
  ASSERT_EQ_INT(usage.involuntary, 5);
  ASSERT_EQ_INT(usage.hot, 0);
  ASSERT_EQ_STR(faults(false), "");
}

static void everything_at_once(void) {
  set(20, 36, 0.8);
  end.involuntary += 500;
  end.quota_periods += 10;
  end.quota_throttled += 3;
  end.hot += 2;
  between();
  ASSERT_NEAR(usage.steal_share, 0.2, 1e-9);
  ASSERT_NEAR(usage.others_share, (1.8 - 0.36 - 0.02 - 0.8) / 2, 1e-9);
  ASSERT_NEAR(usage.quota_share, 0.3, 1e-9);
  ASSERT_EQ_STR(faults(false),
                "throttled by the CPU quota in 30% of its periods; steal 20%; other processes used 31% of the CPUs; "
                "the CPUs were throttled by heat; interrupted 500 times by other tasks");
  ASSERT_EQ_STR(faults(true),
                "throttled by the CPU quota in 30% of its periods; steal 20%; the CPUs were throttled by heat");
}

static void small_shares_are_no_faults(void) {
  set(100, 2, 0.9); /* 20 ms, two steps of the counter */
  between();
  ASSERT_NEAR(usage.steal_share, 0.02, 1e-9);
  ASSERT_EQ_STR(faults(false), "");
  usage.steal_share = 0.031;
  ASSERT_EQ_STR(faults(false), "steal 3.1%");
  usage = HOST_USAGE_UNKNOWN;
  usage.others_share = 0.1;
  ASSERT_EQ_STR(faults(false), "");
  usage.others_share = 0.101;
  ASSERT_EQ_STR(faults(false), "other processes used 10% of the CPUs");
  ASSERT_EQ_STR(faults(true), "");
}

static void what_went_back_is_unknown(void) {
  set(100, 0, 0.9);
  end.steal_ticks = begin.steal_ticks - 5;
  end.hot = begin.hot - 5;
  end.involuntary = begin.involuntary - 5;
  end.quota_periods = begin.quota_periods - 1;
  between();
  ASSERT_TRUE(isnan(usage.steal_share) && isnan(usage.others_share) && isnan(usage.quota_share));
  ASSERT_TRUE(usage.hot == -1 && usage.involuntary == -1);
  ASSERT_EQ_STR(faults(false), "");
  set(100, 0, 0.9);
  end.idle_ticks = end.total_ticks + 1; /* more idle time than time */
  between();
  ASSERT_TRUE(isnan(usage.wanted_s) && isnan(usage.steal_share));
  set(100, 0, 0.9);
  end.total_ticks = begin.total_ticks + 10; /* too short to judge */
  end.idle_ticks = begin.idle_ticks;
  between();
  ASSERT_TRUE(isnan(usage.wanted_s) && isnan(usage.steal_share) && isnan(usage.others_share));
}

static void unknown_readings_stay_unknown(void) {
  begin = end = (struct cpu_times){-1, -1, -1, -1, -1, -1, -1, -1, -1};
  between();
  ASSERT_TRUE(usage.seconds == 0 && isnan(usage.wanted_s) && isnan(usage.own_s) && isnan(usage.steal_share));
  ASSERT_TRUE(isnan(usage.others_share) && isnan(usage.quota_share) && usage.involuntary == -1 && usage.hot == -1);
}

static void slots_tell_heat(void) {
  struct cpu_watch watch = {0};
  struct slot_state state = SLOT_STATE_UNKNOWN;
  char path[128], count[32];
  cpu_set_t one;
  int cpu = sched_getcpu();
  CPU_ZERO(&one);
  CPU_SET((unsigned)cpu, &one);
  ASSERT_EQ_INT(sched_setaffinity(0, sizeof one, &one), 0);
  fake_begin();
  cpu_slot_state(fake_root, &watch, &state);
  ASSERT_TRUE(isnan(state.sm_clock_mhz) && state.throttle == 0);
  snprintf(path, sizeof path, CPU "cpu%d/thermal_throttle/core_throttle_count", cpu);
  static const struct {
    int count;
    uint32_t throttle;
  } steps[] = {{5, 0}, {5, THROTTLE_NONE}, {6, THROTTLE_THERMAL}, {6, THROTTLE_NONE}};
  for (size_t i = 0; i < 4; i++) {
    snprintf(count, sizeof count, "%d\n", steps[i].count);
    fake_file(path, count);
    cpu_slot_state(fake_root, &watch, &state);
    ASSERT_EQ_INT(state.throttle, steps[i].throttle);
  }
  snprintf(path, sizeof path, CPU "cpu%d/cpufreq/scaling_cur_freq", cpu);
  fake_file(path, "3100000\n");
  watch.cpu = cpu + 1; /* as if the thread had moved here from another processor */
  cpu_slot_state(fake_root, &watch, &state);
  ASSERT_NEAR(state.sm_clock_mhz, 3100, 1e-9);
  ASSERT_EQ_INT(state.throttle, 0);
  fake_end();
}

static double now_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void this_machine_is_plausible(void) {
  struct cpu_watch watch = {0};
  struct slot_state state = SLOT_STATE_UNKNOWN;
  double start = now_s();
  cpu_times_read("", &begin);
  double took = now_s() - start;
  volatile unsigned spin = 0;
  while (now_s() < start + 0.4)
    spin = spin + 1;
  cpu_times_read("", &end);
  between();
  start = now_s();
  cpu_slot_state("", &watch, &state);
  printf("\n    a reading takes %.0f us, a slot's state %.0f us\n", took * 1e6, (now_s() - start) * 1e6);
  printf("    %.2f s: wanted %.2f s, own %.2f s, steal %g, others %g, quota %g, involuntary %lld, hot %lld, %.0f MHz\n",
         usage.seconds, usage.wanted_s, usage.own_s, usage.steal_share, usage.others_share, usage.quota_share,
         (long long)usage.involuntary, (long long)usage.hot, state.sm_clock_mhz);
  ASSERT_TRUE(usage.seconds >= 0.39 && usage.seconds < 10);
  ASSERT_TRUE(usage.own_s > 0.01 && usage.own_s < usage.seconds * 1.1);
  ASSERT_TRUE(isnan(usage.wanted_s) || usage.wanted_s > 0);
  ASSERT_TRUE(isnan(usage.steal_share) || (usage.steal_share >= 0 && usage.steal_share <= 1));
  ASSERT_TRUE(isnan(usage.others_share) || (usage.others_share >= 0 && usage.others_share <= 1));
  ASSERT_TRUE(usage.involuntary >= 0 && usage.hot >= -1);
}

UNIT_MAIN("cpu_times", UNIT_TEST(only_our_processors_count), UNIT_TEST(odd_counters_are_unknown),
          UNIT_TEST(a_quiet_machine_has_no_faults), UNIT_TEST(everything_at_once),
          UNIT_TEST(small_shares_are_no_faults), UNIT_TEST(what_went_back_is_unknown),
          UNIT_TEST(unknown_readings_stay_unknown), UNIT_TEST(slots_tell_heat), UNIT_TEST(this_machine_is_plausible))
