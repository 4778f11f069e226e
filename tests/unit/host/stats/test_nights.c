/* Tests the rule that judges the times of nightly runs: in which nights a time is suspect, in which an alarm is raised,
 * and in which all times changed because the machine changed. */
#include "stats/nights.h"

#include <math.h>

#include "base/rng.h"
#include "unit.h"

enum { NIGHTS = 60, SERIES = 6 };

static struct night nights[SERIES][NIGHTS];
static struct nights_series series[SERIES];
static struct night_judgement out[SERIES * NIGHTS];

/* Gives every series (the times of one variant, one for each night) noise of +-0.4%, in which no night is suspect. */
static void quiet(size_t count) {
  for (size_t s = 0; s < SERIES; s++) {
    series[s] = (struct nights_series){.nights = nights[s]};
    for (size_t t = 0; t < count; t++)
      nights[s][t] = (struct night){.ns = 1e5 * (1 + 0.008 * (rng_share(rng_key(s, 1), t) - 0.5)),
                                    .sd = NAN,
                                    .again_ns = NAN,
                                    .confirmed_step = NAN};
  }
}

static void longer(size_t s, size_t from, size_t to, double factor) {
  for (size_t t = from; t < to; t++)
    nights[s][t].ns *= factor;
}

static void confirm(size_t s, size_t t, enum verdict word, double step) {
  nights[s][t].confirmed = word;
  nights[s][t].confirmed_step = step;
}

static const struct night_judgement *of(size_t s, size_t count, size_t t) {
  return &out[s * count + t];
}

static size_t alarms(size_t count) {
  size_t found = 0;
  for (size_t i = 0; i < SERIES * count; i++)
    found += out[i].alarms;
  return found;
}

static void busy(size_t s, size_t t, double factor) {
  nights[s][t].busy_ns = nights[s][t].ns * factor;
  nights[s][t].ns = NAN;
}

/* In night 30 other jobs use the machine. Series 0 takes 1.9 times as long, which other jobs explain: the night counts
 * as missing. Series 1 takes 5 times as long, which they do not explain: it asks for a confirmation (a second
 * measurement), and the confirmed time becomes its usual time. */
static void busy_nights_ask_beyond_contention(void) {
  quiet(40);
  busy(0, 30, 1.9);
  busy(1, 30, 5);
  nights_judge(series, SERIES, 31, out);
  ASSERT_TRUE(!of(0, 31, 30)->asks && of(0, 31, 30)->state == NIGHT_MISSING);
  ASSERT_TRUE(of(1, 31, 30)->asks && of(1, 31, 30)->reference < 30);
  ASSERT_NEAR(of(1, 31, 30)->step, 4, 0.1);
  ASSERT_EQ_INT(alarms(31), 0);
  confirm(1, 30, VERDICT_UNDECIDED, NAN);
  nights_judge(series, SERIES, 31, out);
  ASSERT_TRUE(!of(1, 31, 30)->asks && of(1, 31, 30)->state == NIGHT_MISSING && alarms(31) == 0);
  confirm(1, 30, VERDICT_SLOWER, 2);
  longer(1, 31, 40, 3);
  nights_judge(series, SERIES, 40, out);
  ASSERT_TRUE(of(1, 40, 30)->alarms && of(1, 40, 30)->state == NIGHT_SLOWER && alarms(40) == 1);
  ASSERT_NEAR(of(1, 40, 30)->step, 2, 1e-9);
  ASSERT_EQ_INT(of(1, 40, 39)->state,
                NIGHT_QUIET); /* the usual time is the confirmed one, not the one on the busy machine */
  ASSERT_EQ_INT(of(1, 40, 39)->since, 30);
}

/* In a night in which other jobs use the machine, all series are slow. Only three of them ask for a confirmation (a
 * second measurement). After one of these was undecided, no series asks. */
static void a_load_does_not_ask_for_all(void) {
  size_t asked = 0;
  quiet(31);
  for (size_t s = 0; s < SERIES; s++)
    busy(s, 30, 6);
  nights_judge(series, SERIES, 31, out);
  for (size_t s = 0; s < SERIES; s++)
    asked += of(s, 31, 30)->asks;
  ASSERT_EQ_INT(asked, 3);
  confirm(0, 30, VERDICT_UNDECIDED, NAN);
  nights_judge(series, SERIES, 31, out);
  for (size_t s = 0; s < SERIES; s++)
    ASSERT_TRUE(!of(s, 31, 30)->asks);
}

static void quiet_nights_are_quiet(void) {
  quiet(40);
  nights_judge(series, SERIES, 40, out);
  ASSERT_EQ_INT(alarms(40), 0);
  ASSERT_EQ_INT(of(0, 40, 39)->state, NIGHT_QUIET);
  ASSERT_EQ_INT(of(0, 40, 0)->state, NIGHT_FIRST);
  ASSERT_NEAR(of(0, 40, 39)->centre_ns, 1e5, 300);
  ASSERT_TRUE(of(0, 40, 39)->sd >= NIGHTS_SD_LEAST);
}

static void a_step_asks_and_alarms_once_confirmed(void) {
  quiet(40);
  longer(2, 30, 40, 1.03);
  nights_judge(series, SERIES, 31, out);
  ASSERT_EQ_INT(of(2, 31, 30)->state, NIGHT_SUSPECT_SLOWER);
  ASSERT_TRUE(of(2, 31, 30)->asks && !of(2, 31, 30)->alarms);
  ASSERT_EQ_INT(of(2, 31, 30)->reference, 27);
  confirm(2, 30, VERDICT_SLOWER, 0.03);
  nights_judge(series, SERIES, 40, out);
  ASSERT_EQ_INT(alarms(40), 1);
  ASSERT_TRUE(of(2, 40, 30)->alarms);
  ASSERT_EQ_INT(of(2, 40, 30)->grounds, NIGHT_GROUNDS_CONFIRMED);
  ASSERT_EQ_INT(of(2, 40, 30)->first_bad, 30);
  ASSERT_EQ_INT(of(2, 40, 39)->since, 30);
  ASSERT_NEAR(of(2, 40, 39)->since_step, 0.03, 0.01);
}

static void what_is_confirmed_the_same_is_cleared(void) {
  quiet(40);
  longer(2, 30, 31, 1.05);
  confirm(2, 30, VERDICT_SAME, 0.001);
  nights_judge(series, SERIES, 40, out);
  ASSERT_EQ_INT(of(2, 40, 30)->state, NIGHT_CLEARED);
  ASSERT_EQ_INT(alarms(40), 0);
}

static void without_binaries_two_nights_alarm(void) {
  quiet(40);
  longer(2, 30, 40, 1.03);
  nights_judge(series, SERIES, 40, out);
  ASSERT_EQ_INT(alarms(40), 1);
  ASSERT_TRUE(of(2, 40, 31)->alarms);
  ASSERT_EQ_INT(of(2, 40, 31)->grounds, NIGHT_GROUNDS_TWICE);
  ASSERT_EQ_INT(of(2, 40, 31)->first_bad, 30);
}

static void one_large_step_alarms_where_it_was_measured_twice(void) {
  quiet(40);
  longer(2, 30, 31, 1.10);
  nights_judge(series, SERIES, 31, out);
  ASSERT_EQ_INT(alarms(31), 0);
  nights[2][30].again_ns = 1.1e5;
  nights_judge(series, SERIES, 31, out);
  ASSERT_EQ_INT(of(2, 31, 30)->grounds, NIGHT_GROUNDS_LARGE);
}

static void few_nights_alarm_by_confirmation_alone(void) {
  quiet(10);
  longer(2, 3, 6, 1.10);
  nights_judge(series, SERIES, 6, out);
  ASSERT_EQ_INT(alarms(6), 0);
  ASSERT_TRUE(of(2, 6, 3)->few && of(2, 6, 3)->asks);
  confirm(2, 3, VERDICT_SLOWER, 0.1);
  nights_judge(series, SERIES, 6, out);
  ASSERT_EQ_INT(alarms(6), 1);
}

static void improvements_never_alarm(void) {
  quiet(40);
  longer(2, 30, 40, 0.95);
  nights_judge(series, SERIES, 40, out);
  ASSERT_EQ_INT(alarms(40), 0);
  ASSERT_EQ_INT(of(2, 40, 31)->state, NIGHT_FASTER);
}

static void the_machine_is_one_event(void) {
  quiet(40);
  series[0].yardstick = true;
  for (size_t s = 0; s < SERIES; s++)
    longer(s, 30, 40, 1.04);
  nights_judge(series, SERIES, 40, out);
  ASSERT_EQ_INT(alarms(40), 0);
  ASSERT_EQ_INT(of(3, 40, 30)->state, NIGHT_MACHINE);
  ASSERT_TRUE(!of(3, 40, 30)->asks);
  ASSERT_EQ_INT(of(3, 40, 39)->state, NIGHT_QUIET);
  ASSERT_NEAR(of(3, 40, 39)->machine, 0.04, 0.01);
}

static void a_yardstick_that_stays_says_it_is_the_code(void) {
  quiet(40);
  series[0].yardstick = true;
  for (size_t s = 1; s < SERIES; s++)
    longer(s, 30, 40, 1.04);
  nights_judge(series, SERIES, 40, out);
  ASSERT_EQ_INT(of(3, 40, 30)->state, NIGHT_SUSPECT_SLOWER);
  ASSERT_EQ_INT(alarms(40), SERIES - 1);
}

static void two_levels_of_a_machine_are_known(void) {
  quiet(40);
  for (size_t t = 0; t < 30; t += 5) {
    longer(2, t, t + 2, 1.05);
    confirm(2, t, VERDICT_SAME, 0);
    confirm(2, t + 1, VERDICT_SAME, 0);
  }
  longer(2, 38, 40, 1.05);
  nights_judge(series, SERIES, 40, out);
  ASSERT_EQ_INT(alarms(40), 0);
  ASSERT_EQ_INT(of(2, 40, 39)->state, NIGHT_KNOWN);
}

static void missing_and_accepted_nights(void) {
  quiet(40);
  nights[2][29].ns = NAN;
  longer(2, 30, 40, 1.03);
  nights[2][30].accepted = true;
  nights_judge(series, SERIES, 40, out);
  ASSERT_EQ_INT(of(2, 40, 29)->state, NIGHT_MISSING);
  ASSERT_EQ_INT(alarms(40), 0);
  ASSERT_EQ_INT(of(2, 40, 39)->state, NIGHT_QUIET);
}

static void levels_of_a_series(void) {
  struct nights_segment segments[NIGHTS / 2 + 1];
  quiet(40);
  ASSERT_EQ_INT(nights_segments(nights[0], 40, segments), 1);
  ASSERT_EQ_INT(segments[0].timed, 40);
  longer(0, 10, 11, 1.2); /* a single slow night starts no segment */
  ASSERT_EQ_INT(nights_segments(nights[0], 40, segments), 1);
  nights[0][24].ns = NAN;
  longer(0, 25, 40, 1.03);
  ASSERT_EQ_INT(nights_segments(nights[0], 40, segments), 2);
  ASSERT_EQ_INT(segments[0].last, 23);
  ASSERT_EQ_INT(segments[1].first, 25);
  ASSERT_NEAR(segments[1].step, 0.03, 0.005);
  ASSERT_TRUE(segments[1].confidence > 0.99 && segments[1].earliest <= 25 && segments[1].latest >= 25);
  ASSERT_EQ_INT(nights_segments(nights[0], 1, segments), 1);
  ASSERT_EQ_INT(nights_segments(nights[0], 0, segments), 0);
}

UNIT_MAIN("nights", UNIT_TEST(quiet_nights_are_quiet), UNIT_TEST(busy_nights_ask_beyond_contention),
          UNIT_TEST(a_load_does_not_ask_for_all), UNIT_TEST(a_step_asks_and_alarms_once_confirmed),
          UNIT_TEST(what_is_confirmed_the_same_is_cleared), UNIT_TEST(without_binaries_two_nights_alarm),
          UNIT_TEST(one_large_step_alarms_where_it_was_measured_twice),
          UNIT_TEST(few_nights_alarm_by_confirmation_alone), UNIT_TEST(improvements_never_alarm),
          UNIT_TEST(the_machine_is_one_event), UNIT_TEST(a_yardstick_that_stays_says_it_is_the_code),
          UNIT_TEST(two_levels_of_a_machine_are_known), UNIT_TEST(missing_and_accepted_nights),
          UNIT_TEST(levels_of_a_series))
