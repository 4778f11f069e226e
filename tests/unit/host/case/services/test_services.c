/* Tests services (functions of gpubench that plugins call), such as those that return the parameters of a bench and
 * facts about the device, and those that take the amount of work and the progress of a callback. */
#include "case/services/services.h"

#include "base/clock.h"
#include "case/calls.h"
#include "fixture_case.h"
#include "model/data/dtype.h"

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
  ASSERT_EQ_STR(outcome.message, "axis 'n' is i64, asked for as f64");
  call_begin(bed.c, PHASE_SUPPORTS, 0);
  ASSERT_EQ_STR(gb.point->str(bed.c, NULL), "");
  call_end(bed.c, GB_OK, &outcome);
  ASSERT_EQ_STR(outcome.message, "bench 'test' has no axis ''");
  bed_close(&bed);
}

/* gb.point->work() copies its argument, so the plugin may change its memory after the call. */
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
  unit[0] = '!'; /* the plugin's text may be gone after setup */
  ASSERT_HAS(bed.c->work.item_unit, "o");
  ASSERT_TRUE(bed.c->work.item_unit[0] != '!');
  call_end(bed.c, GB_OK, &outcome);
  ASSERT_EQ_INT(outcome.kind, OUTCOME_OK);
  work.item_unit = "a unit of sixty-four bytes, which is one more than there is room for";
  call_begin(bed.c, PHASE_SETUP, OWNER_BENCH);
  ASSERT_EQ_INT(gb.point->work(bed.c, &work), GB_EINVAL);
  call_end(bed.c, GB_OK, &outcome);
  ASSERT_EQ_STR(outcome.message, "item_unit has more than 63 bytes");
  call_begin(bed.c, PHASE_RUN, 0);
  ASSERT_EQ_INT(gb.point->work(bed.c, &work), GB_EINVAL);
  call_end(bed.c, GB_OK, &outcome);
  ASSERT_EQ_STR(outcome.message, "gb.case/1 work is for setup, not run");
  bed_close(&bed);
}

/* Variants of another plugin do not get the state of the bench. */
static void state_is_the_plugins_own(void) {
  struct plugin other = {0};
  struct variant own = {.plugin = &bed.plugin, .desc.math = "native"}, guest = {.plugin = &other, .desc.math = "tf32"};
  const int64_t n = 8;
  int state;
  bed_open(&bed);
  ASSERT_EQ_STR(bed_declare(&bed, bed_tensor("x", GB_IN, GB_DTYPE_BF16, &n)), "");
  bed.c->state = &state;
  call_begin(bed.c, PHASE_PREPARE, 0);
  bed.c->variant = &own;
  ASSERT_TRUE(gb.point->state(bed.c) == &state);
  ASSERT_EQ_STR(gb.point->math(bed.c), "bf16");
  ASSERT_EQ_STR(gb.point->contract(bed.c), "gpubench.org/test/1");
  call_begin(bed.c, PHASE_RUN, 1);
  bed.c->variant = &guest;
  ASSERT_TRUE(gb.point->state(bed.c) == NULL);
  ASSERT_EQ_STR(gb.point->math(bed.c), "tf32");
  call_begin(bed.c, PHASE_VERIFY, 1); /* a callback of the bench, whichever variant has run */
  bed.c->variant = &guest;
  ASSERT_TRUE(gb.point->state(bed.c) == &state);
  ASSERT_EQ_STR(gb.point->math(bed.c), "tf32");
  call_begin(bed.c, PHASE_REFERENCE, OWNER_BENCH);
  ASSERT_TRUE(gb.point->state(bed.c) == &state && gb.point->math(bed.c) == NULL);
  call_begin(bed.c, PHASE_SUPPORTS, OWNER_BENCH);
  ASSERT_TRUE(gb.point->state(bed.c) == NULL && gb.point->math(bed.c) == NULL);
  ASSERT_EQ_STR(gb.point->contract(bed.c), "gpubench.org/test/1");
  call_end(bed.c, GB_OK, &outcome);
  ASSERT_EQ_INT(outcome.kind, OUTCOME_OK);
  bed_close(&bed);
}

static void there_is_no_seed_before_there_is_a_fill(void) {
  static const enum phase early[] = {PHASE_SUPPORTS, PHASE_SETUP};
  static const char *const told[] = {"gb.case/1 seed: nothing is filled in supports",
                                     "gb.case/1 seed: nothing is filled in setup"};
  bed_open(&bed);
  for (size_t i = 0; i < 2; i++) {
    call_begin(bed.c, early[i], OWNER_BENCH);
    ASSERT_EQ_INT(gb.point->seed(bed.c), 0);
    call_end(bed.c, GB_OK, &outcome);
    ASSERT_EQ_STR(outcome.message, told[i]);
  }
  bed_close(&bed);
}

static char told[128];

static void take_log(const char *plugin, int32_t level, const char *message) {
  snprintf(told, sizeof told, "%s: %d: %s", plugin, level, message);
}

/* A plugin calls add() and attach() after its `open` returned. The registry no longer exists then, so the calls are
 * refused without reading it. */
static void nothing_is_registered_after_open(void) {
  gb_registry *const gone = (gb_registry *)8;
  static const gb_variant variant = {GB_SIZE(gb_variant), .name = "late"};
  static const gb_bench bench = {GB_SIZE(gb_bench), .name = "late"};
  bed_open(&bed);
  services_log = take_log;
  text_copy(bed.plugin.desc.id, sizeof bed.plugin.desc.id, "mine");
  ASSERT_EQ_INT(gb.host->add(gb.host, gone, &bench), GB_EINVAL);
  ASSERT_EQ_STR(told, "mine: 2: add is for open: ignored");
  ASSERT_EQ_INT(gb.host->attach(gb.host, gone, "test/1", &variant), GB_EINVAL);
  ASSERT_EQ_STR(told, "mine: 2: attach is for open: ignored");
  ASSERT_EQ_INT(bed.plugin.bench_count + bed.plugin.variant_count, 0);
  services_log = NULL;
  bed_close(&bed);
}

/* ---- Helpers of sugar.h ---- */

static void samples_rise_and_have_the_ends(void) {
  static const int64_t of[][2] = {{1, 1}, {1, 9}, {2, 2}, {2, 9}, {3, 4}, {7, 7}, {8, 1000}, {64, 65}};
  bed_open(&bed);
  call_begin(bed.c, PHASE_REFERENCE, OWNER_BENCH);
  for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
    int64_t last = -1;
    for (int64_t k = 0; k < of[i][0]; k++) {
      const int64_t at = gb_sampled(&gb, bed.c, 1, k, of[i][0], of[i][1]);
      ASSERT_TRUE(at > last && at < of[i][1]);
      ASSERT_TRUE(k > 0 || at == 0);
      last = at;
    }
    ASSERT_TRUE(of[i][0] == 1 || last == of[i][1] - 1);
  }
  const int64_t at = gb_sampled(&gb, bed.c, 1, 3, 8, INT64_C(1) << 32);
  ASSERT_EQ_INT(gb_sampled(&gb, bed.c, 1, 3, 8, INT64_C(1) << 32), at);
  call_end(bed.c, GB_OK, &outcome);
  call_begin(bed.c, PHASE_REFERENCE, OWNER_BENCH); /* for the same inputs */
  ASSERT_TRUE(gb_sampled(&gb, bed.c, 1, 3, 8, INT64_C(1) << 32) != at);
  call_end(bed.c, GB_OK, &outcome);
  ASSERT_EQ_STR(outcome.message, "");
  bed_close(&bed);
}

/* gb.point->places() returns a random number, from which a bench chooses the elements to compare. Each callback of
 * `reference` or `verify` gets a new number. In other callbacks places() returns 0, and the callback fails. */
static void places_are_told_where_outputs_are_looked_at(void) {
  static const enum phase others[] = {PHASE_SETUP, PHASE_PREPARE, PHASE_RUN, PHASE_AFTER};
  uint64_t told_in[2];
  bed_open(&bed);
  for (int i = 0; i < 2; i++) {
    call_begin(bed.c, i == 0 ? PHASE_REFERENCE : PHASE_VERIFY, OWNER_BENCH);
    told_in[i] = gb.point->places(bed.c);
    ASSERT_TRUE(gb.point->places(bed.c) == told_in[i]);
    call_end(bed.c, GB_OK, &outcome);
    ASSERT_EQ_INT(outcome.kind, OUTCOME_OK);
    ASSERT_EQ_INT(bed.c->places, 0);
  }
  ASSERT_TRUE(told_in[0] != told_in[1]);
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
    call_begin(bed.c, others[i], 0);
    ASSERT_EQ_INT(bed.c->places, 0);
    ASSERT_EQ_INT(gb.point->places(bed.c), 0);
    call_end(bed.c, GB_OK, &outcome);
    ASSERT_HAS(outcome.message, "gb.case/1 places is for reference and verify, not ");
  }
  bed_close(&bed);
}

static void axes_dtypes_and_threads_are_asked_for(void) {
  bed_open(&bed);
  bed.c->point.count = 2;
  bed.c->point.values[0] = (struct axis_value){.name = "n", .type = AXIS_I64, .i64 = 7, .str = "7"};
  bed.c->point.values[1] = (struct axis_value){.name = "dtype", .type = AXIS_STR, .str = "bf16"};
  call_begin(bed.c, PHASE_SUPPORTS, OWNER_BENCH);
  ASSERT_EQ_INT(gb_axis_within(&gb, bed.c, "n", 7, 7), GB_OK);
  gb_status status = gb_axis_within(&gb, bed.c, "n", 8, 9);
  call_end(bed.c, status, &outcome);
  ASSERT_EQ_INT(outcome.kind, OUTCOME_SKIP);
  ASSERT_EQ_STR(outcome.message, "n is 7: must be 8 to 9");
  ASSERT_TRUE(gb_axis_is(&gb, bed.c, "dtype", "bf16") && !gb_axis_is(&gb, bed.c, "dtype", "fp16"));
  static const char *const names[] = {"fp64", "fp32", "fp16", "bf16", "i32", "u8", "e4m3"};
  for (uint32_t dtype = GB_DTYPE_F64; dtype <= GB_DTYPE_E4M3; dtype++) {
    ASSERT_EQ_INT(gb_dtype_named(names[dtype - 1]), dtype);
    ASSERT_EQ_INT(gb_dtype_bytes(dtype), dtype_bytes(dtype));
  }
  ASSERT_EQ_INT(gb_dtype_named("int4"), 0);
  ASSERT_EQ_INT(gb_dtype_bytes(0) + gb_dtype_bytes(99), 0);
  ASSERT_EQ_INT(gb_threads(&gb, bed.c, 1), 1);
  ASSERT_EQ_INT(gb_threads(&gb, bed.c, 0), 1);
  ASSERT_EQ_INT(gb_threads(&gb, bed.c, 1 << 20), gb.device->i64(bed.c, "threads"));
  bed_close(&bed);
}

/* A callback has a time limit, which starts anew whenever the callback makes progress. gb.progress->step() counts as
 * progress only if the number of steps rises and is at most the total. */
static void progress_is_seen(void) {
  struct phase_mark before, after;
  bed_open(&bed);
  const uint64_t steps[] = {1, 1, 0, 9, 2}; /* steps of 3 */
  const bool leads_on[] = {true, false, false, false, true};
  call_begin(bed.c, PHASE_PREPARE, 0);
  for (size_t i = 0; i < 5; i++) {
    ASSERT_TRUE(phase_read(&bed.page, &before));
    for (int64_t now = clock_now_ns(); clock_now_ns() == now;)
      continue;
    ASSERT_EQ_INT(gb.progress->step(bed.c, steps[i], 3), GB_OK);
    ASSERT_TRUE(phase_read(&bed.page, &after));
    ASSERT_TRUE((after.since_ns > before.since_ns) == leads_on[i]);
  }
  call_end(bed.c, GB_OK, &outcome);
  ASSERT_EQ_INT(outcome.kind, OUTCOME_OK);
  call_begin(bed.c, PHASE_RUN, 0);
  ASSERT_EQ_INT(gb.progress->step(bed.c, 1, 1), GB_EINVAL);
  call_end(bed.c, GB_OK, &outcome);
  ASSERT_EQ_STR(outcome.message, "gb.progress/1 step is for setup, fill and prepare, not run");
  bed_close(&bed);
}

/* Lists writes that are refused, with their messages. */
static void inputs_are_written_in_fill(void) {
  static const int64_t n = 4;
  static const double written[] = {3, NAN};
  static const struct {
    enum phase phase;
    const char *name;
    uint64_t first, count;
    const double *values;
    const char *message;
  } rows[] = {{PHASE_FILL, "x", 2, 2, written, ""},
              {PHASE_FILL, "x", 3, 2, written, "tensor 'x' has 4 elements, given 2 from 3"},
              {PHASE_FILL, "x", 2, 1, NULL, "gb.input/1 write: values is NULL"},
              {PHASE_FILL, "x", 4, 0, NULL, ""},
              {PHASE_FILL, "u", 0, 1, written, "gb.input/1 write: tensor 'u' is not GB_FILL_BENCH"},
              {PHASE_FILL, "y", 0, 1, written, "gb.input/1 write: tensor 'y' is not GB_FILL_BENCH"},
              {PHASE_FILL, "q", 0, 1, written, "gpubench.org/test/1 has no tensor 'q'"},
              {PHASE_PREPARE, "x", 0, 1, written, "gb.input/1 write is for fill, not prepare"}};
  static const gb_bench own = {GB_SIZE(gb_bench), .fill = (gb_status(*)(const gb_bench *, gb_case *, void *))1};
  bed_open(&bed);
  bed.bench.own = own;
  gb_tensor x = bed_tensor("x", GB_IN, GB_DTYPE_I32, &n);
  x.fill = GB_FILL_BENCH;
  ASSERT_EQ_STR(bed_declare(&bed, x), "");
  ASSERT_EQ_STR(bed_declare(&bed, bed_tensor("u", GB_IN, GB_DTYPE_F32, &n)), "");
  ASSERT_EQ_STR(bed_declare(&bed, bed_tensor("y", GB_OUT, GB_DTYPE_F32, &n)), "");
  ASSERT_TRUE(tensors_allocate(bed.c));
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    call_begin(bed.c, rows[i].phase, OWNER_BENCH);
    const gb_status status = gb.input->write(bed.c, rows[i].name, rows[i].first, rows[i].count, rows[i].values);
    ASSERT_EQ_INT(status, rows[i].message[0] == '\0' ? GB_OK : GB_EINVAL);
    call_end(bed.c, GB_OK, &outcome);
    ASSERT_EQ_STR(outcome.message, rows[i].message);
  }
  const int32_t *stored = tensor_find(bed.c, "x")->values;
  ASSERT_EQ_INT(stored[2], 3);
  ASSERT_EQ_INT(stored[3], 0); /* NaN as an integer */
  bed_close(&bed);
}

UNIT_MAIN("services", UNIT_TEST(progress_is_seen), UNIT_TEST(nothing_is_registered_after_open),
          UNIT_TEST(inputs_are_written_in_fill), UNIT_TEST(samples_rise_and_have_the_ends),
          UNIT_TEST(places_are_told_where_outputs_are_looked_at), UNIT_TEST(axes_dtypes_and_threads_are_asked_for),
          UNIT_TEST(state_is_the_plugins_own), UNIT_TEST(there_is_no_seed_before_there_is_a_fill),
          UNIT_TEST(points_answer_by_name_and_type), UNIT_TEST(work_is_copied))
