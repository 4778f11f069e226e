/* Tests dividing a plan into shards (parts that different jobs measure): each case is in one shard, shards take
 * similar times, and the same plan is always divided in the same way. */
#include "plan/shard.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "fixture_catalog.h"
#include "plan/build.h"
#include "unit.h"

enum { CASES = 23 };

static void divided(const uint64_t *milliseconds, size_t count, uint32_t of, const char *expected) {
  uint32_t *shard = xcalloc(count, sizeof *shard);
  char text[CASES * 12] = "";
  shard_divide(milliseconds, count, of, shard);
  for (size_t i = 0; i < count; i++)
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s%u", i > 0 ? " " : "", shard[i]);
  ASSERT_EQ_STR(text, expected);
  free(shard);
}

static void the_longest_come_first(void) {
  divided((uint64_t[]){1, 1, 1, 1, 1, 1}, 6, 3, "1 2 3 1 2 3"); /* equal cases are assigned in their order */
  divided((uint64_t[]){1, 1, 1, 9}, 4, 2, "2 2 2 1");
  divided((uint64_t[]){5, 4, 3, 3, 3}, 5, 2, "1 2 2 1 2");
  divided((uint64_t[]){0, 0}, 2, 2, "1 2"); /* a case without duration still counts */
  divided((uint64_t[]){7, 7}, 2, 1, "1 1");
  divided((uint64_t[]){7, 8}, 2, 5, "2 1"); /* the other shards are empty */
  divided(NULL, 0, 3, "");
}

/* Shards differ by at most the duration of the longest case. */
static void shards_are_alike_in_time(void) {
  uint64_t milliseconds[CASES], longest = 0;
  for (size_t i = 0; i < CASES; i++) {
    milliseconds[i] = 1 + (i * 7919) % 1000;
    longest = milliseconds[i] > longest ? milliseconds[i] : longest;
  }
  for (uint32_t of = 1; of <= CASES + 2; of++) {
    uint64_t loads[CASES + 3] = {0}, least = UINT64_MAX, most = 0;
    uint32_t shard[CASES];
    shard_divide(milliseconds, CASES, of, shard);
    for (size_t i = 0; i < CASES; i++) {
      ASSERT_TRUE(shard[i] >= 1 && shard[i] <= of);
      loads[shard[i]] += milliseconds[i];
    }
    for (uint32_t i = 1; i <= of; i++) {
      least = loads[i] < least ? loads[i] : least;
      most = loads[i] > most ? loads[i] : most;
    }
    ASSERT_TRUE(most - least <= longest);
  }
}

/* ---- Shards of a plan ---- */

static struct fixture *fixture;
static struct selection cli;
static struct plan plan;

static void build(void) {
  struct err error = {0};
  if (fixture == NULL) fixture = fixture_new();
  selection_free(&cli);
  selection_init(&cli, "command line");
  plan_free(&plan);
  ASSERT_EQ_INT(plan_build(&fixture->catalog, &cli, 1, "cuda", &plan, &error), 0);
  ASSERT_EQ_INT(plan_add_yardstick(&fixture->catalog, "gpubench.org/copy/all/1", "cuda", &plan, &error), 0);
}

static size_t cut(uint32_t number, uint32_t of) {
  uint64_t milliseconds[CASES];
  build();
  for (size_t i = 0; i < plan.count; i++)
    milliseconds[i] = 10;
  plan_cut(&plan, milliseconds, NULL, (struct shard){number, of}, NULL);
  return plan.count;
}

static void all_shards_are_the_plan(void) {
  build();
  const size_t whole = plan.count;
  ASSERT_TRUE(whole > 3);
  for (uint32_t of = 1; of <= whole + 1; of++) {
    bool seen[CASES] = {false};
    size_t all = 0;
    for (uint32_t number = 1; number <= of; number++) {
      cut(number, of);
      all += plan.count;
      for (size_t i = 0; i < plan.count; i++) {
        ASSERT_TRUE(plan.cases[i].number > 0 && plan.cases[i].number <= whole && !seen[plan.cases[i].number]);
        /* a shard's cases keep the plan's order */
        ASSERT_TRUE(i == 0 || plan.cases[i].number > plan.cases[i - 1].number);
        seen[plan.cases[i].number] = true;
      }
    }
    ASSERT_EQ_INT(all, whole);
  }
}

static void yardsticks_are_everybody_s(void) {
  uint64_t milliseconds[CASES] = {0};
  build();
  /* pretends that the case of "copy" is a yardstick (for comparison only), although it was selected */
  plan.cases[1].yardstick = true;
  const size_t asked = plan.count - 1;
  plan_cut(&plan, milliseconds, NULL, (struct shard){1, (uint32_t)asked}, NULL);
  ASSERT_EQ_INT(plan.count, 2);
  ASSERT_TRUE(!plan.cases[0].yardstick && plan.cases[1].yardstick);
  build();
  plan.cases[1].yardstick = true;
  plan_cut(&plan, milliseconds, NULL, (struct shard){(uint32_t)asked + 1, (uint32_t)asked + 1}, NULL);
  ASSERT_EQ_INT(plan.count, 0); /* a shard without cases needs no yardstick */
}

static void who_bears_no_neighbours_is_in_the_last(void) {
  const uint32_t of = 3;
  size_t all = 0;
  build();
  const size_t whole = plan.count;
  for (uint32_t number = 1; number <= of; number++) {
    uint64_t milliseconds[CASES];
    bool alone[CASES];
    build();
    for (size_t i = 0; i < plan.count; i++) {
      milliseconds[i] = 10;
      alone[i] = i % 3 == 0;
    }
    plan_cut(&plan, milliseconds, alone, (struct shard){number, of}, NULL);
    all += plan.count;
    for (size_t i = 0; i < plan.count; i++)
      ASSERT_TRUE((plan.cases[i].number % 3 == 1) == (number == of));
  }
  ASSERT_EQ_INT(all, whole);
}

/* Other jobs may take over all cases of a plan except the shard's own cases, yardsticks (rows for comparison only),
 * and cases that need the machine to themselves. */
static void others_have_the_rest(void) {
  uint64_t milliseconds[CASES];
  bool alone[CASES] = {true};
  const struct shard shard = {1, 3};
  struct plan others = {0};
  build();
  const size_t whole = plan.count;
  plan.cases[1].yardstick = true;
  for (size_t i = 0; i < whole; i++)
    milliseconds[i] = 10;
  plan_cut(&plan, milliseconds, alone, shard, &others);
  ASSERT_TRUE(others.count > 0);
  ASSERT_EQ_INT(plan.count + others.count, whole - 1); /* except the first, which needs the machine to itself */
  for (size_t i = 0; i < others.count; i++) {
    ASSERT_TRUE(others.cases[i].shard == 2 && !others.cases[i].yardstick && others.cases[i].number > 2);
    ASSERT_TRUE(i == 0 || others.cases[i].number > others.cases[i - 1].number);
    plan.cases[plan.count + i].number = 0; /* allowed, because the array keeps its original size */
  }
  for (size_t i = 0; i < plan.count; i++)
    ASSERT_TRUE(plan.cases[i].yardstick || plan.cases[i].shard == 1);
  plan_free(&others);
}

static void the_host_takes_part_in_some(void) {
  build();
  ASSERT_TRUE(!plan_is_alone(&plan.cases[0], &fixture->catalog));
  plan.cases[0].mode.timing = TIMING_WALL;
  ASSERT_TRUE(plan_is_alone(&plan.cases[0], &fixture->catalog));
  build();
  const struct plan_variant *v = &plan.cases[0].variants[0];
  uint32_t *flags = &fixture->catalog.plugins[v->plugin].variants[v->variant].flags, before = *flags;
  *flags |= VARIANT_PROCESSES;
  ASSERT_TRUE(plan_is_alone(&plan.cases[0], &fixture->catalog));
  *flags = before;
  flags = &fixture->catalog.plugins[plan.cases[0].plugin].benches[plan.cases[0].bench].flags;
  *flags |= BENCH_NO_ROOF;
  ASSERT_TRUE(plan_is_alone(&plan.cases[0], &fixture->catalog));
  *flags &= ~BENCH_NO_ROOF;
}

static void plans_are_told_apart(void) {
  build();
  const uint64_t identity = plan_identity(&plan, &fixture->catalog);
  build();
  ASSERT_TRUE(plan_identity(&plan, &fixture->catalog) == identity);
  plan.cases[0].restarts++;
  ASSERT_TRUE(plan_identity(&plan, &fixture->catalog) != identity);
  build();
  plan.cases[0].case_time_s = 7;
  ASSERT_TRUE(plan_identity(&plan, &fixture->catalog) != identity);
  build();
  plan.cases[plan.count - 1].mode.timing = TIMING_HOT;
  ASSERT_TRUE(plan_identity(&plan, &fixture->catalog) != identity);
  build();
  plan.cases[0].variants[0].required = true;
  ASSERT_TRUE(plan_identity(&plan, &fixture->catalog) != identity);
  build();
  plan.cases[0].variants[0].against.common ^= 1;
  ASSERT_TRUE(plan_identity(&plan, &fixture->catalog) != identity);
  build();
  const struct plan_case first = plan.cases[0];
  plan.cases[0] = plan.cases[1];
  plan.cases[1] = first;
  ASSERT_TRUE(plan_identity(&plan, &fixture->catalog) != identity);
  plan.count--;
  ASSERT_TRUE(plan_identity(&plan, &fixture->catalog) != identity);
  plan.count++;
}

static void pairs_of_a_plan(void) {
  ASSERT_TRUE(plan_holds_for("plugin.vector") && plan_holds_for("setting.a.b") && plan_holds_for("gpubench_build"));
  ASSERT_TRUE(plan_holds_for("option.seed") && plan_holds_for("option.mode"));
  ASSERT_TRUE(!plan_holds_for("option.max-time")); /* may change when the run is resumed */
  ASSERT_TRUE(!plan_holds_for("option.nothing") && !plan_holds_for("host") && !plan_holds_for("device"));
}

UNIT_MAIN("shard", UNIT_TEST(the_longest_come_first), UNIT_TEST(shards_are_alike_in_time),
          UNIT_TEST(all_shards_are_the_plan), UNIT_TEST(yardsticks_are_everybody_s),
          UNIT_TEST(who_bears_no_neighbours_is_in_the_last), UNIT_TEST(others_have_the_rest),
          UNIT_TEST(the_host_takes_part_in_some), UNIT_TEST(plans_are_told_apart), UNIT_TEST(pairs_of_a_plan))
