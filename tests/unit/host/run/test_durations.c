/* What cases have taken: what comes back, and how many. */
#include "run/durations.h"

#include <stdlib.h>
#include <unistd.h>

#include "unit.h"

static struct plan_variant variants[2] = {{.name = "a", .fate = ROW_NOT_RUN}, {.name = "b", .fate = ROW_NOT_RUN}};
static struct plan_case plan_case = {.key = "p/b[n=1]", .variants = variants, .variant_count = 2};
static struct run_case_settings settings = {.precision = 0.005, .case_time_s = 3, .restarts = 1};
static struct durations here, there;

static void a_case_is_known_by_all_that_its_time_depends_on(void) {
  const uint64_t of = duration_of(&plan_case, &settings);
  struct plan_case other = plan_case;
  struct run_case_settings others = settings;
  ASSERT_TRUE(of == duration_of(&other, &others));
  others.seed = 2;
  ASSERT_TRUE(of == duration_of(&other, &others));
  others.precision = 0.01;
  ASSERT_TRUE(of != duration_of(&other, &others));
  other.variant_count = 1;
  ASSERT_TRUE(of != duration_of(&other, &settings));
  other = plan_case;
  other.mode.load = LOAD_SUSTAINED;
  ASSERT_TRUE(of != duration_of(&other, &settings));
}

static void the_newest_are_kept(void) {
  here.count = 0;
  for (uint64_t of = 1; of <= DURATIONS_MOST + 2; of++)
    durations_put(&here, of, (double)of);
  durations_put(&here, 4, 7);
  ASSERT_EQ_INT(here.count, DURATIONS_MOST);
  ASSERT_EQ_INT(durations_get(&here, 2), 0);
  ASSERT_EQ_INT(durations_get(&here, 3), 3);
  durations_put(&here, 5000, 1);
  ASSERT_EQ_INT(durations_get(&here, 3), 0);
  ASSERT_EQ_INT(durations_get(&here, 4), 7);
}

static void they_come_back(void) {
  char path[] = "/tmp/gpubench-durations-XXXXXX";
  struct err error = {0};
  close(mkstemp(path));
  ASSERT_EQ_INT(durations_write(path, &here, &error), 0);
  durations_read(path, &there);
  ASSERT_EQ_INT(there.count, here.count);
  ASSERT_EQ_INT(durations_get(&there, 5000), 1);
  ASSERT_EQ_INT(durations_get(&there, 4), 7);
  ASSERT_EQ_INT(durations_get(&there, UINT64_MAX), 0);
  unlink(path);
  durations_read(path, &there);
  ASSERT_EQ_INT(there.count, 0);
}

UNIT_MAIN("durations", UNIT_TEST(a_case_is_known_by_all_that_its_time_depends_on), UNIT_TEST(the_newest_are_kept),
          UNIT_TEST(they_come_back))
