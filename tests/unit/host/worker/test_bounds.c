/* Tests that all numbers in the messages of a worker are limited to possible values, whatever bits it sends. */
#include "worker/bounds.h"

#include <math.h>
#include <stdlib.h>

#include "ask/answer.h"
#include "base/memory.h"
#include "base/rng.h"
#include "model/phase.h"
#include "unit.h"

enum { ROUNDS = 400, VARIANTS = 2 };

/* Fills `size` bytes with a pattern: hostile doubles and whole numbers at all places, or random bits. */
static void fill_hostile(void *to, size_t size, uint32_t round) {
  static const double values[] = {1e300, -1e300, INFINITY, -INFINITY, NAN, -1, -0.0, 4.9e-324, 1e19, 2147483648.0};
  static const uint64_t wholes[] = {UINT64_MAX,         INT64_MAX,          (uint64_t)1 << 63,
                                    0x7fffffff7fffffff, 0x8000000080000000, 1};
  enum { VALUES = sizeof values / sizeof values[0], WHOLES = sizeof wholes / sizeof wholes[0] };
  for (size_t i = 0; i < size; i += 8) {
    uint64_t bits = rng_bits(round, i);
    if (round < VALUES) memcpy(&bits, &values[round], sizeof bits);
    if (round >= VALUES && round < VALUES + WHOLES) bits = wholes[round - VALUES];
    if (round >= VALUES + WHOLES && round % 2 == 0) memcpy(&bits, &values[bits % VALUES], sizeof bits);
    memcpy((char *)to + i, &bits, size - i < 8 ? size - i : 8);
  }
}

static bool is_within(double value, double least, double most) {
  return isnan(value) || (value >= least && value <= most);
}

static bool is_known(int64_t value) {
  return value >= -1 && value <= (int64_t)BOUNDS_COUNT;
}

static bool is_printable(const char *text, size_t size) {
  return memchr(text, '\0', size) != NULL && strpbrk(text, "\n\r\t\x1b") == NULL;
}

static void check_report(const struct variant_report *r) {
  const struct variant_figures *f = &r->figures;
  ASSERT_TRUE(r->phase < PHASE_COUNT && r->rule < RULE_COUNT && r->verifications <= VERIFICATIONS_MOST);
  ASSERT_TRUE(r->of_bench <= 1);
  ASSERT_TRUE(r->needs_s >= 0 && r->needs_s <= BOUNDS_S);
  ASSERT_TRUE(is_within(r->fresh_ns, 0, BOUNDS_NS) && is_within(r->fresh_unc_ns, 0, BOUNDS_NS));
  ASSERT_TRUE(is_within(f->reuse_limit, 0, 1) && is_within(f->leak_bytes_per_call, -2e18, 2e18));
  ASSERT_TRUE(is_within(f->prepare_s, 0, BOUNDS_S) && is_within(f->prepare_warm_s, 0, BOUNDS_S));
  ASSERT_TRUE(is_within(f->error, 0, INFINITY) && is_within(f->tolerance, 0, INFINITY));
  ASSERT_TRUE(f->extra_bytes <= BOUNDS_COUNT && f->compared <= BOUNDS_COUNT && f->outputs <= BOUNDS_COUNT);
  ASSERT_TRUE(f->kernels >= -1 && f->verified_slots <= VERIFICATIONS_MOST && f->checked_whole <= 1 && f->precise <= 1);
  ASSERT_TRUE(is_within(r->energy.joules, -BOUNDS_NS, BOUNDS_NS) && is_within(r->energy.idle_w, -BOUNDS_NS, BOUNDS_NS));
  ASSERT_TRUE(is_printable(r->message, sizeof r->message) && is_printable(f->math, sizeof f->math));
  ASSERT_TRUE(is_printable(r->energy.fault, sizeof r->energy.fault));
}

static void check_case(const struct case_report *r) {
  ASSERT_TRUE(r->stop_reason < STOP_REASON_COUNT && r->replicas <= REPLICAS_MOST);
  ASSERT_TRUE(r->flops <= BOUNDS_COUNT && r->bytes_read + r->bytes_written <= 2 * BOUNDS_COUNT);
  ASSERT_TRUE(r->items <= BOUNDS_COUNT && r->tensor_bytes <= BOUNDS_COUNT);
  ASSERT_TRUE(r->seconds_setup >= 0 && r->seconds_setup <= 2 * ROUNDS * BOUNDS_S);
  ASSERT_TRUE(r->cooldown >= 0 && r->cooldown <= BOUNDS_REST && is_within(r->launch_overhead_ns, 0, BOUNDS_NS));
  ASSERT_TRUE(is_within(r->conditions.temperature_c, -BOUNDS_S, BOUNDS_S) && r->conditions.others >= -1);
  ASSERT_TRUE(is_printable(r->conditions.note, sizeof r->conditions.note));
  ASSERT_TRUE(is_printable(r->item_unit, sizeof r->item_unit));
}

static void check_facts(const struct device_facts *f) {
  ASSERT_TRUE(is_known(f->ordinal) && is_known(f->sm_count) && is_known(f->l2_bytes) && is_known(f->memory_bytes));
  ASSERT_TRUE(is_known(f->threads) && is_known(f->ceilings) && is_known(f->compute_capability));
  ASSERT_TRUE(is_known(f->shared_memory_per_block_bytes) && f->tick_ns >= 0 && f->tick_ns <= BOUNDS_S);
  ASSERT_TRUE(is_printable(f->name, sizeof f->name));
}

static void any_bits_are_bounded(void) {
  for (uint32_t round = 0; round < ROUNDS; round++) {
    struct variant_report report;
    struct case_report case_report;
    struct slot_state state;
    struct untimed_message untimed;
    struct device_facts facts;
    fill_hostile(&report, sizeof report, round);
    fill_hostile(&case_report, sizeof case_report, round);
    fill_hostile(&state, sizeof state, round);
    fill_hostile(&untimed, sizeof untimed, round);
    fill_hostile(&facts, sizeof facts, round);
    bounds_report(&report);
    bounds_case(&case_report);
    bounds_state(&state);
    bounds_untimed(&untimed);
    bounds_facts(&facts);
    check_report(&report);
    check_case(&case_report);
    ASSERT_TRUE(case_report.host.seconds >= 0 && case_report.host.seconds <= BOUNDS_S);
    ASSERT_TRUE(is_known(case_report.host.involuntary) && is_known(case_report.host.hot));
    check_facts(&facts);
    ASSERT_TRUE(state.position <= CASE_VARIANTS_MAX && is_within(state.cooldown, 0, BOUNDS_REST));
    ASSERT_TRUE(is_within(state.sm_clock_mhz, 0, BOUNDS_S) && is_within(state.unix_s, 0, BOUNDS_NS));
    ASSERT_TRUE(is_within(untimed.ns, 0, BOUNDS_NS) && untimed.gap_ns >= 0 && untimed.gap_ns <= BOUNDS_NS);
    ASSERT_TRUE(untimed.iterations >= 1 && untimed.slots >= 1 && untimed.slots <= BOUNDS_S);
  }
}

/* Possible values are left as they are, and so are values that mean "unknown". */
static void honest_values_stay(void) {
  struct variant_report report = {
      .status = ROW_WRONG, .phase = PHASE_RUN, .verifications = 12, .needs_s = 3, .fresh_ns = 17, .fresh_unc_ns = NAN};
  report.figures = VARIANT_FIGURES_NONE;
  report.energy = ENERGY_UNKNOWN;
  report.figures.verified_slots = 9;
  struct variant_report report_then = report;
  struct case_report of_case = CASE_REPORT_NONE;
  struct slot_state state = SLOT_STATE_UNKNOWN;
  bounds_report(&report);
  bounds_case(&of_case);
  bounds_state(&state);
  ASSERT_TRUE(memcmp(&report, &report_then, sizeof report) == 0);
  ASSERT_TRUE(isnan(of_case.launch_overhead_ns) && isnan(of_case.host.wanted_s) && of_case.host.involuntary == -1);
  ASSERT_TRUE(isnan(state.cooldown) && isnan(state.power_w));
}

/* ---- The process that receives the messages (the parent) ---- */

static struct plan_variant variants[VARIANTS];
static struct variant_result results[VARIANTS];
static struct plan_case plan_case = {
    .id = "bench", .key = "bench[n=1]", .variants = variants, .variant_count = VARIANTS};
static struct case_result result = {.variants = results, .count = VARIANTS};
static const struct run_case_settings settings;
static struct epoch e;

static void hear(uint32_t type, void *payload, size_t size) {
  answer_take(&e, &(struct message){type, (uint32_t)size, payload});
}

/* Sends a message of the right size with hostile bits. Its first number, the index of the variant in all but MSG_CASE,
 * is valid in most rounds. */
static void hear_hostile(uint32_t type, size_t size, uint32_t round) {
  SCOPED char *payload = xcalloc(size, 1);
  const uint32_t variant = round % VARIANTS;
  fill_hostile(payload, size, round);
  if (round % 5 != 0) memcpy(payload, &variant, sizeof variant);
  if (type == MSG_REPORT && round % 3 != 0)
    ((struct variant_report *)(void *)payload)->status = round % ROW_STATUS_COUNT;
  if (type == MSG_SLOT) ((struct slot_message *)(void *)payload)->count = 1;
  if (type == MSG_SLOT && round % 2 != 0) ((struct slot_message *)(void *)payload)->ns[0] = 5;
  hear(type, payload, size);
}

static void begin_epoch(void) {
  for (size_t i = 0; i < VARIANTS; i++)
    results[i] = VARIANT_RESULT_NONE;
  result.report = (struct case_report){.host = HOST_USAGE_UNKNOWN};
  epoch_init(&e, &plan_case, &settings, &result);
  e.request = xcalloc(1, sizeof *e.request);
  e.request->variant_count = VARIANTS;
  for (uint32_t i = 0; i < VARIANTS; i++)
    e.asked[i] = i;
}

static void end_epoch(void) {
  free(e.request);
  epoch_free(&e);
  for (size_t i = 0; i < VARIANTS; i++) {
    variant_result_drop(&results[i], 0);
    free(results[i].graph);
  }
}

/* The parent takes messages with arbitrary bits. If it calculated with a number that is too large or no number at all,
 * a build with sanitizers would fail here; other builds check the case's report only. */
static void the_parent_takes_any_bits(void) {
  begin_epoch();
  for (uint32_t round = 0; round < ROUNDS; round++) {
    hear_hostile(MSG_REPORT, sizeof(struct variant_report), round);
    hear_hostile(MSG_CASE, sizeof(struct case_report), round);
    hear_hostile(MSG_SLOT, offsetof(struct slot_message, ns) + sizeof(double), round);
    hear_hostile(MSG_UNTIMED, sizeof(struct untimed_message), round);
    hear_hostile(MSG_MARK, sizeof(struct mark_message), round);
    hear_hostile(MSG_GRAPH, sizeof(struct graph_message), round);
    hear_hostile(MSG_NOTES, sizeof(struct notes_message), round);
    hear_hostile(MSG_METRICS, sizeof(struct metrics_message), round);
    hear_hostile(MSG_SPANS, sizeof(struct spans_message), round);
    check_case(&result.report);
    for (size_t i = 0; i < VARIANTS; i++)
      results[i].settled = false;
  }
  end_epoch();
}

/* A worker reports more verifications than a process can make. The number must be limited: larger ones would overflow
 * in verifications_for(), and a sum that wraps around could prevent that the suspect is ever cleared. */
static void verifications_are_bounded(void) {
  static const uint32_t said[] = {2, 1000, VERIFICATIONS_MOST, 1u << 31, UINT32_MAX};
  for (size_t i = 0; i < sizeof said / sizeof said[0]; i++) {
    struct variant_report report = {
        .status = ROW_WRONG, .phase = PHASE_RUN, .verifications = said[i], .message = "wrong"};
    begin_epoch();
    hear(MSG_REPORT, &report, sizeof report);
    ASSERT_TRUE(e.doubts[0].verifications >= said[i] || said[i] > VERIFICATIONS_MOST);
    ASSERT_TRUE(e.doubts[0].verifications <= 3 * VERIFICATIONS_MOST);
    e.kind = EPOCH_ALONE, e.apart = 0;
    report = (struct variant_report){.status = ROW_OK, .figures = VARIANT_FIGURES_NONE};
    report.figures.verified_slots = said[i];
    hear(MSG_REPORT, &report, sizeof report);
    ASSERT_TRUE(e.doubts[0].verified >= (said[i] < VERIFICATIONS_MOST ? said[i] : VERIFICATIONS_MOST));
    end_epoch();
  }
}

UNIT_MAIN("bounds", UNIT_TEST(any_bits_are_bounded), UNIT_TEST(honest_values_stay),
          UNIT_TEST(the_parent_takes_any_bits), UNIT_TEST(verifications_are_bounded))
