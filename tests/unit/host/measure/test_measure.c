/* Tests measuring a case from setup to teardown in the process of the test: its reports, the number of callbacks, and
 * when it ends. */
#include "measure/measure.h"

#include <unistd.h>

#include "fixture_contest.h"
#include "model/proof/unproven.h"

/* Scripts of the scripted device: `script` has little noise from slot to slot, so that any precision is reached soon;
 * `noisy` has more. */
static char script[64] = "/tmp/gpubench-measure-XXXXXX", noisy[64] = "/tmp/gpubench-noisy-XXXXXX";

static void write_script(char *path, const char *text) {
  int fd = mkstemp(path);
  ASSERT_EQ_INT(write(fd, text, strlen(text)), strlen(text));
  close(fd);
}

static void writes_script(void) {
  write_script(script, "[*]\nns = 50000\nsample_sd = 0.001\nslot_sd = 0.0004\n");
  write_script(noisy, "[*]\nns = 50000\nsample_sd = 0.001\nslot_sd = 0.004\n");
}

static void removes_script(void) {
  ASSERT_EQ_INT(unlink(script), 0);
  ASSERT_EQ_INT(unlink(noisy), 0);
}

static void status_is(const struct contest *contest, uint32_t place, enum row_status status, const char *message) {
  const struct variant_report *report = &contest->reports[place];
  ASSERT_EQ_INT(contest->reported[place], 1);
  ASSERT_EQ_STR(row_status_name((enum row_status)report->status), row_status_name(status));
  ASSERT_EQ_STR(report->message, message);
}

/* Checks that every successful prepare was released and every successful setup torn down, and that no memory is
 * left. */
static void balanced(const struct contest *contest) {
  ASSERT_EQ_INT(tally.setup, 1);
  ASSERT_EQ_INT(tally.teardown, 1);
  for (uint32_t i = 0; i < contest->request.variant_count; i++) {
    enum behaviour b = contest->parts[i].behaviour;
    bool refused = b == SKIPS || b == NEEDS_MEMORY || b == FAILS_PREPARE;
    ASSERT_EQ_INT(tally.release[i], refused ? 0 : tally.prepare[i]);
  }
  ASSERT_EQ_INT(contest->bed.c->allocation_count, 0);
  ASSERT_EQ_INT(contest->bed.c->tensor_count, 0);
  ASSERT_EQ_INT(bed_phase(&contest->bed), PHASE_IDLE);
}

/* ---- Rounds ---- */

/* The order in which the variants ran since the last slot (series of samples) whose times were kept. Consecutive calls
 * of a variant count once. */
static struct {
  const struct contest *contest;
  size_t slots;
  uint32_t places[4096];
  size_t count;
} calls;

static gb_status notes_its_call(const gb_variant *self, gb_case *c, void *vstate) {
  const uint32_t place = (uint32_t)((const struct part *)self->user)->place;
  if (calls.slots != calls.contest->slot_count) calls.count = 0;
  calls.slots = calls.contest->slot_count;
  const bool again = calls.count > 0 && calls.places[calls.count - 1] == place;
  if (!again && calls.count < sizeof calls.places / sizeof calls.places[0]) calls.places[calls.count++] = place;
  return contest_run(self, c, vstate);
}

/* The reuse test finds out whether a variant keeps results of inputs that it has seen. It adds rounds whose times are
 * not kept. The order of the variants must change in these rounds, so that a variant does not always follow the same
 * one. */
static void rounds_of_evidence_are_shuffled(void) {
  enum { COUNT = 3, TRIES = 20 };
  uint32_t pairs = 0;
  for (int tries = 0; tries < TRIES && pairs <= COUNT; tries++) { /* a busy machine may have time for few such rounds */
    bool follows[COUNT][COUNT] = {{false}};
    struct contest *contest = contest_open(&contest_bench, NULL);
    for (int i = 0; i < COUNT; i++)
      contest_add(contest, GOOD)->run = notes_its_call;
    calls.contest = contest;
    contest_measure(contest);
    /* the first calls are left out: they still belong to the round of the last slot that was kept */
    for (size_t i = COUNT + 1; i < calls.count; i++)
      follows[calls.places[i - 1]][calls.places[i]] = true;
    pairs = 0;
    for (int i = 0; i < COUNT; i++)
      for (int j = 0; j < COUNT; j++)
        pairs += follows[i][j];
    contest_close(contest);
  }
  ASSERT_TRUE(pairs > COUNT);
}

static struct device_ops resting_ops;

static void resting_conditions(struct device *device, struct device_conditions *conditions) {
  device_cpu_ops.conditions(device, conditions);
  conditions->power_limit_w = 100;
}

/* The state of order_next(), which orders the slots of two rounds one after another. In the second round the device is
 * at its power limit from slot `hot_at` on. */
static struct { uint32_t given, hot_at, kept_from; } orders;

static void order_next(void *user, const struct ready_message *ready, struct order_message *order) {
  enum { COUNT = 3, ROUNDS = 2 };
  (void)user;
  *order = (struct order_message){.kind = ready->ready_for, .slot_least = ready->slot_least};
  if (ready->ready_for != READY_SLOT) return;
  orders.kept_from = ready->kept_from;
  if (orders.given == COUNT * ROUNDS) order->kind = ORDER_END;
  order->variant = order->position = orders.given % COUNT;
  order->round = orders.given / COUNT;
  order->opens = order->variant == 0;
  order->closes = order->variant == COUNT - 1;
  order->reason = STOP_PRECISION;
  order->kept_from = ready->kept_from;
  order->pace.most_w = orders.given == COUNT + orders.hot_at ? 200 : 0;
  order->pace.cooldown = orders.given > COUNT + orders.hot_at ? 4 : 0;
  orders.given++;
}

/* If cooldowns (pauses between slots) begin in the middle of a round, the slots that came earlier in this round are
 * discarded. Results are kept from the next round on (`kept_from`). The reuse test must end on such a device, too. */
static void a_round_that_lost_slots_does_not_count(void) {
  for (uint32_t at = 0; at < 3; at++) {
    struct contest *contest = contest_open(&contest_bench, NULL);
    resting_ops = device_cpu_ops;
    resting_ops.conditions = resting_conditions;
    contest->bed.device->ops = &resting_ops;
    contest->bed.device->facts.traits |= DEVICE_RESTS;
    contest->request.ordered = 1;
    contest->request.company = 3;
    contest->request.case_time_s = 100;
    for (int i = 0; i < 3; i++)
      contest_add(contest, GOOD);
    orders.given = orders.kept_from = 0;
    orders.hot_at = at;
    contest_await = order_next;
    contest_measure(contest);
    contest_await = NULL;
    ASSERT_EQ_INT(orders.kept_from, at == 0 ? 1 : 2);
    contest_close(contest);
  }
}

/* ---- Reports ---- */

enum { PREPARE_MS = 20, COMPILE_MS = 30 };

static gb_status sleeps_and_prepares(const gb_variant *self, gb_case *c, void **vstate) {
  usleep(PREPARE_MS * 1000);
  return contest_prepare(self, c, vstate);
}

/* A run that takes COMPILE_MS more in its first call, as with a compiler that works on demand. */
static gb_status compiles_and_runs(const gb_variant *self, gb_case *c, void *vstate) {
  const struct part *part = (const struct part *)self->user;
  if (tally.run[part->place] == 0) usleep(COMPILE_MS * 1000);
  return contest_run(self, c, vstate);
}

static void start_takes_time(const char *device, bool verify_only) {
  struct contest *k = contest_open(&contest_bench, device);
  gb_variant *const both = contest_add(k, GOOD), *const lazy = contest_add(k, GOOD), *fails = contest_add(k, SKIPS);
  k->request.verify_only = verify_only;
  both->prepare = fails->prepare = sleeps_and_prepares;
  both->run = lazy->run = compiles_and_runs;
  contest_measure(k);
  status_is(k, 0, ROW_OK, "");
  status_is(k, 1, ROW_OK, "");
  ASSERT_TRUE(k->reports[0].figures.prepare_s >= (PREPARE_MS + COMPILE_MS) * 1e-3);
  ASSERT_TRUE(k->reports[1].figures.prepare_s >= COMPILE_MS * 1e-3);
  ASSERT_TRUE(isnan(k->reports[2].figures.prepare_s)); /* NaN, because the variant never ran */
  contest_close(k);
}

static void prepare_and_the_first_call_are_timed(void) {
  start_takes_time(NULL, false);
  start_takes_time(NULL, true);
  start_takes_time(script, false);
}

static void one_of_each(const char *device) {
  struct contest *k = contest_open(&contest_bench, device);
  for (int b = GOOD; b <= FAILS_LATER; b++)
    if (b != NEEDS_MEMORY) contest_add(k, (enum behaviour)b);
  contest_measure(k);
  ASSERT_EQ_INT(k->rc, 0);
  ASSERT_EQ_STR(k->err.text, "");
  ASSERT_EQ_INT(k->culprit, UINT32_MAX);
  status_is(k, 0, ROW_OK, "");
  ASSERT_EQ_INT(k->reports[1].status, ROW_WRONG);
  ASSERT_HAS(k->reports[1].message, "worst [3] is -1, expected ");
  status_is(k, 2, ROW_SKIPPED, "not on a Tuesday");
  status_is(k, 3, ROW_ERROR, "prepare: no plan");
  status_is(k, 4, ROW_ERROR, "prepare: bench 'double' has no axis 'nowhere'");
  status_is(k, 5, ROW_ERROR, "run: stuck after 1");
  status_is(k, 6, ROW_ERROR, "run: run returned an error (-5) without a message: a bug in the plugin");
  status_is(k, 7, ROW_ERROR, "run: stuck after 5");
  /* no verification found the error of the last one, which comes in a timed slot */
  for (uint32_t i = 0; i < 8; i++)
    ASSERT_EQ_INT(k->reports[i].verifications, i == 1 ? 1 : 0);
  balanced(k);
  contest_close(k);
}

/* The values of a yardstick (a row for comparison only, such as a plain copy) are not compared, but it must write all
 * of them. */
static void a_yardstick_is_not_compared(void) {
  struct contest *k = contest_open(&contest_bench, NULL);
  contest_add(k, GOOD);
  contest_add(k, WRONG)->flags = GB_VARIANT_YARDSTICK;
  contest_add(k, SILENT)->flags = GB_VARIANT_YARDSTICK;
  contest_add(k, WRITES_AND_FAILS)->flags = GB_VARIANT_YARDSTICK;
  contest_measure(k);
  ASSERT_EQ_INT(k->rc, 0);
  status_is(k, 0, ROW_OK, "");
  status_is(k, 1, ROW_OK, "");
  ASSERT_TRUE(isnan(k->reports[1].figures.error) && isnan(k->reports[1].figures.tolerance));
  ASSERT_EQ_INT(k->reports[2].status, ROW_WRONG);
  ASSERT_HAS(k->reports[2].message, "left 256 of 256 elements of 'y' unwritten");
  status_is(k, 3, ROW_ERROR, "run: oops");
  contest_close(k);
}

static void every_status_is_reported(void) {
  one_of_each(NULL);
  one_of_each(script);
}

static void errors_and_work_are_reported(void) {
  struct contest *k = contest_open(&contest_bench, script);
  contest_add(k, GOOD);
  contest_add(k, WRONG);
  contest_measure(k);
  ASSERT_NEAR(k->reports[0].figures.error, 0, 0);
  ASSERT_TRUE(k->reports[0].figures.tolerance > 0 && k->reports[0].figures.tolerance < 1e-5);
  ASSERT_TRUE(k->reports[1].figures.error > k->reports[1].figures.tolerance);
  ASSERT_EQ_STR(k->reports[0].figures.math, "fp32");
  ASSERT_EQ_INT(k->reports[0].figures.extra_bytes, CONTEST_N * sizeof(double));
  ASSERT_EQ_INT(k->report.flops, CONTEST_N);
  ASSERT_EQ_INT(k->report.bytes_read + k->report.bytes_written, 8 * CONTEST_N);
  ASSERT_EQ_INT(k->report.items, 2);
  ASSERT_EQ_STR(k->report.item_unit, "halves");
  ASSERT_EQ_INT(k->report.tensor_bytes, 8 * CONTEST_N);
  ASSERT_TRUE(k->report.seconds_setup > 0 && k->report.seconds_verify > 0 && k->report.seconds_sampling > 0);
  contest_close(k);
}

static void native_math_is_resolved(void) {
  struct contest *k = contest_open(&contest_bench, script);
  contest_add(k, GOOD)->math = "native";
  contest_measure(k);
  status_is(k, 0, ROW_OK, "");
  ASSERT_EQ_STR(k->reports[0].figures.math, "fp32");
  contest_close(k);
}

static void too_little_memory_skips(void) {
  struct contest *k = contest_open(&contest_bench, script);
  contest_add(k, NEEDS_MEMORY);
  contest_add(k, GOOD);
  contest_measure(k);
  ASSERT_EQ_INT(k->reports[0].status, ROW_SKIPPED);
  ASSERT_HAS(k->reports[0].message, "needs 1.1 PB, ");
  ASSERT_HAS(k->reports[0].message, " free");
  status_is(k, 1, ROW_OK, "");
  balanced(k);
  contest_close(k);
}

/* Damage by one variant is repaired before the next one is judged, even if the first one failed. */
static void damage_is_not_laid_at_the_next_door(void) {
  struct contest *k = contest_open(&contest_bench, script);
  contest_add(k, WRITES_AND_FAILS);
  contest_add(k, GOOD);
  contest_measure(k);
  status_is(k, 0, ROW_ERROR, "run: oops");
  status_is(k, 1, ROW_OK, "");
  contest_close(k);
}

static void the_second_pass_finds_what_came_later(void) {
  struct contest *k = contest_open(&contest_bench, script);
  contest_add(k, WRONG_LATER);
  contest_add(k, GOOD);
  contest_measure(k);
  ASSERT_EQ_INT(k->reports[0].status, ROW_WRONG);
  status_is(k, 1, ROW_OK, "");
  ASSERT_TRUE(tally.reference >= 2);
  balanced(k);
  contest_close(k);
}

/* ---- Callbacks of the bench ---- */

static gb_status skipping_setup(const gb_bench *self, gb_case *c, void **state) {
  (void)self, (void)state;
  tally.setup++;
  return gb_failf(&gb, c, GB_SKIP, "no such point");
}

static gb_status failing_setup(const gb_bench *self, gb_case *c, void **state) {
  (void)self, (void)state;
  tally.setup++;
  return gb_failf(&gb, c, GB_EFAIL, "no tables");
}

/* This setup ignores an error after it has allocated memory. Its teardown must be called nevertheless. */
static gb_status careless_setup(const gb_bench *self, gb_case *c, void **state) {
  gb_status status = contest_setup(self, c, state);
  gb.point->i64(c, "nowhere");
  return status;
}

static gb_status huge_setup(const gb_bench *self, gb_case *c, void **state) {
  static const int64_t n = INT64_C(1) << 47;
  const gb_tensor x = bed_tensor("huge", GB_SCRATCH, GB_DTYPE_F32, &n);
  gb_status status = contest_setup(self, c, state);
  return status == GB_OK ? gb.tensor->declare(c, &x) : status;
}

static void setup_ends(gb_status (*setup)(const gb_bench *, gb_case *, void **), enum row_status status,
                       const char *message, int teardowns) {
  gb_bench bench = contest_bench;
  bench.setup = setup;
  struct contest *k = contest_open(&bench, script);
  contest_add(k, GOOD);
  contest_add(k, GOOD);
  contest_measure(k);
  ASSERT_EQ_INT(k->rc, 0);
  for (uint32_t i = 0; i < 2; i++) {
    ASSERT_EQ_INT(k->reports[i].status, status);
    ASSERT_HAS(k->reports[i].message, message);
    ASSERT_EQ_INT(tally.prepare[i], 0);
  }
  ASSERT_EQ_INT(tally.teardown, teardowns);
  ASSERT_EQ_INT(tally.reference, 0);
  ASSERT_EQ_INT(k->slot_count, 0);
  ASSERT_EQ_INT(k->bed.c->allocation_count, 0);
  contest_close(k);
}

static void setup_ends_for_all(void) {
  setup_ends(skipping_setup, ROW_SKIPPED, "setup: no such point", 0);
  setup_ends(failing_setup, ROW_ERROR, "setup: no tables", 0);
  setup_ends(careless_setup, ROW_ERROR, "setup: bench 'double' has no axis 'nowhere'", 1);
  setup_ends(huge_setup, ROW_SKIPPED, "tensors: needs 563 TB, ", 1);
}

static gb_status failing_reference(const gb_bench *self, gb_case *c, void *state) {
  (void)self, (void)state;
  return ++tally.reference == 2 ? gb_failf(&gb, c, GB_EFAIL, "no idea") : contest_reference(self, c, state);
}

static gb_status empty_reference(const gb_bench *self, gb_case *c, void *state) {
  (void)self, (void)c, (void)state;
  return GB_OK;
}

/* A `verify` that rejects the outputs of the second variant that runs. */
static gb_status strict_verify(const gb_bench *self, gb_case *c, void *state) {
  (void)self, (void)state;
  return ++tally.verify == 2 ? gb_failf(&gb, c, GB_EFAIL, "rows do not sum to 1") : GB_OK;
}

static void references_that_fail_end_the_case(void) {
  gb_bench bench = contest_bench;
  bench.reference = failing_reference;
  struct contest *k = contest_open(&bench, script);
  contest_add(k, GOOD);
  contest_add(k, WRONG);
  contest_add(k, GOOD);
  k->request.verify_only = 1;
  tally.reference = 1;
  contest_measure(k);
  /* the reports of all variants say that the bench has failed */
  for (uint32_t i = 0; i < 3; i++) {
    status_is(k, i, ROW_ERROR, "reference: no idea");
    ASSERT_EQ_INT(k->reports[i].of_bench, 1);
  }
  balanced(k);
  contest_close(k);
}

static void something_must_be_checked(void) {
  gb_bench bench = contest_bench;
  bench.reference = empty_reference;
  struct contest *k = contest_open(&bench, script);
  contest_add(k, GOOD);
  contest_measure(k);
  status_is(k, 0, ROW_ERROR, "nothing was checked: the bench has no verify and its reference expects nothing");
  balanced(k);
  contest_close(k);
}

static void verify_judges_after_the_comparison(void) {
  gb_bench bench = contest_bench;
  bench.verify = strict_verify;
  struct contest *k = contest_open(&bench, script);
  contest_add(k, WRONG); /* is found wrong before `verify` is called */
  contest_add(k, GOOD);
  contest_add(k, GOOD);
  contest_measure(k);
  ASSERT_EQ_INT(k->reports[0].status, ROW_WRONG);
  status_is(k, 1, ROW_OK, "");
  status_is(k, 2, ROW_WRONG, "rows do not sum to 1");
  ASSERT_TRUE(tally.verify >= 3);
  balanced(k);
  contest_close(k);
}

/* ---- Rounds ---- */

/* Checks that every remaining variant has one slot in every round, and that rounds do not overlap. */
static void in_rounds(const struct contest *k, uint32_t living) {
  uint32_t round = 0, seen = 0;
  for (size_t i = 0; i < k->slot_count; i++) {
    if (seen == living) {
      round++;
      seen = 0;
    }
    if (k->slots[i].round != round) UNIT_FAIL("slot %zu is of round %u, not %u", i, k->slots[i].round, round);
    for (size_t j = i - seen; j < i; j++)
      if (k->slots[j].variant == k->slots[i].variant) UNIT_FAIL("two slots of one variant in round %u", round);
    if (k->slots[i].count < 1 || k->slots[i].count > SLOT_SAMPLES_MAX) UNIT_FAIL("%u samples", k->slots[i].count);
    seen++;
  }
  ASSERT_EQ_INT(seen, living);
  ASSERT_EQ_INT(round + 1, k->report.rounds);
}

static void slots_come_in_rounds(void) {
  struct contest *k = contest_open(&contest_bench, script);
  contest_add(k, GOOD);
  contest_add(k, SKIPS);
  contest_add(k, GOOD);
  contest_add(k, WRONG);
  contest_add(k, CACHES)->flags = GB_VARIANT_DERIVED;
  contest_measure(k);
  in_rounds(k, 3);
  ASSERT_EQ_INT(k->slots[0].count, 50); /* at 50 us each, the most samples that a slot can have */
  bool shuffled = false;
  for (size_t i = 3; i < k->slot_count; i++)
    shuffled = shuffled || k->slots[i].variant != k->slots[i % 3].variant;
  ASSERT_TRUE(shuffled);
  for (size_t i = 0; i < k->slot_count; i++)
    ASSERT_TRUE(k->slots[i].variant != 1 && k->slots[i].variant != 3);
  contest_close(k);
}

static void one_that_fails_leaves_the_rounds(void) {
  struct contest *k = contest_open(&contest_bench, script);
  contest_add(k, GOOD);
  contest_add(k, FAILS_LATER);
  contest_measure(k);
  size_t good = 0, failing = 0;
  for (size_t i = 0; i < k->slot_count; i++)
    k->slots[i].variant == 0 ? good++ : failing++;
  ASSERT_EQ_INT(good, k->report.rounds);
  ASSERT_TRUE(failing < 6 && failing < k->report.rounds); /* the other one continues */
  status_is(k, 0, ROW_OK, "");
  contest_close(k);
}

/* ---- Ends of a case ---- */

/* Measures two variants with these baselines several times, each time until the medians are precise, and the ratio of
 * the two if they are compared. Returns the number of rounds. */
static uint32_t rounds_with(const struct denominator first, const struct denominator second) {
  enum { CONTESTS = 10 };
  uint32_t rounds = 0;
  for (uint32_t i = 0; i < CONTESTS; i++) {
    struct contest *k = contest_open(&contest_bench, noisy);
    contest_add(k, GOOD);
    contest_add(k, GOOD);
    k->request.variants[0].against = first;
    k->request.variants[1].against = second;
    k->request.precision = 0.005;
    k->request.case_time_s = 60;
    k->request.order_seed = i;
    contest_measure(k);
    rounds += k->report.rounds;
    ASSERT_EQ_STR(stop_reason_name((enum stop_reason)k->report.stop_reason), "precision");
    contest_close(k);
  }
  return rounds;
}

static void each_ratio_is_waited_for(void) {
  const struct denominator none = {0, 0}, common = {1, 0}, twin = {0, 1}, nobody = {0, 9};
  uint32_t alone = rounds_with(none, none), compared = rounds_with(common, none);
  ASSERT_TRUE(compared > alone);
  ASSERT_EQ_INT(rounds_with(twin, twin), compared);
  ASSERT_TRUE(rounds_with(common, common) > alone); /* more rounds are needed, whichever baseline is chosen */
  /* its twin (the same variant of another build) is missing, and no other variant replaces it */
  ASSERT_EQ_INT(rounds_with(common, nobody), alone);
}

static void stops_when_precise(void) {
  struct contest *k = contest_open(&contest_bench, script);
  contest_add(k, GOOD);
  contest_add(k, GOOD);
  k->request.variants[0].against.common = 1;
  k->request.precision = 0.01;
  k->request.case_time_s = 60;
  contest_measure(k);
  ASSERT_EQ_STR(stop_reason_name((enum stop_reason)k->report.stop_reason), "precision");
  /* 12 or 18 rounds, and one more in which outputs are verified */
  ASSERT_TRUE(k->report.rounds == 13 || k->report.rounds == 19);
  in_rounds(k, 2);
  contest_close(k);
}

static void stops_when_the_time_is_over(void) {
  struct contest *k = contest_open(&contest_bench, script);
  contest_add(k, GOOD);
  k->request.precision = 1e-9; /* finer than the clock allows, so 20 ns (0.04% here) are demanded instead */
  k->request.case_time_s = 1e-6;
  contest_measure(k);
  ASSERT_EQ_STR(stop_reason_name((enum stop_reason)k->report.stop_reason), "case_time");
  ASSERT_EQ_INT(k->report.rounds, 4); /* at least three rounds are needed, and one more verifies */
  status_is(k, 0, ROW_OK, "");
  contest_close(k);
}

static void verifies_only(void) {
  struct contest *k = contest_open(&contest_bench, NULL);
  contest_add(k, GOOD);
  contest_add(k, WRONG);
  k->request.verify_only = 1;
  contest_measure(k);
  ASSERT_EQ_STR(stop_reason_name((enum stop_reason)k->report.stop_reason), "verify_only");
  ASSERT_EQ_INT(k->slot_count, 0);
  ASSERT_EQ_INT(tally.reference, 1);
  ASSERT_EQ_INT(tally.run[0], 1);
  ASSERT_EQ_INT(tally.run[1], 1);
  status_is(k, 0, ROW_OK, "");
  ASSERT_EQ_INT(k->reports[1].status, ROW_WRONG);
  balanced(k);
  contest_close(k);
}

static void stopping_finishes_the_round(void) {
  for (uint32_t at = 4; at <= 6; at++) {
    struct contest *k = contest_open(&contest_bench, script);
    for (int i = 0; i < 3; i++)
      contest_add(k, GOOD);
    k->request.case_time_s = 60;
    k->stop_at = at;
    contest_measure(k);
    ASSERT_EQ_STR(stop_reason_name((enum stop_reason)k->report.stop_reason), "interrupted");
    ASSERT_EQ_INT(k->slot_count, 6);
    in_rounds(k, 3);
    balanced(k);
    contest_close(k);
  }
}

static void stopping_before_the_first_round(void) {
  struct contest *k = contest_open(&contest_bench, NULL);
  contest_add(k, GOOD);
  atomic_store(&k->bed.page.stop, 1);
  contest_measure(k);
  ASSERT_EQ_STR(stop_reason_name((enum stop_reason)k->report.stop_reason), "interrupted");
  ASSERT_EQ_INT(k->slot_count, 0); /* in particular there is no slot without samples */
  ASSERT_EQ_INT(k->report.rounds, 0);
  balanced(k);
  contest_close(k);
}

/* ---- State derived from inputs, and changes in place ---- */

static void derived_state_is_prepared_again(void) {
  struct contest *k = contest_open(&contest_bench, script);
  contest_add(k, CACHES)->flags = GB_VARIANT_DERIVED;
  contest_add(k, CACHES); /* without the flag */
  contest_add(k, GOOD);
  contest_measure(k);
  status_is(k, 0, ROW_OK, "");
  ASSERT_EQ_INT(k->reports[1].status, ROW_WRONG);
  status_is(k, 2, ROW_OK, "");
  ASSERT_TRUE(tally.prepare[0] > 1); /* prepared again after each fill of the inputs */
  ASSERT_EQ_INT(tally.prepare[1], 1);
  ASSERT_EQ_INT(tally.prepare[2], 1);
  balanced(k);
  contest_close(k);
}

static gb_variant *add_derived(struct contest *k, enum behaviour behaviour) {
  gb_variant *v = contest_add(k, behaviour);
  v->flags = GB_VARIANT_DERIVED;
  v->refresh = contest_refresh;
  return v;
}

static void derived_state_is_refreshed(void) {
  struct contest *k = contest_open(&contest_bench, script);
  add_derived(k, CACHES);
  add_derived(k, CACHES)->refresh = NULL;
  add_derived(k, FAILS_REFRESH);
  add_derived(k, ALLOCATES_LATE);
  contest_measure(k);
  status_is(k, 0, ROW_OK, "");
  status_is(k, 1, ROW_OK, "");
  status_is(k, 2, ROW_ERROR, "refresh: no more");
  status_is(k, 3, ROW_ERROR, "refresh: gb.mem/1 alloc is for setup and prepare, not refresh");
  ASSERT_EQ_INT(tally.prepare[0], 1);
  ASSERT_TRUE(tally.refresh[0] > 1);
  ASSERT_TRUE(tally.prepare[1] > 1); /* prepare replaces a missing refresh */
  ASSERT_EQ_INT(tally.refresh[2], 1);
  balanced(k);
  contest_close(k);
}

/* ---- Modes, launch overhead, trajectories ---- */

static void batches_hold_many_iterations(void) {
  struct contest *k = contest_open(&contest_bench, script);
  k->request.mode.timing = TIMING_HOT;
  k->request.precision = 1e-5; /* the clock's step of 10 ns is 20 times too coarse for 50 us, so a batch has 20 calls */
  contest_add(k, GOOD);
  contest_measure(k);
  status_is(k, 0, ROW_OK, "");
  ASSERT_TRUE(k->report.rounds >= 3);
  contest_close(k);
}

static void modes_that_a_case_cannot_have(void) {
  static const struct {
    enum timing timing;
    uint32_t flags;
    const char *why;
  } rows[] = {
      {TIMING_GRAPH, 0, "mode graph: the device has no graphs to capture and replay"},
      {TIMING_LATENCY_GRAPH, 0, "mode latency-graph: the device has no graphs to capture and replay"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    struct contest *k = contest_open(&contest_bench, script);
    k->request.mode.timing = rows[i].timing;
    contest_add(k, GOOD)->flags = rows[i].flags;
    contest_measure(k);
    status_is(k, 0, ROW_SKIPPED, rows[i].why);
    balanced(k);
    contest_close(k);
  }
}

static void the_overhead_is_reported(void) {
  char path[64] = "/tmp/gpubench-launch-XXXXXX";
  static const char text[] = "[device]\nlaunch_overhead_ns = 700\nlaunch_overhead_unc_ns = 40\n[*]\nns = 50000\n";
  int fd = mkstemp(path);
  ASSERT_EQ_INT(write(fd, text, sizeof text - 1), sizeof text - 1);
  close(fd);
  for (uint32_t quick = 0; quick < 2; quick++) {
    struct contest *k = contest_open(&contest_bench, path);
    k->request.quick = quick;
    contest_add(k, GOOD);
    contest_measure(k);
    ASSERT_NEAR(k->report.launch_overhead_ns, 700, 0);
    /* the uncertainty is half the difference between the two kinds of empty launches that the device has */
    ASSERT_NEAR(k->report.launch_overhead_unc_ns, 40, 1e-9);
    contest_close(k);
  }
  unlink(path);
}

static void a_trajectory_is_one_slot(void) {
  struct contest *k = contest_open(&contest_bench, script);
  k->request.mode.timing = TIMING_LATENCY;
  k->request.trajectory = 130;
  contest_add(k, GOOD);
  contest_measure(k);
  status_is(k, 0, ROW_OK, "");
  uint32_t in_first = 0;
  for (size_t i = 0; i < k->slot_count; i++) {
    ASSERT_TRUE(k->slots[i].count <= SLOT_SAMPLES_MAX);
    if (k->slots[i].round == 0) in_first += k->slots[i].count;
  }
  ASSERT_EQ_INT(in_first, 130); /* in several portions */
  ASSERT_TRUE(!isnan(k->reports[0].figures.leak_bytes_per_call));
  contest_close(k);
}

static gb_status inout_setup(const gb_bench *self, gb_case *c, void **state) {
  static const int64_t n = CONTEST_N;
  const gb_tensor z = bed_tensor("z", GB_INOUT, GB_DTYPE_F32, &n);
  (void)self;
  tally.setup++;
  *state = &tally;
  return gb.tensor->declare(c, &z);
}

static gb_status inout_reference(const gb_bench *self, gb_case *c, void *state) {
  double values[CONTEST_N];
  (void)self, (void)state;
  gb.tensor->input(c, "z", 0, CONTEST_N, values);
  for (int i = 0; i < CONTEST_N; i++)
    values[i] *= 2;
  return gb.tensor->expect(c, "z", 0, CONTEST_N, values);
}

static gb_status inout_run(const gb_variant *self, gb_case *c, void *vstate) {
  float *z = (float *)gb.tensor->data(c, "z");
  (void)vstate;
  tally.run[((const struct part *)self->user)->place]++;
  for (int i = 0; i < CONTEST_N; i++) {
    tally.changed += !(z[i] >= 1 && z[i] < 2); /* as it was filled */
    z[i] *= 2;
  }
  return GB_OK;
}

static void inout_is_restored_before_every_run(void) {
  gb_bench bench = contest_bench;
  bench.setup = inout_setup;
  bench.reference = inout_reference;
  static const char *const devices[] = {NULL, script};
  for (int d = 0; d < 2; d++) {
    struct contest *k = contest_open(&bench, devices[d]);
    for (int i = 0; i < 2; i++) {
      gb_variant *v = contest_add(k, GOOD);
      v->prepare = NULL, v->release = NULL, v->run = inout_run;
    }
    contest_measure(k);
    status_is(k, 0, ROW_OK, "");
    status_is(k, 1, ROW_OK, "");
    ASSERT_EQ_INT(tally.changed, 0);
    ASSERT_TRUE(tally.run[0] > 5 && tally.run[1] > 5);
    ASSERT_EQ_INT(k->report.tensor_bytes, 8 * CONTEST_N);
    contest_close(k);
  }
}

/* ---- Trajectories (calls that continue from each other's state): each call adds one to z ---- */

static uint64_t farthest; /* largest number of iterations that `verify` was asked about */
static int first_steps;   /* how often `verify` was asked about one iteration */

static gb_status state_setup(const gb_bench *self, gb_case *c, void **state) {
  static const int64_t n = CONTEST_N;
  gb_tensor z = bed_tensor("z", GB_INOUT, GB_DTYPE_I32, &n), s = bed_tensor("s", GB_SCRATCH, GB_DTYPE_I32, &n);
  (void)self;
  tally.setup++;
  *state = &tally;
  z.fill_b = 1000;
  const gb_status status = gb.tensor->declare(c, &z);
  return status == GB_OK ? gb.tensor->declare(c, &s) : status;
}

static gb_status state_reference(const gb_bench *self, gb_case *c, void *state) {
  double values[CONTEST_N];
  (void)self, (void)state;
  gb.tensor->input(c, "z", 0, CONTEST_N, values);
  for (int i = 0; i < CONTEST_N; i++)
    values[i] += 1;
  return gb.tensor->expect(c, "z", 0, CONTEST_N, values);
}

static gb_status state_verify(const gb_bench *self, gb_case *c, void *state) {
  double filled[CONTEST_N], values[CONTEST_N];
  const uint64_t steps = gb.tensor->steps(c);
  (void)self, (void)state;
  farthest = steps > farthest ? steps : farthest;
  first_steps += steps == 1;
  gb.tensor->input(c, "z", 0, CONTEST_N, filled);
  gb.tensor->output(c, "z", 0, CONTEST_N, values);
  for (int i = 0; i < CONTEST_N; i++)
    if (!(fabs(values[i] - filled[i] - (double)steps) < 0.5))
      return gb_failf(&gb, c, GB_EFAIL, "%g after %d steps from %g", values[i], (int)steps, filled[i]);
  return GB_OK;
}

/* Copies the state z to the scratch tensor s, which `run` then changes in the same way. */
static gb_status state_refresh(const gb_variant *self, gb_case *c, void *vstate) {
  (void)vstate;
  tally.refresh[((const struct part *)self->user)->place]++;
  memcpy(gb.tensor->data(c, "s"), gb.tensor->data(c, "z"), CONTEST_N * sizeof(int32_t));
  return GB_OK;
}

static gb_status state_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  tally.prepare[((const struct part *)self->user)->place]++;
  const gb_status status = state_refresh(self, c, *vstate);
  tally.refresh[((const struct part *)self->user)->place] = 0;
  return status;
}

static gb_status state_run(const gb_variant *self, gb_case *c, void *vstate) {
  const struct part *part = (const struct part *)self->user;
  int32_t *z = (int32_t *)gb.tensor->data(c, "z"), *s = (int32_t *)gb.tensor->data(c, "s");
  (void)vstate;
  const int run = ++tally.run[part->place];
  for (int i = 0; i < CONTEST_N; i++) {
    if ((self->flags & GB_VARIANT_DERIVED) != 0) tally.changed += s[i] != z[i];
    z[i] += part->behaviour == WRONG_LATER && run % 2 == 0 ? 0 : 1; /* WRONG_LATER omits every second step */
    s[i] = z[i];
  }
  return GB_OK;
}

static struct contest *state_contest(const gb_bench *bench, const char *device) {
  struct contest *k = contest_open(bench, device);
  farthest = 0;
  first_steps = 0;
  for (int i = 0; i < 2; i++) {
    gb_variant *v = contest_add(k, GOOD);
    v->prepare = i == 0 ? NULL : state_prepare, v->refresh = i == 0 ? NULL : state_refresh;
    v->flags = i == 0 ? 0 : GB_VARIANT_DERIVED;
    v->release = NULL, v->run = state_run;
  }
  return k;
}

static gb_bench state_bench(uint32_t flags) {
  gb_bench bench = contest_bench;
  bench.flags = flags;
  bench.setup = state_setup;
  bench.reference = state_reference;
  bench.verify = state_verify;
  return bench;
}

/* In all modes, each variant's state continues from iteration to iteration, starting with the fill. Scratch tensors
 * keep their contents, and are derived again when the state is reset. */
static void a_state_goes_on(void) {
  static const enum timing timings[] = {TIMING_COLD, TIMING_HOT, TIMING_LATENCY};
  const gb_bench bench = state_bench(GB_BENCH_STATEFUL);
  for (size_t i = 0; i < 2 * sizeof timings / sizeof timings[0]; i++) {
    struct contest *k = state_contest(&bench, i % 2 != 0 ? script : NULL);
    k->request.mode.timing = timings[i / 2];
    contest_measure(k);
    status_is(k, 0, ROW_OK, "");
    status_is(k, 1, ROW_OK, "");
    ASSERT_EQ_INT(tally.changed, 0);
    ASSERT_EQ_INT(tally.prepare[1], 1);
    ASSERT_TRUE(tally.refresh[1] > 5 && first_steps > 2);
    ASSERT_TRUE(farthest >= 1);
    ASSERT_NEAR(k->reports[0].figures.reuse_limit, 0, 0); /* no state occurs twice */
    ASSERT_NEAR(k->reports[0].figures.error, 0, 0); /* the error of the first step; the reference covers no other */
    ASSERT_EQ_INT(k->reports[0].figures.compared, CONTEST_N);
    contest_close(k);
  }
}

/* A variant that is right only in the first step of a trajectory is found wrong. */
static void steps_that_are_left_out_are_found(void) {
  const gb_bench bench = state_bench(GB_BENCH_STATEFUL);
  struct contest *k = state_contest(&bench, NULL);
  k->parts[0].behaviour = WRONG_LATER;
  contest_measure(k);
  ASSERT_EQ_INT(k->reports[0].status, ROW_WRONG);
  status_is(k, 1, ROW_OK, "");
  contest_close(k);
}

static void what_derives_from_a_state_has_a_refresh(void) {
  const gb_bench bench = state_bench(GB_BENCH_STATEFUL);
  struct contest *k = state_contest(&bench, NULL);
  k->tables[1].refresh = NULL;
  contest_measure(k);
  status_is(k, 0, ROW_OK, "");
  status_is(k, 1, ROW_ERROR, "it derives from a state that is put back again and again: it needs `refresh`");
  contest_close(k);
}

static void a_trajectory_of_a_state_is_one(void) {
  const gb_bench bench = state_bench(GB_BENCH_STATEFUL);
  struct contest *k = state_contest(&bench, NULL);
  k->request.trajectory = 130;
  contest_measure(k);
  status_is(k, 0, ROW_OK, "");
  /* the 130 requested calls, and one more if a sample is dropped */
  ASSERT_TRUE(farthest == 130 || farthest == 131);
  contest_close(k);
}

/* Hot mode times batches of calls. If the bench cannot be applied to its own results, its inputs must be reset between
 * calls, so it is skipped in that mode. */
static void batches_take_what_can_be_iterated(void) {
  for (int iterable = 0; iterable < 2; iterable++) {
    gb_bench bench = state_bench(iterable ? GB_BENCH_ITERABLE : 0);
    bench.verify = NULL;
    struct contest *k = state_contest(&bench, NULL);
    k->tables[1].flags = 0, k->tables[1].refresh = NULL;
    k->request.mode.timing = TIMING_HOT;
    contest_measure(k);
    for (uint32_t i = 0; i < 2; i++)
      status_is(k, i, iterable ? ROW_OK : ROW_SKIPPED,
                iterable ? "" : "mode hot: it changes its inputs, which are put back between iterations");
    if (iterable) ASSERT_EQ_INT(k->reports[0].figures.compared, CONTEST_N);
    if (iterable) ASSERT_TRUE(k->reports[0].figures.verified_slots > 0);
    contest_close(k);
  }
}

/* ---- `after` ---- */

static float elsewhere[CONTEST_N];
static int brought, readable; /* how often `after` was called, and how many inputs it could read */

static gb_status remote_run(const gb_variant *self, gb_case *c, void *vstate) {
  const struct part *part = (const struct part *)self->user;
  const float *x = (const float *)gb.tensor->data(c, "x");
  (void)vstate;
  const int run = ++tally.run[part->place];
  for (int i = 0; i < CONTEST_N && part->behaviour != SILENT; i++)
    elsewhere[i] = 2 * x[i];
  if (part->behaviour == WRONG_LATER && run > 5) elsewhere[7] = 0;
  if (part->behaviour == WRITES_AND_FAILS && run > 5) ((float *)gb.tensor->data(c, "x"))[7] = 99;
  return GB_OK;
}

static gb_status bring(const gb_variant *self, gb_case *c, void *vstate) {
  const struct part *part = (const struct part *)self->user;
  const float *x = (const float *)gb.tensor->data(c, "x");
  float *y = (float *)gb.tensor->data(c, "y");
  (void)vstate;
  brought++;
  /* the services answer a guest (a variant of another plugin) as a guest, not as the owner of the bench */
  ASSERT_TRUE(gb.point->math(c) != NULL && gb.point->state(c) == NULL);
  if (part->behaviour == MISUSES) return gb_failf(&gb, c, GB_EFAIL, "the link is down");
  for (int i = 0; i < CONTEST_N; i++) {
    readable += !isnan(x[i]);
    y[i] = part->behaviour == SILENT ? 2 * x[i] : elsewhere[i];
  }
  return GB_OK;
}

static void outputs_are_brought_home(void) {
  static struct plugin guest;
  static const struct {
    enum behaviour behaviour;
    enum row_status status;
    const char *message;
  } rows[] = {{GOOD, ROW_OK, ""},
              {WRONG_LATER, ROW_WRONG, "'y': error"},
              {WRITES_AND_FAILS, ROW_WRONG, "changed its input 'x'"},
              {MISUSES, ROW_ERROR, "after: the link is down"},
              {SILENT, ROW_WRONG, "left 256 of 256 elements of 'y' unwritten"}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    struct contest *k = contest_open(&contest_bench, NULL);
    gb_variant *v = contest_add(k, rows[i].behaviour);
    v->prepare = NULL, v->release = NULL, v->run = remote_run, v->after = bring;
    k->variants[0].plugin = &guest;
    contest_add(k, GOOD);
    brought = readable = 0;
    contest_measure(k);
    ASSERT_EQ_INT(k->reports[0].status, rows[i].status);
    ASSERT_HAS(k->reports[0].message, rows[i].message);
    status_is(k, 1, ROW_OK, "");
    ASSERT_EQ_INT(readable, 0);
    ASSERT_TRUE(brought > 0 && (rows[i].status != ROW_OK || brought < tally.run[0]));
    contest_close(k);
  }
}

/* ---- Inputs filled by the bench ---- */

static int filled;           /* calls of `fill` */
static uint64_t filled_seed; /* seed of the last call */
static enum filler { STEADY, FAILS, FAILS_AGAIN, CHANGES, KEEPS_SILENT } filler;

static gb_status own_setup(const gb_bench *self, gb_case *c, void **state) {
  static const int64_t n = CONTEST_N;
  gb_tensor x = bed_tensor("x", GB_IN, GB_DTYPE_F32, &n), y = bed_tensor("y", GB_OUT, GB_DTYPE_F32, &n);
  (void)self;
  tally.setup++;
  *state = &tally;
  x.fill = GB_FILL_BENCH;
  const gb_status status = gb.tensor->declare(c, &x);
  return status == GB_OK ? gb.tensor->declare(c, &y) : status;
}

/* Fills x from the seed: the first half with one write, the other elements one by one. */
static gb_status own_fill(const gb_bench *self, gb_case *c, void *state) {
  double values[CONTEST_N];
  (void)self;
  ASSERT_TRUE(state == &tally);
  filled++;
  filled_seed = gb.point->seed(c);
  if (filler == FAILS || (filler == FAILS_AGAIN && filled > 1)) return gb_failf(&gb, c, GB_EFAIL, "no weights");
  for (uint64_t i = 0; i < CONTEST_N; i++)
    values[i] = 1 + (double)gb.rng->below(filled_seed + (filler == CHANGES ? (uint64_t)filled : 0), 0, i, 1000) / 1024;
  if (filler == KEEPS_SILENT) return GB_OK;
  gb_status status = gb.input->write(c, "x", 0, CONTEST_N / 2, values);
  for (uint64_t i = CONTEST_N / 2; i < CONTEST_N && status == GB_OK; i++)
    status = gb.input->write(c, "x", i, 1, &values[i]);
  return status;
}

static gb_bench own_bench(void) {
  gb_bench bench = contest_bench;
  bench.setup = own_setup;
  bench.fill = own_fill;
  return bench;
}

/* Between rounds the bench fills its inputs from other seeds, and from the first one again. A variant that computes
 * from a copy of earlier inputs is wrong, unless GB_VARIANT_DERIVED lets the copy be made anew. */
static void benches_fill_their_inputs(void) {
  static const char *const devices[] = {NULL, script};
  for (int d = 0; d < 2; d++) {
    const gb_bench bench = own_bench();
    struct contest *k = contest_open(&bench, devices[d]);
    filled = 0, filler = STEADY;
    contest_add(k, GOOD);
    contest_add(k, CACHES)->flags = GB_VARIANT_DERIVED;
    contest_add(k, CACHES); /* without the flag: its copy is of earlier inputs */
    contest_measure(k);
    status_is(k, 0, ROW_OK, "");
    status_is(k, 1, ROW_OK, "");
    ASSERT_EQ_INT(k->reports[2].status, ROW_WRONG);
    ASSERT_TRUE(filled > 1);
    contest_close(k);
  }
}

static void fills_that_fail(void) {
  static const struct {
    enum filler filler;
    const char *message; /* message of the row; "": the case fails */
  } rows[] = {{FAILS, "fill: no weights"}, {FAILS_AGAIN, ""}, {CHANGES, ""}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const gb_bench bench = own_bench();
    struct contest *k = contest_open(&bench, script);
    filled = 0, filler = rows[i].filler;
    contest_add(k, GOOD);
    contest_measure(k);
    if (rows[i].message[0] != '\0') status_is(k, 0, ROW_ERROR, rows[i].message);
    if (rows[i].filler == FAILS_AGAIN) ASSERT_EQ_STR(k->err.text, "fill: no weights");
    if (rows[i].filler == CHANGES)
      ASSERT_EQ_STR(k->err.text, "fill: 'x' has other values than before for the same seed");
    contest_close(k);
  }
}

static void what_is_not_written_is_zero(void) {
  gb_bench bench = own_bench();
  struct contest *k = contest_open(&bench, script);
  filled = 0, filler = KEEPS_SILENT;
  contest_add(k, GOOD);
  contest_measure(k);
  status_is(k, 0, ROW_OK, "");
  contest_close(k);
  bench.fill = NULL;
  k = contest_open(&bench, script);
  contest_add(k, GOOD);
  contest_measure(k);
  status_is(k, 0, ROW_ERROR, "setup: tensor 'x': fill is GB_FILL_BENCH, and the bench has no `fill`");
  contest_close(k);
}

static gb_status pageable_setup(const gb_bench *self, gb_case *c, void **state) {
  static const int64_t n = CONTEST_N;
  gb_tensor x = bed_tensor("x", GB_IN, GB_DTYPE_F32, &n), y = bed_tensor("y", GB_OUT, GB_DTYPE_F32, &n);
  (void)self;
  tally.setup++;
  *state = &tally;
  x.memory = GB_MEM_HOST, y.memory = GB_MEM_PINNED;
  const gb_status status = gb.tensor->declare(c, &x);
  return status == GB_OK ? gb.tensor->declare(c, &y) : status;
}

/* On a device with a stream, tensors in pageable memory are only for variants that wait until their work is done,
 * because such memory cannot be used in stream order. */
static void pageable_tensors_are_for_who_is_done(void) {
  gb_bench bench = contest_bench;
  bench.setup = pageable_setup;
  for (int d = 0; d < 2; d++) {
    struct contest *k = contest_open(&bench, NULL);
    if (d == 1) k->bed.device->facts.traits |= DEVICE_QUEUES;
    k->request.mode.timing = TIMING_WALL;
    contest_add(k, GOOD);
    contest_add(k, GOOD)->flags = GB_VARIANT_SYNC;
    contest_measure(k);
    status_is(k, 0, d == 0 ? ROW_OK : ROW_SKIPPED,
              d == 0 ? ""
                     : "mode wall: a tensor lies in pageable memory, which has no place in the order of a stream: only "
                       "who is done when it returns can use it");
    status_is(k, 1, ROW_OK, "");
    contest_close(k);
  }
}

/* ---- Device faults ---- */

static int faulty_sync(struct device *device, struct err *err) {
  (void)device;
  return tally.run[1] > 0 ? err_set(err, EXIT_DEVICE, "illegal address") : 0;
}

static void a_device_fault_names_the_culprit(void) {
  struct contest *k = contest_open(&contest_bench, NULL);
  struct device_ops ops = *k->bed.device->ops;
  ops.sync = faulty_sync;
  k->bed.device->ops = &ops;
  for (int i = 0; i < 3; i++)
    contest_add(k, GOOD);
  contest_measure(k);
  ASSERT_EQ_INT(k->rc, -1);
  ASSERT_EQ_STR(k->err.text, "illegal address");
  ASSERT_EQ_INT(k->culprit, 1);
  ASSERT_EQ_INT(k->reported[1], 0); /* no report: the worker reports the device's fault */
  ASSERT_EQ_INT(tally.run[2], 0);
  ASSERT_EQ_INT(tally.teardown, 0);
  contest_close(k);
}

static enum slot_result serial_slot(struct device *device, const struct slot_request *request, double *ns,
                                    struct slot_state *state, struct err *err) {
  if (request->unblocked) return device_cpu_ops.slot(device, request, ns, state, err);
  err_set(err, EXIT_DEVICE, "nothing queued runs");
  return SLOT_SERIAL;
}

static void a_device_that_runs_nothing_queued_blames_nobody(void) {
  struct contest *k = contest_open(&contest_bench, NULL);
  struct device_ops ops = *k->bed.device->ops;
  ops.slot = serial_slot;
  k->bed.device->ops = &ops;
  contest_add(k, GOOD);
  contest_add(k, GOOD);
  contest_measure(k);
  ASSERT_EQ_INT(k->rc, -1);
  ASSERT_EQ_INT(k->err.exit_code, EXIT_DEVICE);
  ASSERT_EQ_STR(k->err.text, "nothing queued runs");
  ASSERT_EQ_INT(k->culprit, UINT32_MAX);
  contest_close(k);
}

static int blank_fill(struct device *device, void *memory, uint64_t elements, const struct fill *fill,
                      struct err *err) {
  (void)device, (void)memory, (void)elements, (void)fill;
  return err_set(err, EXIT_DEVICE, "device lost");
}

static void without_a_culprit_there_is_none(void) {
  struct contest *k = contest_open(&contest_bench, NULL);
  struct device_ops ops = *k->bed.device->ops;
  ops.fill = blank_fill;
  k->bed.device->ops = &ops;
  contest_add(k, GOOD);
  contest_measure(k);
  ASSERT_EQ_INT(k->rc, -1);
  ASSERT_EQ_STR(k->err.text, "device lost");
  ASSERT_EQ_INT(k->culprit, UINT32_MAX);
  contest_close(k);
}

static uint32_t first_timings[2], first_slots; /* of both variants */

static enum slot_result note_timing(struct device *device, const struct slot_request *request, double *ns,
                                    struct slot_state *state, struct err *err) {
  if (first_slots < 2) first_timings[first_slots++] = request->timing;
  return device_cpu_ops.slot(device, request, ns, state, err);
}

/* Work may still be queued on a device when `run` returns. So the first call of a variant is timed like a sample of
 * the mode; in hot mode, whose samples are batches, like a sample of cold mode. */
static void the_first_run_ends_as_the_mode_s_samples_do(void) {
  static const enum timing timings[][2] = {{TIMING_COLD, TIMING_COLD},
                                           {TIMING_HOT, TIMING_COLD},
                                           {TIMING_LATENCY, TIMING_LATENCY},
                                           {TIMING_WALL, TIMING_WALL}};
  for (size_t i = 0; i < sizeof timings / sizeof timings[0]; i++) {
    struct contest *k = contest_open(&contest_bench, NULL);
    struct device_ops ops = *k->bed.device->ops;
    ops.slot = note_timing;
    k->bed.device->ops = &ops;
    first_slots = 0;
    contest_add(k, GOOD);
    contest_add(k, GOOD);
    k->request.mode.timing = timings[i][0];
    contest_measure(k);
    ASSERT_EQ_INT(first_timings[0], timings[i][1]);
    ASSERT_EQ_INT(first_timings[1], timings[i][1]);
    contest_close(k);
  }
}

/* In every mode some calls get new inputs. */
static void each_mode_has_calls_with_new_inputs(void) {
  static const enum timing timings[] = {TIMING_COLD, TIMING_HOT, TIMING_LATENCY, TIMING_WALL};
  for (size_t i = 0; i < sizeof timings / sizeof timings[0]; i++) {
    struct contest *k = contest_open(&contest_bench, NULL);
    contest_add(k, GOOD);
    k->request.mode.timing = timings[i];
    k->request.case_time_s = 2;
    k->request.precision = 1e-6;
    contest_measure(k);
    ASSERT_EQ_INT(k->rc, 0);
    status_is(k, 0, ROW_OK, "");
    ASSERT_TRUE(k->reports[0].fresh_ns > 0 && k->reports[0].fresh_unc_ns >= 0);
    ASSERT_EQ_INT(k->reports[0].unproven & UNPROVEN_BIT(UNPROVEN_REUSE), 0);
    contest_close(k);
  }
}

UNIT_MAIN("measure", UNIT_TEST(writes_script), UNIT_TEST(rounds_of_evidence_are_shuffled),
          UNIT_TEST(a_round_that_lost_slots_does_not_count), UNIT_TEST(each_mode_has_calls_with_new_inputs),
          UNIT_TEST(prepare_and_the_first_call_are_timed), UNIT_TEST(every_status_is_reported),
          UNIT_TEST(a_yardstick_is_not_compared), UNIT_TEST(errors_and_work_are_reported),
          UNIT_TEST(native_math_is_resolved), UNIT_TEST(too_little_memory_skips),
          UNIT_TEST(damage_is_not_laid_at_the_next_door), UNIT_TEST(the_second_pass_finds_what_came_later),
          UNIT_TEST(setup_ends_for_all), UNIT_TEST(references_that_fail_end_the_case),
          UNIT_TEST(something_must_be_checked), UNIT_TEST(verify_judges_after_the_comparison),
          UNIT_TEST(slots_come_in_rounds), UNIT_TEST(one_that_fails_leaves_the_rounds),
          UNIT_TEST(each_ratio_is_waited_for), UNIT_TEST(stops_when_precise), UNIT_TEST(stops_when_the_time_is_over),
          UNIT_TEST(verifies_only), UNIT_TEST(stopping_finishes_the_round), UNIT_TEST(stopping_before_the_first_round),
          UNIT_TEST(derived_state_is_prepared_again), UNIT_TEST(derived_state_is_refreshed),
          UNIT_TEST(batches_hold_many_iterations), UNIT_TEST(modes_that_a_case_cannot_have),
          UNIT_TEST(the_overhead_is_reported), UNIT_TEST(a_trajectory_is_one_slot),
          UNIT_TEST(inout_is_restored_before_every_run), UNIT_TEST(a_state_goes_on),
          UNIT_TEST(steps_that_are_left_out_are_found), UNIT_TEST(what_derives_from_a_state_has_a_refresh),
          UNIT_TEST(a_trajectory_of_a_state_is_one), UNIT_TEST(batches_take_what_can_be_iterated),
          UNIT_TEST(outputs_are_brought_home), UNIT_TEST(benches_fill_their_inputs), UNIT_TEST(fills_that_fail),
          UNIT_TEST(what_is_not_written_is_zero), UNIT_TEST(pageable_tensors_are_for_who_is_done),
          UNIT_TEST(a_device_fault_names_the_culprit), UNIT_TEST(a_device_that_runs_nothing_queued_blames_nobody),
          UNIT_TEST(without_a_culprit_there_is_none), UNIT_TEST(the_first_run_ends_as_the_mode_s_samples_do),
          UNIT_TEST(removes_script))
