/* Who is blamed for what: the rows of the tables in ask/blame.h, without any worker. */
#include "ask/blame.h"

#include <stdlib.h>

#include "base/memory.h"
#include "unit.h"

enum { COUNT = 4, BASELINE = 0 };

static struct plan_variant variants[COUNT];
static struct variant_result results[COUNT];
static struct plan_case plan_case = {.id = "bench", .key = "bench[n=1]", .variants = variants, .variant_count = COUNT};
static struct case_result result = {.variants = results, .count = COUNT};
static const struct run_case_settings settings;
static struct epoch e;

/* An epoch that asks about these: by place, plan indices; nobody has a status yet. */
static void asks(uint32_t count, const size_t *asked) {
  for (size_t i = 0; i < COUNT; i++) {
    variants[i] = (struct plan_variant){.against = {.common = i == BASELINE}};
    results[i] = VARIANT_RESULT_NONE;
  }
  epoch_init(&e, &plan_case, &settings, &result);
  e.request = xcalloc(1, sizeof *e.request);
  for (uint32_t i = 0; i < count; i++) {
    e.asked[i] = asked[i];
    snprintf(e.request->variants[i].name, sizeof e.request->variants[i].name, "v%zu", asked[i]);
  }
  e.request->variant_count = count;
}

static void asks_all(void) {
  static const size_t all[COUNT] = {0, 1, 2, 3};
  asks(COUNT, all);
}

static void ends(void) {
  free(e.request);
  epoch_free(&e);
}

static void dies(enum ending_kind kind, enum phase phase, int turn) {
  struct ending ending = {.kind = kind, .phase = phase, .variant = turn, .how = "SIGSEGV"};
  blame_for_death(&e, &ending);
}

static void fails(int exit_code) {
  struct ending ending = {.kind = ENDING_FAILED, .variant = -1, .err = {.exit_code = exit_code, .text = "it broke"}};
  blame_for_failure(&e, &ending);
}

/* One letter per variant of the plan: c crashed, t timeout, e error, o ok, ? suspect, . nothing. */
static const char *fates(void) {
  static char text[COUNT + 1];
  for (size_t i = 0; i < COUNT; i++)
    text[i] = results[i].settled ? row_status_name(results[i].status)[0] : e.doubts[i].text != NULL ? '?' : '.';
  return text;
}

static void settle(size_t index) {
  variant_result_settle(&results[index], ROW_OK, NULL);
}

static void sure_of_one(void) {
  static const size_t alone[] = {2}, pair[] = {BASELINE, 3};
  asks(1, alone);
  dies(ENDING_DIED, PHASE_RUN, 0);
  ASSERT_EQ_STR(fates(), "..c.");
  ASSERT_EQ_STR(results[2].message, "SIGSEGV in run of bench/v2[n=1]");
  ends();
  asks_all();
  dies(ENDING_TIMEOUT, PHASE_RUN, 1);
  ASSERT_EQ_STR(fates(), ".t..");
  ends();
  asks(2, pair);
  settle(BASELINE);
  e.apart = 3;
  dies(ENDING_DIED, PHASE_RUN, 0); /* in the baseline's turn: it had done well without him */
  ASSERT_EQ_STR(fates(), "o..c");
  ASSERT_EQ_STR(results[3].message, "SIGSEGV in run of bench/v3[n=1]");
  ends();
}

static void sure_of_nobody_in_particular(void) {
  asks_all();
  settle(BASELINE);
  dies(ENDING_TIMEOUT, PHASE_SETUP, -1);
  ASSERT_EQ_STR(fates(), "ottt");
  ASSERT_EQ_STR(results[1].message, "SIGSEGV in setup of bench[n=1]");
  ends();
  asks_all();
  settle(BASELINE);
  dies(ENDING_TIMEOUT, PHASE_RUN, BASELINE);
  ASSERT_EQ_STR(fates(), "ottt");
  ends();
}

static void one_among_others(void) {
  asks_all();
  dies(ENDING_DIED, PHASE_RUN, 2);
  ASSERT_EQ_STR(fates(), "..?.");
  ASSERT_TRUE(blame_is_suspect(&e, 2) && !blame_is_suspect(&e, 1));
  dies(ENDING_DIED, PHASE_PREPARE, 2); /* what he was suspected of first is what counts */
  ASSERT_EQ_STR(e.doubts[2].text, "SIGSEGV in run of bench/v2[n=1]");
  ends();
}

static void the_baseline_had_done_well(void) {
  asks_all();
  settle(BASELINE);
  dies(ENDING_DIED, PHASE_RUN, BASELINE);
  ASSERT_EQ_STR(fates(), "o???");
  ends();
}

static void the_bench_was_running(void) {
  asks_all();
  settle(BASELINE);
  dies(ENDING_DIED, PHASE_SETUP, -1);
  ASSERT_EQ_STR(fates(), "occc");
  ends();
  asks_all();
  dies(ENDING_DIED, PHASE_REFERENCE, COUNT); /* no variant's turn: a worker may write anything there */
  ASSERT_EQ_STR(fates(), "cccc");
  ends();
}

static void nothing_was_running(void) {
  asks_all();
  settle(BASELINE);
  dies(ENDING_DIED, PHASE_IDLE, -1);
  ASSERT_EQ_STR(fates(), "o???");
  ends();
}

static void an_error_behind_anothers(void) {
  const struct variant_report first = {.variant = 1, .status = ROW_ERROR, .message = "first"};
  const struct variant_report later = {.variant = 2, .status = ROW_ERROR, .message = "later"};
  const struct variant_report wrong = {.variant = 3, .status = ROW_WRONG, .message = "wrong"};
  asks_all();
  ASSERT_TRUE(!blame_another(&e, &first));
  ASSERT_TRUE(blame_another(&e, &later));
  ASSERT_TRUE(!blame_another(&e, &wrong));
  ASSERT_EQ_STR(fates(), "..?.");
  ASSERT_EQ_STR(e.doubts[2].text, "later");
  e.apart = 2;
  ASSERT_TRUE(!blame_another(&e, &later)); /* nobody was before him */
  ends();
}

static void a_failure_with_a_culprit(void) {
  asks_all();
  variant_result_settle(&results[3], ROW_CRASHED, "device fault");
  fails(EXIT_FAILED);
  ASSERT_EQ_STR(fates(), "...c");
  ends();
}

static void a_lost_device(void) {
  asks_all();
  fails(EXIT_DEVICE);
  ASSERT_EQ_STR(fates(), "....");
  ends();
}

static void a_failure_of_the_bench(void) {
  asks_all();
  fails(EXIT_FAILED);
  ASSERT_EQ_STR(fates(), "eeee");
  ASSERT_EQ_STR(results[0].message, "it broke");
  ends();
}

static void one_try(void) {
  asks_all();
  dies(ENDING_DIED, PHASE_RUN, 1);
  dies(ENDING_DIED, PHASE_RUN, 2);
  settle(1);
  blame_hold(&e, 1);
  blame_hold(&e, 2);
  blame_hold(&e, 3);
  ASSERT_EQ_STR(fates(), ".oc.");
  ends();
}

/* The suspected baseline first, since all others divide by it; then who is above suspicion; then each suspect. */
static void who_runs_next(void) {
  asks_all();
  ASSERT_TRUE(blame_choose(&e));
  ASSERT_TRUE(e.apart == SIZE_MAX);
  dies(ENDING_DIED, PHASE_RUN, 2);
  ASSERT_TRUE(blame_choose(&e));
  ASSERT_TRUE(e.apart == SIZE_MAX);
  dies(ENDING_DIED, PHASE_RUN, BASELINE);
  ASSERT_TRUE(blame_choose(&e));
  ASSERT_EQ_INT(e.apart, BASELINE);
  settle(BASELINE);
  settle(1);
  settle(3);
  ASSERT_TRUE(blame_choose(&e));
  ASSERT_EQ_INT(e.apart, 2);
  settle(2);
  ASSERT_TRUE(!blame_choose(&e));
  ends();
}

UNIT_MAIN("blame", UNIT_TEST(sure_of_one), UNIT_TEST(sure_of_nobody_in_particular), UNIT_TEST(one_among_others),
          UNIT_TEST(the_baseline_had_done_well), UNIT_TEST(the_bench_was_running), UNIT_TEST(nothing_was_running),
          UNIT_TEST(an_error_behind_anothers), UNIT_TEST(a_failure_with_a_culprit), UNIT_TEST(a_lost_device),
          UNIT_TEST(a_failure_of_the_bench), UNIT_TEST(one_try), UNIT_TEST(who_runs_next))
