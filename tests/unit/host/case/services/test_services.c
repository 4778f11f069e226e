/* What a point, a device and the work say. */
#include "case/services/services.h"

#include "case/calls.h"
#include "fixture_case.h"

static struct bed bed;
static struct outcome outcome;

static void points_answer_by_name_and_type(void) {
  bed_open(&bed);
  bed.c->point.count = 2;
  bed.c->point.values[0] = (struct axis_value){.name = "n", .type = AXIS_I64, .i64 = 7, .str = "7"};
  bed.c->point.values[1] = (struct axis_value){.name = "dtype", .type = AXIS_STR, .str = "bf16"};
  call_begin(bed.c, PHASE_SUPPORTS, 0);
  ASSERT_EQ_INT(gb.point->i64(bed.c, "n"), 7);
  ASSERT_EQ_STR(gb.point->str(bed.c, "dtype"), "bf16");
  ASSERT_EQ_STR(gb.device->str(bed.c, "backend"), "cpu");
  ASSERT_TRUE(gb.device->i64(bed.c, "threads") >= 1 && gb.device->i64(bed.c, "of_the_future") == -1);
  call_end(bed.c, GB_OK, &outcome);
  ASSERT_EQ_INT(outcome.kind, OUTCOME_OK);
  call_begin(bed.c, PHASE_SUPPORTS, 0);
  ASSERT_NEAR(gb.point->f64(bed.c, "n"), 0, 0);
  call_end(bed.c, GB_OK, &outcome);
  ASSERT_EQ_STR(outcome.message, "axis 'n' has type 1, asked for as type 2");
  call_begin(bed.c, PHASE_SUPPORTS, 0);
  ASSERT_EQ_STR(gb.point->str(bed.c, NULL), "");
  call_end(bed.c, GB_OK, &outcome);
  ASSERT_EQ_STR(outcome.message, "bench 'test' has no axis ''");
  bed_close(&bed);
}

/* The plugin's own memory is its own as soon as the call has returned. */
static void work_is_copied(void) {
  char unit[] = "rows";
  gb_work work = {GB_SIZE(gb_work), .flops = 5, .items = 3, .item_unit = unit};
  bed_open(&bed);
  call_begin(bed.c, PHASE_SETUP, OWNER_BENCH);
  ASSERT_EQ_INT(gb.point->work(bed.c, &work), GB_OK);
  work.flops = 6;
  ASSERT_EQ_INT(bed.c->work.flops, 5);
  ASSERT_EQ_INT(gb.point->work(bed.c, &work), GB_OK);
  ASSERT_EQ_INT(bed.c->work.flops, 6);
  unit[0] = '!'; /* the plugin's own text may go away after setup */
  ASSERT_HAS(bed.c->work.item_unit, "o");
  ASSERT_TRUE(bed.c->work.item_unit[0] != '!');
  call_end(bed.c, GB_OK, &outcome);
  ASSERT_EQ_INT(outcome.kind, OUTCOME_OK);
  call_begin(bed.c, PHASE_RUN, 0);
  ASSERT_EQ_INT(gb.point->work(bed.c, &work), GB_EINVAL);
  call_end(bed.c, GB_OK, &outcome);
  ASSERT_EQ_STR(outcome.message, "gb.case/1 work is for setup, not run");
  bed_close(&bed);
}

UNIT_MAIN("services", UNIT_TEST(points_answer_by_name_and_type), UNIT_TEST(work_is_copied))
