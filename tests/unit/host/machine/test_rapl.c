/* Tests the energy of CPU packages with imitated trees. perf_event itself can only be tested on a machine that has
 * it. */
#include "machine/rapl.h"

#include <math.h>

#include "fake_tree.h"
#include "unit.h"

#define ZONE0 "/sys/class/powercap/intel-rapl:0"
#define ZONE1 "/sys/class/powercap/intel-rapl:1"
#define PMU "/sys/bus/event_source/devices/power"

static void two_packages(void) {
  fake_begin();
  fake_file(ZONE0 "/name", "package-0\n");
  fake_file(ZONE0 "/max_energy_range_uj", "262143328850\n");
  fake_file(ZONE0 "/energy_uj", "1000000\n");
  fake_file(ZONE1 "/name", "package-1\n");
  fake_file(ZONE1 "/max_energy_range_uj", "65532610987\n");
  fake_file(ZONE1 "/energy_uj", "65532000000\n");
}

static void packages_are_added_up(void) {
  char why[256] = "";
  two_packages();
  struct rapl *r = rapl_open(fake_root, why, sizeof why);
  ASSERT_EQ_STR(why, "");
  ASSERT_TRUE(r != NULL);
  if (r == NULL) return;
  ASSERT_EQ_STR(rapl_method(r), "RAPL, powercap, 2 packages");
  ASSERT_NEAR(rapl_joules(r), 0, 1e-9);
  fake_file(ZONE0 "/energy_uj", "3500000\n");
  ASSERT_NEAR(rapl_joules(r), 2.5, 1e-9);
  rapl_close(r);
  fake_end();
}

static void a_counter_may_begin_anew(void) {
  char why[256] = "";
  two_packages();
  struct rapl *r = rapl_open(fake_root, why, sizeof why);
  if (r == NULL) UNIT_FAIL("%s", why);
  if (r == NULL) return;
  fake_file(ZONE1 "/energy_uj", "389013\n"); /* 610987 uJ to the end of the range, plus this value */
  ASSERT_NEAR(rapl_joules(r), 1, 1e-9);
  fake_file(ZONE1 "/energy_uj", "65532000000\n");
  fake_file(ZONE1 "/energy_uj", "1389013\n");
  ASSERT_NEAR(rapl_joules(r), 2, 1e-9);
  rapl_close(r);
  fake_end();
}

static void what_can_no_longer_be_read_is_not_known(void) {
  char why[256] = "";
  two_packages();
  struct rapl *r = rapl_open(fake_root, why, sizeof why);
  if (r == NULL) UNIT_FAIL("%s", why);
  if (r == NULL) return;
  fake_file(ZONE0 "/energy_uj", "many\n");
  ASSERT_TRUE(isnan(rapl_joules(r)));
  fake_file(ZONE0 "/energy_uj", "2000000\n");
  ASSERT_NEAR(rapl_joules(r), 1, 1e-9);
  rapl_close(r);
  fake_end();
}

static void expect_none(const char *reason) {
  char why[256] = "";
  ASSERT_TRUE(rapl_open(fake_root, why, sizeof why) == NULL);
  ASSERT_EQ_STR(why, reason);
  fake_end();
}

static void nothing_there(void) {
  fake_begin();
  expect_none("RAPL: no package in /sys/class/powercap");
  fake_begin();
  fake_file(ZONE0 "/name", "psys\n"); /* the whole platform is not a package */
  fake_file(ZONE0 "/energy_uj", "1\n");
  expect_none("RAPL: no package in /sys/class/powercap");
}

static void only_root_may_read(void) {
  if (geteuid() == 0) { /* root can read everything, so an invalid number stands in */
    two_packages();
    fake_file(ZONE0 "/energy_uj", "no\n");
    expect_none("RAPL: /sys/class/powercap/intel-rapl:0/energy_uj: no number in it");
    return;
  }
  two_packages();
  chmod(fake_path(ZONE0 "/energy_uj"), 0);
  expect_none("RAPL: /sys/class/powercap/intel-rapl:0/energy_uj: Permission denied");
}

static void perf_files_that_say_nothing(void) {
  static const char *const scales[] = {"", "0", "-1", "nan", "inf", "2.3e-10x", "1e999"};
  for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
    fake_begin();
    fake_file(PMU "/type", "9\n");
    fake_file(PMU "/cpumask", "0\n");
    fake_file(PMU "/events/energy-pkg", "event=0x02\n");
    fake_file(PMU "/events/energy-pkg.scale", scales[i]);
    expect_none("RAPL: no package in /sys/class/powercap");
  }
  fake_begin();
  fake_file(PMU "/type", "2147483647\n"); /* no such kind of event, so the kernel refuses */
  fake_file(PMU "/cpumask", "0,1\n");
  fake_file(PMU "/events/energy-pkg", "event=0x02\n");
  fake_file(PMU "/events/energy-pkg.scale", "2.3283064365386962890625e-10\n");
  char why[256] = "";
  ASSERT_TRUE(rapl_open(fake_root, why, sizeof why) == NULL);
  ASSERT_HAS(why, "RAPL: perf_event on CPU 0: ");
  fake_end();
}

UNIT_MAIN("rapl", UNIT_TEST(packages_are_added_up), UNIT_TEST(a_counter_may_begin_anew),
          UNIT_TEST(what_can_no_longer_be_read_is_not_known), UNIT_TEST(nothing_there), UNIT_TEST(only_root_may_read),
          UNIT_TEST(perf_files_that_say_nothing))
