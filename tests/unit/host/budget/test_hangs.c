/* Tests how long a call of a case may take before it counts as a hang, and which variants are left out after hangs. */
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "budget/hangs.h"
#include "unit.h"

enum { CASES = 4, VARIANTS = 2 };

static struct bench_desc bench;
static struct catalog_plugin plugin = {.benches = &bench, .desc = {.id = "a", .bench_count = 1}};
static struct plan_variant variants[CASES][VARIANTS];
static struct plan_case cases[CASES];
static struct variant_result results[VARIANTS];
static const struct case_result result = {.variants = results, .count = VARIANTS};
static struct options options;
static struct pool pool;
static struct catalog catalog = {&plugin, 1};
static struct plan plan;
static const struct yardsticks yardsticks = {
    .options = &options, .plan = &plan, .catalog = &catalog, .facts = &pool.facts};
static struct time_budget budget;

/* Sets up cases, of which the last one measures a ceiling (the highest rate of the machine). */
static void begin(double left_s) {
  for (size_t i = 0; i < CASES; i++) {
    for (size_t v = 0; v < VARIANTS; v++) {
      free(variants[i][v].reason);
      variants[i][v] = (struct plan_variant){.plugin = v, .variant = 1, .status = ROW_NOT_RUN};
    }
    cases[i] = (struct plan_case){.variants = variants[i],
                                  .variant_count = VARIANTS,
                                  .restarts = 1,
                                  .precision = NAN,
                                  .case_time_s = NAN,
                                  .yardstick = i + 1 == CASES};
  }
  for (size_t v = 0; v < VARIANTS; v++)
    results[v] = VARIANT_RESULT_NONE;
  plan = (struct plan){cases, CASES};
  pool = (struct pool){.device = "cpu"};
  budget = (struct time_budget){.options = &options,
                                .plan = &plan,
                                .catalog = &catalog,
                                .pool = &pool,
                                .yardsticks = &yardsticks,
                                .devices = 1,
                                .usable = 1,
                                .left = 1};
  budget.device_ends_ns = budget.ends_ns = budget.latest_ns = clock_now_ns() + (int64_t)(left_s * 1e9);
}

static double left_to(size_t i) {
  hangs_limit_calls(&budget, &cases[i]);
  return (double)(pool.calls_end_ns - clock_now_ns()) * 1e-9;
}

static void those_behind_keep_what_they_need(void) {
  begin(100);
  ASSERT_NEAR(left_to(2), 100, 2); /* the last case */
  ASSERT_TRUE(left_to(0) < left_to(1) && left_to(1) < left_to(2));
  ASSERT_TRUE(left_to(3) < left_to(0)); /* ceilings are measured first */
  ASSERT_TRUE(left_to(3) > 90);
  begin(1); /* too little time for all cases */
  const double first_s = left_to(0);
  ASSERT_TRUE(first_s > 0.1 && first_s < 0.5);
  budget.device_ends_ns = INT64_MAX;
  hangs_limit_calls(&budget, &cases[0]);
  ASSERT_TRUE(hangs_suspects_until(&budget, 5) == 5 && pool.calls_end_ns == 0);
}

/* A run announces its length when it starts. Here earlier cases took less time, so that the run is expected to end
 * earlier. A call that hangs may still take until the end that was announced at first (latest_ns). */
static void the_end_is_the_one_that_was_announced(void) {
  begin(10);
  budget.latest_ns += INT64_C(90000000000);
  ASSERT_TRUE(left_to(0) > 90);
  const int64_t suspects_ns = clock_now_ns() + INT64_C(1000000000);
  ASSERT_TRUE(hangs_suspects_until(&budget, suspects_ns) == pool.calls_end_ns);
  ASSERT_TRUE(hangs_suspects_until(&budget, INT64_MAX) == INT64_MAX && hangs_suspects_until(&budget, 0) == 0);
}

static void hang(size_t in_case) {
  results[0].status = ROW_TIMEOUT;
  snprintf(results[0].message, sizeof results[0].message, "no return within 2 s in run of a");
  hangs_note(&plan, &cases[in_case], &result);
}

static void who_hangs_twice_is_left_out(void) {
  begin(100);
  hang(0);
  ASSERT_TRUE(variants[1][0].status == ROW_NOT_RUN && variants[2][0].status == ROW_NOT_RUN);
  hang(1);
  ASSERT_EQ_INT(variants[2][0].status, ROW_SKIPPED);
  ASSERT_HAS(variants[2][0].reason, "did not return in 2 cases before");
  ASSERT_HAS(variants[2][0].reason, "no return within 2 s in run of a");
  ASSERT_EQ_INT(variants[2][1].status, ROW_NOT_RUN); /* belongs to another plugin */
  ASSERT_EQ_INT(variants[1][0].status, ROW_NOT_RUN); /* has already run */
  begin(100);
  cases[2].bench = 1; /* belongs to another bench */
  hang(0);
  hang(1);
  ASSERT_EQ_INT(variants[2][0].status, ROW_NOT_RUN);
  begin(0);
}

static void verifying_has_time_for_each_case(void) {
  begin(100);
  budget.started_ns = clock_now_ns();
  const double all_s = hangs_verifying_s(&budget);
  cases[1].gone = true;
  ASSERT_TRUE(hangs_verifying_s(&budget) < all_s);
}

UNIT_MAIN("hangs", UNIT_TEST(those_behind_keep_what_they_need), UNIT_TEST(the_end_is_the_one_that_was_announced),
          UNIT_TEST(who_hangs_twice_is_left_out), UNIT_TEST(verifying_has_time_for_each_case))
