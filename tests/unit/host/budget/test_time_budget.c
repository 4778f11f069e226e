/* Tests the time budget of a run and its division among the cases. At its start a run announces how long it will take.
 * This announced time includes a promised time for each case, and a reserve for slower machines. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "budget/reckon.h"
#include "budget/time_budget.h"
#include "unit.h"

static struct bench_desc bench;
static struct catalog_plugin plugin = {.benches = &bench, .desc = {.id = "a", .bench_count = 1}};
static struct plan_variant variant = {.name = "v", .status = ROW_NOT_RUN};
static struct plan_case cases[3];
static struct options options;
static struct pool pool;
static struct catalog catalog = {&plugin, 1};
static struct plan plan;
static const struct yardsticks yardsticks = {
    .options = &options, .plan = &plan, .catalog = &catalog, .facts = &pool.facts};
static struct time_budget budget;

/* Sets up two cases that the user selected and one that measures a ceiling (the highest rate of the machine), with
 * `left_s` seconds left. */
static void begin(double left_s) {
  for (size_t i = 0; i < 3; i++)
    cases[i] = (struct plan_case){.variants = &variant,
                                  .variant_count = 1,
                                  .restarts = 1,
                                  .precision = NAN,
                                  .case_time_s = NAN,
                                  .yardstick = i == 2};
  plan = (struct plan){cases, 3};
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

static void ceilings_leave_the_others_their_time(void) {
  begin(100);
  ASSERT_TRUE(!time_budget_is_short(&budget, &cases[2]));
  begin(1); /* 1 s is less than the promised times of the two selected cases */
  ASSERT_TRUE(time_budget_is_short(&budget, &cases[2]));
  ASSERT_TRUE(!time_budget_is_short(&budget, &cases[0])); /* cases that the user selected get the remaining time */
  ASSERT_TRUE(!time_budget_is_over(&budget));
  budget.by_user = true; /* the same holds if the user set the limit */
  ASSERT_TRUE(time_budget_is_short(&budget, &cases[2]));
  begin(1);
  budget.device_ends_ns = INT64_MAX;
  ASSERT_TRUE(!time_budget_is_short(&budget, &cases[2]));
  begin(100);
  cases[0].restarts = 100; /* measuring this case in 100 more processes takes at least half a second for each */
  ASSERT_TRUE(!time_budget_is_short(&budget, &cases[0]));
  ASSERT_TRUE(time_budget_is_short(&budget, &cases[2]));
}

/* A case that measures a ceiling is left out if the time is short. It is expected to take as long as earlier ones
 * took, and gets none of the time that is reserved for slow machines. */
static void slow_ceilings_are_the_last(void) {
  begin(7);
  ASSERT_TRUE(!time_budget_is_short(&budget, &cases[2]));
  time_budget_took(&budget, &cases[2], 1);
  ASSERT_TRUE(!time_budget_is_short(&budget, &cases[2]));
  time_budget_took(&budget, &cases[2], 5);
  ASSERT_TRUE(time_budget_is_short(&budget, &cases[2]));
  ASSERT_TRUE(!time_budget_is_short(&budget, &cases[0]));
  begin(5);
  budget.announced_s[PIECE_RESERVE] = budget.first_s = 2;
  /* a ceiling that took only 0.1 s does not lower the expected time of the next one */
  time_budget_took(&budget, &cases[2], 0.1);
  ASSERT_TRUE(time_budget_is_short(&budget, &cases[2]));
}

static double given_s(size_t i) {
  return (double)(time_budget_until(&budget, &cases[i]) - clock_now_ns()) * 1e-9;
}

/* The first of two cases must leave the second the time that it needs, also if the machine proves to be busy. */
static void the_first_does_not_take_it_all(void) {
  begin(6.8); /* 6.8 s are left, of which 2.6 s are reserved for slower machines */
  const double quiet_s = given_s(0);
  ASSERT_TRUE(quiet_s > 1 && quiet_s < 3);
  time_budget_took(&budget, &cases[2], 5);
  const double busy_s = given_s(0);
  ASSERT_TRUE(busy_s < quiet_s);
  ASSERT_TRUE(busy_s > 1 && busy_s <= 2); /* at most half, because the other case needs as much */
}

/* Part of the announced time (the length of the run, stated at its start) is reserved for slower machines. On a GPU no
 * case may use it for precision, even if the cases before did not need it. */
static void a_gpu_keeps_what_is_for_slower_machines(void) {
  begin(100);
  budget.started_ns = clock_now_ns() - INT64_C(20000000000);
  budget.announced_s[PIECE_CASES] = 4;
  budget.announced_s[PIECE_RESERVE] = 17;
  const double cpu_s = given_s(1);
  pool.device = "cuda:0";
  const double promised_s = reckon_promised_s(&budget, &cases[1]), gpu_s = given_s(1);
  ASSERT_TRUE(cpu_s > 10 && gpu_s <= promised_s + 1); /* 20 s of the announced 21 s have passed, so 1 s is left */
  budget.announced_s[PIECE_RESERVE] = 0;
  /* nothing of the announced time is left, but the case still gets the time that was planned for it */
  ASSERT_TRUE(given_s(1) > promised_s / 2);
  budget.by_user = true;
  ASSERT_TRUE(given_s(1) > 10);
}

/* Returns how long a run of only the three cases announces that it will take. */
static double announced(void) {
  begin(0);
  pool.device = "fake"; /* independent of the load on this machine */
  options = (struct options){.common.timeout_s = NAN};
  budget.started_ns = clock_now_ns();
  time_budget_by_plan(&budget);
  return budget.seconds;
}

static void what_is_promised_is_announced(void) {
  const double usual_s = announced();
  ASSERT_TRUE(!time_budget_is_short(&budget, &cases[2]));
  budget.device_ends_ns -= (int64_t)(0.5 * usual_s * 1e9);
  ASSERT_TRUE(time_budget_is_short(&budget, &cases[2]));
  begin(0);
  pool.device = "fake";
  cases[0].precision = 0; /* a precision of 0 is never reached, so the case takes all of its time */
  time_budget_by_plan(&budget);
  ASSERT_TRUE(budget.seconds > usual_s);
  cases[0].case_time_s = 100; /* a requested case time is granted */
  time_budget_by_plan(&budget);
  ASSERT_TRUE(budget.seconds > 100);
}

static void what_is_left_is_no_longer_announced(void) {
  const double usual_s = announced();
  time_budget_restate(&budget, &cases[0]);
  ASSERT_TRUE(budget.seconds <= usual_s);
  time_budget_restate(&budget, &cases[1]);
  const double over_s = budget.seconds;
  ASSERT_TRUE(over_s < usual_s && over_s >= budget.announced_s[PIECE_RESERVE]);
  /* another call for the first case may raise the announced time again, but not above what was announced at first */
  time_budget_restate(&budget, &cases[0]);
  ASSERT_TRUE(budget.seconds >= over_s && budget.seconds <= usual_s);
  time_budget_by_user(&budget, 77);
  time_budget_restate(&budget, &cases[1]);
  ASSERT_TRUE(budget.seconds == 77);
}

static void a_case_more_needs_room(void) {
  const double usual_s = announced();
  time_budget_restate(&budget, &cases[1]); /* as if both cases had taken no time */
  const double over_s = budget.seconds;
  ASSERT_TRUE(time_budget_admits(&budget, &cases[0]));
  ASSERT_TRUE(budget.seconds > over_s && budget.seconds <= usual_s);
  ASSERT_TRUE(budget.first_s == usual_s);
  cases[0].case_time_s = usual_s;
  const double said_s = budget.seconds;
  ASSERT_TRUE(!time_budget_admits(&budget, &cases[0]) && budget.seconds == said_s);
  cases[0].case_time_s = NAN;
  time_budget_note(&budget, 2 * usual_s, 2); /* two processes of an earlier case took this long together */
  ASSERT_TRUE(!time_budget_admits(&budget, &cases[0]));
  time_budget_by_user(&budget, 77);
  ASSERT_TRUE(time_budget_admits(&budget, &cases[0]) && budget.seconds == 77);
  time_budget_note(&budget, 300, 2);
  ASSERT_TRUE(!time_budget_admits(&budget, &cases[0]));
  time_budget_by_user(&budget, NAN); /* as with --verify-only */
  ASSERT_TRUE(time_budget_admits(&budget, &cases[0]));
}

static void who_is_gone_is_not_waited_for(void) {
  announced();
  const double both_s = budget.announced_s[PIECE_CASES];
  cases[1].gone = true;
  time_budget_by_plan(&budget);
  ASSERT_TRUE(budget.announced_s[PIECE_CASES] == both_s / 2);
}

static void what_a_user_allows_has_no_room_for_is_named(void) {
  char why[MSG_SIZE];
  begin(0);
  pool.device = "fake";
  options = (struct options){.common.timeout_s = NAN};
  budget.started_ns = clock_now_ns();
  time_budget_by_user(&budget, 60);
  time_budget_by_plan(&budget);
  ASSERT_TRUE(!cases[0].beyond && !cases[1].beyond);
  time_budget_by_user(&budget, 1); /* a case needs half a second, the end of the run a quarter */
  time_budget_by_plan(&budget);
  ASSERT_TRUE(!cases[0].beyond && cases[1].beyond && !cases[2].beyond);
  time_budget_why(&budget, &cases[1], why, sizeof why);
  ASSERT_EQ_STR(why, "--max-time was reached (no room in the plan): --max-time 20s should do");
  text_copy(cases[0].key, sizeof cases[0].key, "a/b[n=1]");
  time_budget_took(&budget, &cases[0], 20);
  cases[1].beyond = false;
  time_budget_why(&budget, &cases[1], why, sizeof why);
  ASSERT_TRUE(strstr(why, "; a/b[n=1] took 20 s of them: --max-time ") != NULL);
}

static void how_busy_is_not_measured_where_it_decides_nothing(void) {
  begin(0);
  options = (struct options){.common.timeout_s = NAN};
  budget.started_ns = clock_now_ns();
  budget.load = -1;
  time_budget_by_user(&budget, 1e5);
  time_budget_by_plan(&budget);
  ASSERT_TRUE(budget.load == -1 && budget.share == 1 && budget.busy == 1);
  ASSERT_TRUE(!cases[0].beyond && !cases[1].beyond);
  time_budget_by_user(&budget, 11);
  time_budget_by_plan(&budget);
  ASSERT_TRUE(budget.load != -1 && budget.share > 0 && budget.busy >= 1);
}

/* A case took 5 s. The same is expected of the other case, so the first one gets less time. */
static void slow_rows_leave_more_to_the_others(void) {
  begin(10);
  const double quick_s = given_s(0);
  time_budget_needed(&budget, &cases[0], 5);
  ASSERT_TRUE(given_s(0) < quick_s);
}

UNIT_MAIN("time_budget", UNIT_TEST(what_a_user_allows_has_no_room_for_is_named),
          UNIT_TEST(how_busy_is_not_measured_where_it_decides_nothing), UNIT_TEST(slow_rows_leave_more_to_the_others),
          UNIT_TEST(ceilings_leave_the_others_their_time), UNIT_TEST(slow_ceilings_are_the_last),
          UNIT_TEST(the_first_does_not_take_it_all), UNIT_TEST(a_gpu_keeps_what_is_for_slower_machines),
          UNIT_TEST(what_is_promised_is_announced), UNIT_TEST(what_is_left_is_no_longer_announced),
          UNIT_TEST(a_case_more_needs_room), UNIT_TEST(who_is_gone_is_not_waited_for))
