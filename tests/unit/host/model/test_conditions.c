/* Tests the names of throttle reasons, and the conditions that a case's slots report. */
#include "model/conditions.h"

#include "stats/stats.h"
#include "unit.h"

static void bits_become_words_and_bits_again(void) {
  uint32_t all = 0;
  for (int i = 0; i < 8; i++) {
    uint32_t bit = UINT32_C(1) << i;
    const struct text text = throttle_text(bit);
    if (throttle_parse(text.text) != bit) UNIT_FAIL("bit %d: '%s' is %x", i, text.text, throttle_parse(text.text));
    all |= bit;
  }
  const struct text text = throttle_text(all);
  ASSERT_EQ_INT(throttle_parse(text.text), all);
  ASSERT_EQ_STR(throttle_text(all | THROTTLE_NONE).text, text.text);
  ASSERT_EQ_STR(throttle_text(THROTTLE_POWER_CAP | THROTTLE_HARDWARE_THERMAL).text,
                "power cap; hardware thermal slowdown");
  ASSERT_EQ_INT(throttle_parse("hardware thermal slowdown"), THROTTLE_HARDWARE_THERMAL); /* not "thermal slowdown" */
  ASSERT_EQ_STR(throttle_text(THROTTLE_NONE).text, "none");
  ASSERT_EQ_INT(throttle_parse("none"), THROTTLE_NONE);
  ASSERT_EQ_STR(throttle_text(0).text, "");
}

static void unknown_words_are_no_bits(void) {
  ASSERT_EQ_INT(throttle_parse(""), 0);
  ASSERT_EQ_INT(throttle_parse(";;; ; "), 0);
  ASSERT_EQ_INT(throttle_parse("power"), 0);
  ASSERT_EQ_INT(throttle_parse("no power cap"), 0);
  ASSERT_EQ_INT(throttle_parse("power cap and more"), 0);
  ASSERT_EQ_INT(throttle_parse("some new cause; power cap ;thermal slowdown"), THROTTLE_THERMAL);
  ASSERT_TRUE(!throttle_slowed(0) && !throttle_slowed(THROTTLE_NONE));
  ASSERT_TRUE(throttle_slowed(THROTTLE_NONE | THROTTLE_RELIABILITY));
}

/* ---- Cases ---- */

enum { ROUNDS = 8 };
static struct slot a[ROUNDS], b[ROUNDS];
static struct case_conditions got;

static void begin(void) {
  for (uint32_t i = 0; i < ROUNDS; i++) {
    a[i] = b[i] = (struct slot){.round = i, .state = SLOT_STATE_UNKNOWN};
    a[i].state.sm_clock_mhz = 1980;
    b[i].state.sm_clock_mhz = 1975;
    a[i].state.throttle = b[i].state.throttle = THROTTLE_NONE;
    a[i].state.temperature_c = 40 + i;
    b[i].state.power_w = 300 + i;
  }
}

static void judge(const struct device_conditions *end, const struct host_usage *host) {
  const struct slot_series both[] = {{a, ROUNDS}, {b, ROUNDS}};
  conditions_of_case(both, 2, end, host, false, &got);
}

static void a_good_case_has_an_empty_note(void) {
  begin();
  judge(NULL, NULL);
  ASSERT_NEAR(got.sm_clock_mhz, 1977.5, 1e-9);
  ASSERT_NEAR(got.temperature_c, 47, 1e-9);
  ASSERT_NEAR(got.power_w, 307, 1e-9);
  ASSERT_NEAR(got.throttled_share, 0, 0);
  ASSERT_NEAR(got.differing_share, 0, 0);
  ASSERT_EQ_INT(got.throttle, THROTTLE_NONE);
  ASSERT_EQ_STR(got.note, "");
  ASSERT_NEAR(conditions_clock(a, ROUNDS), 1980, 1e-9);
  ASSERT_NEAR(conditions_clock(b, 3), 1975, 1e-9);
}

static void throttled_rounds_are_counted_once(void) {
  begin();
  a[2].state.throttle = THROTTLE_POWER_CAP;
  b[2].state.throttle = THROTTLE_POWER_CAP | THROTTLE_THERMAL; /* throttled in the same round as slot 2 of `a` */
  judge(NULL, NULL);
  ASSERT_NEAR(got.throttled_share, 0.125, 1e-12);
  ASSERT_EQ_STR(got.note, "throttled in 12% of rounds: power cap, thermal slowdown");
  a[2].epoch = 1; /* in another process, so these are two rounds */
  judge(NULL, NULL);
  ASSERT_NEAR(got.throttled_share, 2.0 / 9, 1e-12);
  begin();
  for (size_t i = 0; i < ROUNDS; i++)
    a[i].state.throttle = THROTTLE_POWER_CAP;
  judge(NULL, NULL);
  ASSERT_EQ_STR(got.note, "throttled in 100% of rounds: power cap");
}

static void rounds_that_were_not_asked_do_not_count(void) {
  begin();
  for (size_t i = 0; i < ROUNDS; i++)
    a[i].state.throttle = b[i].state.throttle = 0;
  judge(NULL, NULL);
  ASSERT_TRUE(isnan(got.throttled_share)); /* NaN, not 0 */
  ASSERT_EQ_STR(got.note, "");
  a[0].state.throttle = THROTTLE_SYNC_BOOST;
  b[1].state.throttle = THROTTLE_NONE;
  judge(NULL, NULL);
  ASSERT_NEAR(got.throttled_share, 0.5, 1e-12);
  ASSERT_EQ_STR(got.note, "throttled in 50% of rounds: sync boost");
}

static void clocks_apart_are_a_fault_above_a_quarter(void) {
  begin();
  a[0].state.sm_clock_mhz = a[5].state.sm_clock_mhz = 1900;
  judge(NULL, NULL);
  ASSERT_NEAR(got.differing_share, 0.25, 1e-12);
  ASSERT_EQ_STR(got.note, "");
  b[1].state.sm_clock_mhz = 2000.1; /* by more than 1% */
  judge(NULL, NULL);
  ASSERT_NEAR(got.differing_share, 0.375, 1e-12);
  ASSERT_EQ_STR(got.note, "clocks differ");
  b[1].state.sm_clock_mhz = 1999.7; /* by less than 1% */
  judge(NULL, NULL);
  ASSERT_NEAR(got.differing_share, 0.25, 1e-12);
  for (size_t i = 1; i < ROUNDS; i++)
    b[i].state.sm_clock_mhz = NAN; /* only one round is left in which both clocks are known */
  judge(NULL, NULL);
  ASSERT_NEAR(got.differing_share, 1, 0); /* the share refers to the only round in which both clocks are known */
  a[0].round = 77;
  judge(NULL, NULL);
  ASSERT_TRUE(isnan(got.differing_share));
}

static void odd_clocks_do_not_count(void) {
  const double odd[] = {NAN, INFINITY, -INFINITY, 0, -5};
  begin();
  for (size_t i = 0; i < 5; i++)
    a[i].state.sm_clock_mhz = odd[i];
  ASSERT_NEAR(conditions_clock(a, ROUNDS), 1980, 1e-9);
  judge(NULL, NULL);
  ASSERT_NEAR(got.sm_clock_mhz, 1975, 1e-9);
  ASSERT_NEAR(got.differing_share, 0, 0);
  ASSERT_TRUE(isnan(conditions_clock(a, 5)) && isnan(conditions_clock(NULL, 0)));
}

static void the_device_at_the_end_stands_in(void) {
  struct device_conditions end = CONDITIONS_UNKNOWN;
  const struct slot none = {.state = SLOT_STATE_UNKNOWN};
  const struct slot_series one = {&none, 1};
  end.sm_clock_mhz = 1500;
  end.temperature_c = 60;
  end.power_w = 200;
  end.throttle = THROTTLE_POWER_CAP;
  text_copy(end.note, sizeof end.note, "another process on the GPU (1: pid 4711)");
  conditions_of_case(&one, 1, &end, NULL, true, &got);
  ASSERT_NEAR(got.sm_clock_mhz, 1500, 0);
  ASSERT_NEAR(got.temperature_c, 60, 0);
  ASSERT_NEAR(got.power_w, 200, 0);
  ASSERT_TRUE(isnan(got.throttled_share));
  ASSERT_EQ_STR(got.note, "throttled at the end: power cap; another process on the GPU (1: pid 4711)");
  begin();
  judge(&end, NULL);
  ASSERT_NEAR(got.sm_clock_mhz, 1977.5, 0); /* from the slots, not from the reading at the end */
  ASSERT_NEAR(got.temperature_c, 60, 0);    /* the highest value of both sources */
  ASSERT_NEAR(got.power_w, 307, 0);
  ASSERT_EQ_STR(got.note, "another process on the GPU (1: pid 4711)");
}

static void nothing_measured_is_nothing_known(void) {
  conditions_of_case(NULL, 0, NULL, NULL, true, &got);
  ASSERT_TRUE(isnan(got.sm_clock_mhz) && isnan(got.temperature_c) && isnan(got.power_w));
  ASSERT_TRUE(isnan(got.throttled_share) && isnan(got.differing_share) && got.throttle == 0);
  ASSERT_EQ_STR(got.note, "");
  const struct device_conditions unknown = CONDITIONS_UNKNOWN;
  const struct host_usage silent = HOST_USAGE_UNKNOWN;
  conditions_of_case(NULL, 0, &unknown, &silent, true, &got);
  ASSERT_TRUE(isnan(got.sm_clock_mhz) && isnan(got.power_w));
  ASSERT_EQ_STR(got.note, "");
}

static void company_is_noted(void) {
  struct device_conditions end = CONDITIONS_UNKNOWN;
  struct host_usage host = HOST_USAGE_UNKNOWN;
  host.seconds = host.wanted_s = host.own_s = 1;
  judge(&end, &host);
  ASSERT_EQ_INT(got.contended, 0);
  host.others_share = 0.6;
  judge(&end, &host);
  ASSERT_EQ_INT(got.contended, 1);
  conditions_of_case(NULL, 0, &end, &host, true, &got); /* a GPU is not affected by the host's load */
  ASSERT_EQ_INT(got.contended, 0);
  end.others = 1;
  conditions_of_case(NULL, 0, &end, &host, true, &got);
  ASSERT_EQ_INT(got.contended, 1);
}

static void the_host_comes_last(void) {
  struct host_usage host = HOST_USAGE_UNKNOWN;
  host.seconds = host.wanted_s = 1;
  host.steal_share = 0.12;
  begin();
  a[0].state.throttle = THROTTLE_POWER_CAP;
  for (size_t i = 0; i < ROUNDS; i++)
    b[i].state.sm_clock_mhz = 1500;
  judge(NULL, &host);
  ASSERT_EQ_STR(got.note, "throttled in 12% of rounds: power cap; clocks differ; steal 12%");
}

static void restarts_add_up(void) {
  struct host_usage sum = HOST_USAGE_UNKNOWN;
  const struct host_usage one = {1, 2, 0.9, 0.1, 0.2, 0.0, 5, -1}, two = {3, 6, 2.7, 0.5, NAN, 0.4, 7, 2};
  host_usage_add(&sum, &one);
  ASSERT_NEAR(sum.seconds, 1, 0);
  ASSERT_NEAR(sum.steal_share, 0.1, 1e-12);
  ASSERT_EQ_INT(sum.involuntary, 5);
  host_usage_add(&sum, &two);
  ASSERT_NEAR(sum.seconds, 4, 1e-12);
  ASSERT_NEAR(sum.wanted_s, 8, 1e-12);
  ASSERT_NEAR(sum.own_s, 3.6, 1e-12);
  ASSERT_NEAR(sum.steal_share, 0.4, 1e-12);  /* (0.1 x 2 + 0.5 x 6) / 8 */
  ASSERT_NEAR(sum.others_share, 0.2, 1e-12); /* the second record does not have this share */
  ASSERT_NEAR(sum.quota_share, 0.3, 1e-12);
  ASSERT_EQ_INT(sum.involuntary, 12);
  ASSERT_EQ_INT(sum.hot, 2);
  sum.hot = INT64_MAX; /* a worker may send any value */
  host_usage_add(&sum, &two);
  ASSERT_EQ_INT(sum.hot, INT64_MAX);
}

UNIT_MAIN("conditions", UNIT_TEST(bits_become_words_and_bits_again), UNIT_TEST(unknown_words_are_no_bits),
          UNIT_TEST(a_good_case_has_an_empty_note), UNIT_TEST(throttled_rounds_are_counted_once),
          UNIT_TEST(rounds_that_were_not_asked_do_not_count), UNIT_TEST(clocks_apart_are_a_fault_above_a_quarter),
          UNIT_TEST(odd_clocks_do_not_count), UNIT_TEST(the_device_at_the_end_stands_in),
          UNIT_TEST(nothing_measured_is_nothing_known), UNIT_TEST(company_is_noted), UNIT_TEST(the_host_comes_last),
          UNIT_TEST(restarts_add_up))
