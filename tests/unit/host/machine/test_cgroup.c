/* Tests memory limits of control groups, in trees of versions 1 and 2. */
#include "machine/cgroup.h"

#include "fake_tree.h"
#include "unit.h"

#define TREE "/sys/fs/cgroup"
#define FIRST TREE "/memory"

static void left_is(long long bytes) {
  ASSERT_EQ_INT(cgroup_memory_left(fake_root), bytes);
}

static const long long none = INT64_MAX;

static void begin_second(const char *group) {
  fake_begin();
  fake_cgroup2_mount();
  fake_file("/proc/self/cgroup", group);
}

/* A Slurm job: the limit is set on an ancestor of the task's group; the root has none. */
static void a_parent_of_the_own_group_limits(void) {
  begin_second("0::/system.slice/slurmstepd.scope/job_7/step_0/user/task_0\n");
  left_is(none);
  fake_file(TREE "/system.slice/slurmstepd.scope/job_7/memory.max", "300000000\n");
  left_is(none); /* unknown, because the current usage is missing */
  fake_file(TREE "/system.slice/slurmstepd.scope/job_7/memory.current", "100000000\n");
  left_is(200000000);
  fake_file(TREE "/system.slice/slurmstepd.scope/job_7/step_0/user/task_0/memory.max", "max\n");
  fake_file(TREE "/system.slice/slurmstepd.scope/job_7/step_0/user/task_0/memory.current", "100000000\n");
  left_is(200000000);
  fake_end();
}

static void the_least_of_all_groups_counts(void) {
  begin_second("0::/a/b\n");
  fake_file(TREE "/a/b/memory.max", "1000\n");
  fake_file(TREE "/a/b/memory.current", "100\n");
  fake_file(TREE "/a/memory.max", "5000\n");
  fake_file(TREE "/a/memory.current", "4700\n"); /* used by a neighbour */
  fake_file(TREE "/memory.max", "9000\n");
  fake_file(TREE "/memory.current", "4800\n");
  left_is(300);
  fake_file(TREE "/memory.current", "8990\n");
  left_is(10);
  fake_file(TREE "/memory.current", "9500\n");
  left_is(0);
  fake_end();
}

static void caches_can_be_dropped_and_high_slows(void) {
  begin_second("0::/a\n");
  fake_file(TREE "/a/memory.max", "1000\n");
  fake_file(TREE "/a/memory.current", "990\n");
  fake_file(TREE "/a/memory.stat", "anon 100\nfile 890\ninactive_file 800\nactive_file 90\n");
  left_is(810);
  fake_file(TREE "/a/memory.high", "700\n");
  left_is(510);
  fake_file(TREE "/a/memory.max", "max\n");
  left_is(510);
  fake_file(TREE "/a/memory.high", "max\n");
  left_is(none);
  fake_file(TREE "/a/memory.max", "1000\n");
  fake_file(TREE "/a/memory.stat", "inactive_file 99999\n"); /* exceeds the limit, because it was read a moment later */
  left_is(1000);
  fake_end();
}

static void the_first_version_has_other_files(void) {
  fake_begin();
  fake_file("/proc/self/cgroup", "9:name=systemd:/x\n4:hugetlb,memory:/slurm/uid_5/job_7\n1:cpu:/\n0::/y\n");
  fake_file("/proc/self/mountinfo",
            "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"
            "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
            "35 31 0:32 / /sys/fs/cgroup/memory rw shared:9 - cgroup cgroup rw,hugetlb,memory\n"
            "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  left_is(none);
  fake_file(FIRST "/memory.limit_in_bytes", "9223372036854771712\n");
  fake_file(FIRST "/memory.usage_in_bytes", "5000\n");
  fake_file(FIRST "/slurm/uid_5/job_7/memory.limit_in_bytes", "4000\n");
  fake_file(FIRST "/slurm/uid_5/job_7/memory.usage_in_bytes", "3000\n");
  fake_file(FIRST "/slurm/uid_5/job_7/memory.stat", "inactive_file 1\ntotal_inactive_file 500\n");
  left_is(1500);
  fake_file(FIRST "/slurm/uid_5/memory.limit_in_bytes", "4000\n");
  fake_file(FIRST "/slurm/uid_5/memory.usage_in_bytes", "3900\n");
  left_is(100);
  fake_end();
}

/* A container without a cgroup namespace: the path is that of the machine, and the mount shows only the subtree of
 * the container's group. */
static void containers_see_a_part_of_the_tree(void) {
  fake_begin();
  fake_file("/proc/self/cgroup", "4:memory:/docker/abc/inner\n");
  fake_file("/proc/self/mountinfo", "35 31 0:32 /docker/abc " FIRST " ro - cgroup cgroup rw,memory\n");
  fake_file(FIRST "/memory.limit_in_bytes", "4000\n");
  fake_file(FIRST "/memory.usage_in_bytes", "1000\n");
  left_is(3000);
  fake_file(FIRST "/inner/memory.limit_in_bytes", "500\n");
  fake_file(FIRST "/inner/memory.usage_in_bytes", "100\n");
  left_is(400);
  fake_file("/proc/self/cgroup", "4:memory:/docker/abcd\n"); /* another group, which is not mounted */
  left_is(3000);
  fake_file("/proc/self/cgroup", "4:memory:/../../elsewhere\n");
  left_is(3000);
  fake_end();
}

static void the_mount_that_shows_the_group_is_taken(void) {
  fake_begin();
  fake_file("/proc/self/cgroup", "0::/job\n");
  fake_file("/proc/self/mountinfo",
            "29 1 0:26 /box /var/box rw - cgroup2 cgroup2 rw\n"
            "30 1 0:26 / /mnt/groups rw - cgroup2 cgroup2 rw\n");
  fake_file("/var/box/memory.max", "10\n");
  fake_file("/var/box/memory.current", "0\n");
  fake_file("/mnt/groups/job/memory.max", "70\n");
  fake_file("/mnt/groups/job/memory.current", "0\n");
  left_is(70);
  fake_end();
}

static void odd_files_limit_nothing(void) {
  static const char *const limits[] = {"", "-5\n", "max\n", "1e9\n", "99999999999999999999999\n", "12 13\n"};
  static const char *const mounts[] = {"", "- - -\n", "30 23\n", " - cgroup2 x y\n", "30 23 0:26 / - cgroup2 c rw\n"};
  begin_second("0::/a\n");
  fake_file(TREE "/a/memory.current", "5\n");
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    fake_file(TREE "/a/memory.max", limits[i]);
    left_is(none);
  }
  fake_file(TREE "/a/memory.max", "7\n");
  left_is(2);
  for (size_t i = 0; i < sizeof mounts / sizeof *mounts; i++) {
    fake_file("/proc/self/mountinfo", mounts[i]);
    left_is(none);
  }
  fake_end();
}

static void this_machine_is_plausible(void) {
  ASSERT_TRUE(cgroup_memory_left("") > 0);
}

UNIT_MAIN("cgroup", UNIT_TEST(a_parent_of_the_own_group_limits), UNIT_TEST(the_least_of_all_groups_counts),
          UNIT_TEST(caches_can_be_dropped_and_high_slows), UNIT_TEST(the_first_version_has_other_files),
          UNIT_TEST(containers_see_a_part_of_the_tree), UNIT_TEST(the_mount_that_shows_the_group_is_taken),
          UNIT_TEST(odd_files_limit_nothing), UNIT_TEST(this_machine_is_plausible))
