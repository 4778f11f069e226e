/* What workers say of a case, over its processes. */
#include "ask/answer.h"

#include <math.h>
#include <stdlib.h>

#include "unit.h"

static struct plan_case plan_case = {.id = "bench", .key = "bench[n=1]"};
static struct case_result result;
static const struct run_case_settings settings;
static struct epoch e;

static void process_says(double floor_ns, double floor_unc_ns) {
  struct case_report report = {.floor_ns = floor_ns, .floor_unc_ns = floor_unc_ns, .seconds_setup = 2};
  answer_take(&e, &(struct message){MSG_CASE, sizeof report, (unsigned char *)&report});
}

/* Each process has another floor, which is in the times of it alone. */
static void floors_are_averaged(void) {
  result = (struct case_result){0};
  epoch_init(&e, &plan_case, &settings, &result);
  process_says(3200, 600);
  ASSERT_NEAR(result.report.floor_ns, 3200, 0);
  ASSERT_NEAR(result.report.floor_unc_ns, 600, 0);
  process_says(3600, 700);
  process_says(3550, 650);
  ASSERT_NEAR(result.report.floor_ns, 3450, 1e-9);
  ASSERT_NEAR(result.report.floor_unc_ns, 650, 1e-9);
  process_says(NAN, NAN); /* ended before it had measured one */
  ASSERT_NEAR(result.report.floor_ns, 3450, 1e-9);
  ASSERT_NEAR(result.report.seconds_setup, 8, 1e-9);
  epoch_free(&e);
}

static void who_has_no_floor_counts_for_none(void) {
  result = (struct case_result){0};
  epoch_init(&e, &plan_case, &settings, &result);
  process_says(NAN, NAN);
  ASSERT_TRUE(isnan(result.report.floor_ns));
  process_says(-1, 600); /* no time is so */
  ASSERT_TRUE(isnan(result.report.floor_ns));
  process_says(3300, 600);
  process_says(3500, 600);
  ASSERT_NEAR(result.report.floor_ns, 3400, 1e-9);
  epoch_free(&e);
}

/* A process of a case rests from its start as its last one came to need. */
static void the_next_process_rests_as_the_last(void) {
  const struct case_report report = {.rest = 2};
  const struct pool_worker member = {0};
  result = (struct case_result){0};
  epoch_init(&e, &plan_case, &settings, &result);
  epoch_begin(&e, &member);
  ASSERT_NEAR(e.request->rest, 0, 0);
  free(e.request);
  e.request = NULL;
  answer_take(&e, &(struct message){MSG_CASE, sizeof report, (unsigned char *)(uintptr_t)&report});
  epoch_begin(&e, &member);
  ASSERT_NEAR(e.request->rest, 2, 0);
  free(e.request);
  epoch_free(&e);
}

UNIT_MAIN("answer", UNIT_TEST(floors_are_averaged), UNIT_TEST(who_has_no_floor_counts_for_none),
          UNIT_TEST(the_next_process_rests_as_the_last))
