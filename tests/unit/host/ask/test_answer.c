/* Tests how the messages of several worker processes become the result of a case. */
#include "ask/answer.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "unit.h"

static struct plan_case plan_case = {.id = "bench", .key = "bench[n=1]"};
static struct case_result result;
static const struct run_case_settings settings;
static struct epoch e;

static void process_says(double launch_overhead_ns, double launch_overhead_unc_ns) {
  struct case_report report = {
      .launch_overhead_ns = launch_overhead_ns, .launch_overhead_unc_ns = launch_overhead_unc_ns, .seconds_setup = 2};
  answer_take(&e, &(struct message){MSG_CASE, sizeof report, (unsigned char *)&report});
}

/* Each process has its own launch overhead, which only its own times contain. The result of the case has their mean. */
static void overheads_are_averaged(void) {
  result = (struct case_result){0};
  epoch_init(&e, &plan_case, &settings, &result);
  process_says(3200, 600);
  ASSERT_NEAR(result.report.launch_overhead_ns, 3200, 0);
  ASSERT_NEAR(result.report.launch_overhead_unc_ns, 600, 0);
  process_says(3600, 700);
  process_says(3550, 650);
  ASSERT_NEAR(result.report.launch_overhead_ns, 3450, 1e-9);
  ASSERT_NEAR(result.report.launch_overhead_unc_ns, 650, 1e-9);
  process_says(NAN, NAN); /* a process that ended before it measured a launch overhead */
  ASSERT_NEAR(result.report.launch_overhead_ns, 3450, 1e-9);
  ASSERT_NEAR(result.report.seconds_setup, 8, 1e-9);
  epoch_free(&e);
}

static void who_has_no_overhead_counts_for_none(void) {
  result = (struct case_result){0};
  epoch_init(&e, &plan_case, &settings, &result);
  process_says(NAN, NAN);
  ASSERT_TRUE(isnan(result.report.launch_overhead_ns));
  process_says(-1, 600); /* a negative time is ignored */
  ASSERT_TRUE(isnan(result.report.launch_overhead_ns));
  process_says(3300, 600);
  process_says(3500, 600);
  ASSERT_NEAR(result.report.launch_overhead_ns, 3400, 1e-9);
  epoch_free(&e);
}

/* A further process of a case starts with the cooldown (the pause after each slot) that the process before it ended
 * with. */
static void the_next_process_rests_as_the_last(void) {
  const struct case_report report = {.cooldown = 2};
  const struct pool_worker member = {0};
  result = (struct case_result){0};
  epoch_init(&e, &plan_case, &settings, &result);
  epoch_begin(&e, &member);
  ASSERT_NEAR(e.request->cooldown, 0, 0);
  free(e.request);
  e.request = NULL;
  answer_take(&e, &(struct message){MSG_CASE, sizeof report, (unsigned char *)(uintptr_t)&report});
  epoch_begin(&e, &member);
  ASSERT_NEAR(e.request->cooldown, 2, 0);
  free(e.request);
  epoch_free(&e);
}

/* ---- Compiling ---- */

static void report_says(enum row_status status, double prepare_s) {
  struct variant_report report = {.status = (uint32_t)status, .figures = VARIANT_FIGURES_NONE};
  report.figures.prepare_s = prepare_s;
  report.figures.prepare_warm_s = 77; /* ignored, because the parent knows which process is the first */
  answer_take(&e, &(struct message){MSG_REPORT, sizeof report, (unsigned char *)&report});
}

/* In the first process, `prepare` includes compiling. Later processes may find the compiled code in a cache, so the
 * time of their `prepare` is recorded separately. */
static void the_first_process_compiles(void) {
  static struct plan_variant variants[1];
  struct variant_result v = VARIANT_RESULT_NONE;
  const struct pool_worker member = {0};
  result = (struct case_result){.variants = &v, .count = 1};
  plan_case.variants = variants;
  epoch_init(&e, &plan_case, &settings, &result);
  epoch_begin(&e, &member);
  e.request->variant_count = 1;
  report_says(ROW_OK, NAN); /* the process ended before the first call */
  ASSERT_TRUE(isnan(v.figures.prepare_s));
  report_says(ROW_OK, -1);
  report_says(ROW_OK, INFINITY);
  ASSERT_TRUE(isnan(v.figures.prepare_s));
  report_says(ROW_OK, 40);
  ASSERT_NEAR(v.figures.prepare_s, 40, 0);
  ASSERT_TRUE(isnan(v.figures.prepare_warm_s));
  report_says(ROW_OK, 3);
  report_says(ROW_OK, 2);
  report_says(ROW_OK, NAN);
  report_says(ROW_OK, 4);
  ASSERT_NEAR(v.figures.prepare_s, 40, 0);
  ASSERT_NEAR(v.figures.prepare_warm_s, 2, 0);
  v.settled = true;
  report_says(ROW_OK, 1);
  ASSERT_NEAR(v.figures.prepare_warm_s, 2, 0);
  free(e.request);
  result.count = 0;
  epoch_free(&e);
}

/* ---- Batches timed by the parent ---- */

enum { TOLD_MS = 20 };

static void mark(uint32_t variant, bool begins, uint64_t iterations, double claimed_ns) {
  const struct mark_message mark = {variant, begins, iterations, claimed_ns, 1, 0};
  answer_take(&e, &(struct message){MSG_MARK, sizeof mark, (unsigned char *)(uintptr_t)&mark});
}

static void batch(uint32_t variant, uint64_t iterations, double claimed_ns) {
  mark(variant, true, iterations, 0);
  usleep(TOLD_MS * 1000);
  mark(variant, false, iterations, claimed_ns);
}

static const struct outside *outside_of(void (*tell)(void)) {
  static struct variant_result variant;
  static struct plan_variant planned;
  static struct outside outside;
  variant = VARIANT_RESULT_NONE;
  plan_case.variants = &planned;
  plan_case.variant_count = 1;
  result = (struct case_result){.variants = &variant, .count = 1};
  epoch_init(&e, &plan_case, &settings, &result);
  e.request = xcalloc(1, sizeof *e.request);
  e.request->variant_count = 1;
  e.asked[0] = 0;
  tell();
  outside = variant.outside;
  free(e.request);
  e.request = NULL;
  epoch_free(&e);
  plan_case.variant_count = 0;
  return &outside;
}

static void tells_the_truth(void) {
  batch(0, 10, TOLD_MS * 1e6);
}

static void claims_half(void) {
  batch(0, 10, TOLD_MS * 0.5e6);
  batch(0, 10, TOLD_MS * 0.5e6);
}

static void tells_of_empty_ones_first(void) {
  batch(UINT32_MAX, 1, NAN);
  batch(0, 10, TOLD_MS * 1e6);
}

static void claims_more_than_passed(void) {
  batch(0, 10, TOLD_MS * 100e6);
}

static void talks_nonsense(void) {
  batch(7, 10, TOLD_MS * 1e6);
  batch(0, 0, TOLD_MS * 1e6);
  batch(0, UINT64_MAX, TOLD_MS * 1e6);
  batch(0, 10, NAN);
  batch(0, 10, -1);
  mark(0, false, 10, 1e6); /* no batch has begun */
  mark(0, true, 10, 0);
  mark(UINT32_MAX, false, 10, 1); /* the end of a batch of another variant */
  mark(0, false, 10, 1e6);
  answer_take(&e, &(struct message){MSG_MARK, 3, (unsigned char *)(uintptr_t) "xyz"});
}

static void batches_are_timed_by_when_they_are_told(void) {
  const struct outside *outside = outside_of(tells_the_truth);
  ASSERT_TRUE(outside->ns >= TOLD_MS * 1e5);
  ASSERT_NEAR(outside->claimed_ns, TOLD_MS * 1e5, 1);
  ASSERT_NEAR(outside->slack_ns, 0, 0);
  ASSERT_TRUE(outside->queued);
  ASSERT_EQ_INT(outside_judge(outside_of(claims_half), NAN), OUTSIDE_BROKEN);
  outside = outside_of(tells_of_empty_ones_first);
  ASSERT_TRUE(outside->slack_ns >= TOLD_MS * 1e5);
  ASSERT_TRUE(outside_judge(outside, NAN) != OUTSIDE_BROKEN);
}

/* A batch claims more time than passed for the parent. Either the parent learned too late that the batch began, or the
 * worker lies. Such a batch confirms nothing. */
static void what_claims_more_than_passed_bounds_nothing(void) {
  ASSERT_EQ_INT(outside_judge(outside_of(claims_more_than_passed), 1), OUTSIDE_UNKNOWN);
}

static void nonsense_is_not_taken(void) {
  ASSERT_EQ_INT(outside_judge(outside_of(talks_nonsense), 1), OUTSIDE_UNKNOWN);
}

static void callback_says(uint32_t kind, uint32_t stage, double ns, double gap_ns, double iterations) {
  struct untimed_message message = {
      .variant = 0, .kind = kind, .stage = stage, .ns = ns, .gap_ns = gap_ns, .iterations = iterations};
  answer_take(&e, &(struct message){MSG_UNTIMED, sizeof message, (unsigned char *)&message});
}

/* The time of a callback is the longer of what the worker claims and what the parent measured. */
static void callbacks_are_timed_outside(void) {
  static struct plan_variant variants[1];
  struct variant_result v = VARIANT_RESULT_NONE;
  const struct pool_worker member = {0};
  const struct untimed_times *times = &v.untimed[UNTIMED_DELIVER];
  result = (struct case_result){.variants = &v, .count = 1};
  plan_case.variants = variants;
  epoch_init(&e, &plan_case, &settings, &result);
  epoch_begin(&e, &member);
  e.request->variant_count = 1;
  callback_says(UNTIMED_DELIVER, UNTIMED_COUNTS, 0, 0, 1); /* no callback has begun */
  ASSERT_EQ_INT(times->count, 0);
  callback_says(UNTIMED_DELIVER, UNTIMED_BEGINS, 0, 0, 0);
  callback_says(UNTIMED_DELIVER, UNTIMED_COUNTS, 0, 0, 1); /* the callback has not ended */
  ASSERT_EQ_INT(times->count, 0);
  callback_says(UNTIMED_DELIVER, UNTIMED_ENDS, 3e12, 0, 0);
  callback_says(UNTIMED_DELIVER, UNTIMED_COUNTS, 0, 1e12, 4);
  ASSERT_EQ_INT(times->count, 1);
  ASSERT_NEAR(times->ns[0], 1e12, 0);
  callback_says(UNTIMED_DELIVER, UNTIMED_BEGINS, 0, 0, 0);
  usleep(2000);
  callback_says(UNTIMED_DELIVER, UNTIMED_ENDS, 5, 0, 0); /* the worker claims 5 ns */
  callback_says(UNTIMED_DELIVER, UNTIMED_COUNTS, 0, -1e12, (double)NAN);
  ASSERT_EQ_INT(times->count, 2);
  ASSERT_TRUE(times->ns[1] >= 2e6);
  callback_says(UNTIMED_DELIVER, UNTIMED_COUNTS, 0, INFINITY, 1);
  callback_says(UNTIMED_KINDS, UNTIMED_BEGINS, 1, 1, 1);
  ASSERT_EQ_INT(times->count, 2);
  for (int i = 0; i < 2 * UNTIMED_MOST; i++)
    callback_says(UNTIMED_DELIVER, UNTIMED_COUNTS, 0, 0, 1);
  ASSERT_EQ_INT(times->count, UNTIMED_MOST);
  ASSERT_EQ_INT(v.untimed[UNTIMED_DERIVE].count, 0);
  /* work of other threads before a call is accepted without a message that it began, because it is no callback */
  callback_says(UNTIMED_AHEAD, UNTIMED_COUNTS, 9, 7000, 1);
  ASSERT_EQ_INT(v.untimed[UNTIMED_AHEAD].count, 1);
  ASSERT_NEAR(v.untimed[UNTIMED_AHEAD].ns[0], 7000, 0);
  ASSERT_NEAR(v.untimed[UNTIMED_AHEAD].slots[0], 1, 0);
  free(e.request);
  result.count = 0;
  epoch_free(&e);
}

UNIT_MAIN("answer", UNIT_TEST(the_first_process_compiles), UNIT_TEST(callbacks_are_timed_outside),
          UNIT_TEST(overheads_are_averaged), UNIT_TEST(who_has_no_overhead_counts_for_none),
          UNIT_TEST(the_next_process_rests_as_the_last), UNIT_TEST(batches_are_timed_by_when_they_are_told),
          UNIT_TEST(what_claims_more_than_passed_bounds_nothing), UNIT_TEST(nonsense_is_not_taken))
