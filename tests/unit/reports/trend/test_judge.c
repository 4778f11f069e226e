/* Tests judging the times in the history of nightly runs: which nights look slower, which results are missing, and the
 * verdict on the last night. */
#include "unit.h"

#include "model/proof/unproven.h"
#include "trend/trend.h"

enum { NIGHTS = 12, SERIES = 3 };

static struct history_night nights[NIGHTS];
static struct history_point points[SERIES][NIGHTS];
static struct history_series series[SERIES];
static struct history_data data;
static struct trend trend;
static char empty[] = "", device[] = "GPU", other[] = "other GPU";

/* Makes nights without other jobs for three series, whose times differ by 0.1% between nights. The last series is a
 * yardstick, which only shows whether the machine changed. */
static void quiet(void) {
  static char names[SERIES][2] = {"a", "b", "y"}, days[NIGHTS][24];
  for (size_t t = 0; t < NIGHTS; t++) {
    snprintf(days[t], sizeof days[t], "2026-01-%02zuT00:00:00Z", t + 1);
    nights[t] = (struct history_night){.run_id = days[t],
                                       .started = days[t],
                                       .commit = empty,
                                       .fault = empty,
                                       .verdict = empty,
                                       .sentence = empty,
                                       .drivers = empty,
                                       .clocks = empty,
                                       .hosts = empty,
                                       .uuids = empty,
                                       .rows = SERIES,
                                       .timed = SERIES};
  }
  for (size_t i = 0; i < SERIES; i++) {
    for (size_t t = 0; t < NIGHTS; t++)
      points[i][t] = (struct history_point){.ns = 1000 * (1 + 0.001 * (double)((t * 7 + i) % 3)),
                                            .lo = NAN,
                                            .hi = NAN,
                                            .sd = NAN,
                                            .again_ns = NAN,
                                            .step = NAN,
                                            .there = true,
                                            .status = "ok",
                                            .build = SIZE_MAX};
    series[i] = (struct history_series){.device = device,
                                        .uuid = empty,
                                        .plugin = empty,
                                        .bench = empty,
                                        .case_key = names[i],
                                        .variant = empty,
                                        .mode = empty,
                                        .points = points[i],
                                        .bound = 1,
                                        .yardstick = i == 2};
  }
  data = (struct history_data){.nights = nights, .night_count = NIGHTS, .series = series, .series_count = SERIES};
}

static const struct trend_row *row_of(size_t index) {
  for (size_t i = 0; i < trend.count; i++)
    if (trend.rows[i].series == &series[index]) return &trend.rows[i];
  return NULL;
}

static enum trend_verdict judge(void) {
  trend_free(&trend);
  trend_build(&data, &trend);
  return trend_verdict(&trend, data.night_count - 1);
}

static void suspect_then_confirmed(void) {
  quiet();
  ASSERT_EQ_INT(judge(), TREND_OK);
  points[0][NIGHTS - 1].ns *= 1.1;
  ASSERT_EQ_INT(judge(), TREND_SUSPECT);
  ASSERT_EQ_INT(row_of(0)->kind, TREND_SUSPECT_SLOWER);
  ASSERT_EQ_INT(row_of(0)->open, TREND_ASKS);
  ASSERT_EQ_INT(trend_exit_code(&trend), EXIT_OK);
  points[0][NIGHTS - 1].confirmed = VERDICT_UNDECIDED;
  ASSERT_EQ_INT(judge(), TREND_UNJUDGED);
  ASSERT_EQ_INT(row_of(0)->open, TREND_UNDECIDED);
  points[0][NIGHTS - 1].confirmed = VERDICT_SAME;
  ASSERT_EQ_INT(judge(), TREND_OK);
  ASSERT_EQ_INT(row_of(0)->kind, TREND_CLEARED);
  points[0][NIGHTS - 1].confirmed = VERDICT_SLOWER;
  points[0][NIGHTS - 1].step = 0.098;
  ASSERT_EQ_INT(judge(), TREND_REGRESSION);
  ASSERT_EQ_INT(row_of(0)->kind, TREND_SLOWER);
  ASSERT_EQ_INT(row_of(0)->ground, NIGHT_GROUNDS_CONFIRMED);
  ASSERT_NEAR(row_of(0)->change, 0.098, 1e-9);
  ASSERT_EQ_INT(trend_exit_code(&trend), EXIT_REGRESSION);
  char said[1000];
  trend_decision(&trend, said, sizeof said);
  ASSERT_HAS(said, "1 confirmed regression in 2 series: a ");
}

static void unconfirmed_alarms_are_not_judged(void) {
  quiet();
  points[0][NIGHTS - 1].ns *= 1.05;
  points[0][NIGHTS - 2].ns *= 1.05;
  ASSERT_EQ_INT(judge(), TREND_UNJUDGED);
  ASSERT_EQ_INT(row_of(0)->open, TREND_UNCONFIRMED);
  ASSERT_EQ_INT(row_of(0)->first_bad, NIGHTS - 2);
  ASSERT_EQ_INT(trend_exit_code(&trend), EXIT_UNJUDGED);
}

static void busy_machines_times_are_none(void) {
  quiet();
  points[0][NIGHTS - 1].ns *= 1.1;
  points[0][NIGHTS - 1].contended = true;
  ASSERT_EQ_INT(judge(), TREND_UNJUDGED);
  ASSERT_EQ_INT(row_of(0)->open, TREND_BUSY);
  ASSERT_EQ_INT(row_of(0)->now->state, NIGHT_MISSING);
  points[0][NIGHTS - 1].ns *= 3; /* other jobs cannot explain a factor of three */
  ASSERT_EQ_INT(judge(), TREND_SUSPECT);
  ASSERT_EQ_INT(row_of(0)->open, TREND_ASKS);
  points[0][NIGHTS - 1].confirmed = VERDICT_UNDECIDED;
  ASSERT_EQ_INT(judge(), TREND_UNJUDGED);
  ASSERT_EQ_INT(row_of(0)->open, TREND_BUSY);
  points[0][NIGHTS - 1].confirmed = VERDICT_SLOWER;
  points[0][NIGHTS - 1].step = 1.8;
  ASSERT_EQ_INT(judge(), TREND_REGRESSION);
  points[0][NIGHTS - 1].confirmed = VERDICT_NONE;
  points[0][NIGHTS - 1].ns /= 3.3; /* other jobs ran, but the time is not slower */
  ASSERT_EQ_INT(judge(), TREND_OK);
  for (size_t t = 0; t + 1 < NIGHTS; t++)
    points[0][t].contended = true;
  points[0][NIGHTS - 1].contended = false; /* now there is no earlier night to compare with */
  ASSERT_EQ_INT(judge(), TREND_UNJUDGED);
}

/* Nights are compared only if their times are unproven for the same reasons, or for none. */
static void nights_that_prove_less_are_not_compared(void) {
  enum { CHANGE = 6 };
  quiet();
  for (size_t t = CHANGE; t < NIGHTS; t++) {
    points[0][t].ns *= 0.5;
    points[0][t].unproven = UNPROVEN_BIT(UNPROVEN_UNTIMED);
  }
  ASSERT_EQ_INT(judge(), TREND_OK); /* the shorter time is not reported as faster */
  ASSERT_EQ_INT(trend_open(row_of(0), CHANGE), TREND_UNPROVEN);
  ASSERT_EQ_INT(trend_open(row_of(0), CHANGE + 1), TREND_CLOSED);
  ASSERT_EQ_INT(trend_open(row_of(1), CHANGE), TREND_CLOSED);
  ASSERT_EQ_INT(trend_judged(&trend, CHANGE), TREND_UNJUDGED);
  points[0][NIGHTS - 1].ns *= 1.2; /* now slower than the nights whose times are unproven for the same reasons */
  ASSERT_TRUE(judge() != TREND_OK);
  ASSERT_EQ_INT(row_of(0)->now->state, NIGHT_SUSPECT_SLOWER);
  /* now compared with the nights before the change, whose times are proven: not slower */
  points[0][NIGHTS - 1].unproven = 0;
  points[0][NIGHTS - 1].ns = 1001;
  ASSERT_EQ_INT(judge(), TREND_OK);
  points[0][NIGHTS - 1].ns = NAN;
  points[0][NIGHTS - 1].status = "wrong";
  judge();
  ASSERT_EQ_INT(row_of(0)->now->state, NIGHT_MISSING);
}

static void too_noisy_nights_are_not_judged(void) {
  quiet();
  for (size_t t = 0; t < NIGHTS; t++)
    points[0][t].ns *= (t * 5) % 7 < 3 ? 1 : 1 + 0.1 * (double)((t * 3) % 5);
  ASSERT_EQ_INT(judge(), TREND_UNJUDGED);
  ASSERT_EQ_INT(row_of(0)->open, TREND_NOISY);
  ASSERT_EQ_INT(row_of(1)->open, TREND_CLOSED);
}

static void yardsticks_tell_of_their_own_device(void) {
  quiet();
  for (size_t i = 0; i < SERIES; i++)
    points[i][NIGHTS - 1].ns *= 1.05;
  ASSERT_EQ_INT(judge(), TREND_OK);
  ASSERT_EQ_INT(row_of(0)->kind, TREND_MACHINE);
  ASSERT_NEAR(row_of(0)->change, 0.05, 0.002);
  series[2].device = other;
  ASSERT_EQ_INT(judge(), TREND_SUSPECT);
  ASSERT_EQ_INT(row_of(2)->open, TREND_CLOSED); /* a yardstick raises no alarm for itself */
  series[2].device = device;
  series[2].bound = 2; /* a yardstick that is limited by another resource does not explain the change of these series */
  ASSERT_EQ_INT(judge(), TREND_SUSPECT);
}

static void what_is_lost_fails_once(void) {
  quiet();
  points[0][NIGHTS - 1] = points[0][NIGHTS - 2];
  points[0][NIGHTS - 1].ns = NAN;
  points[0][NIGHTS - 1].there = false;
  ASSERT_EQ_INT(judge(), TREND_FAILED);
  ASSERT_EQ_INT(trend_exit_code(&trend), EXIT_FAILED);
  points[0][NIGHTS - 2] = points[0][NIGHTS - 1];
  ASSERT_EQ_INT(judge(), TREND_OK);
  ASSERT_EQ_INT(row_of(0)->kind, TREND_MISSING);
  static char fault[] = "nothing was timed";
  nights[NIGHTS - 1].fault = fault;
  ASSERT_EQ_INT(judge(), TREND_FAILED);
}

static void what_was_decided_counts(void) {
  static char regression[] = "regression", unjudged[] = "unjudged";
  quiet();
  nights[3].verdict = regression;
  nights[4].verdict = unjudged;
  ASSERT_EQ_INT(judge(), TREND_OK);
  ASSERT_EQ_INT(trend_verdict(&trend, 3), TREND_REGRESSION);
  ASSERT_EQ_INT(trend_verdict(&trend, 4), TREND_UNJUDGED);
  data.night_count = 0;
  trend_free(&trend);
  trend_build(&data, &trend);
  ASSERT_EQ_INT(trend_exit_code(&trend), EXIT_OK);
  trend_free(&trend);
}

static void each_reason_has_its_own_words(void) {
  for (enum trend_open open = TREND_CLOSED; open <= TREND_NOISY; open++)
    for (enum trend_open before = TREND_CLOSED; before < open; before++)
      CU_ASSERT_STRING_NOT_EQUAL(trend_open_word(open), trend_open_word(before));
  CU_ASSERT_PTR_NOT_NULL(strstr(trend_open_word(TREND_UNPROVEN), "unproven"));
  CU_ASSERT_PTR_NOT_NULL(strstr(trend_open_word(TREND_NOISY), "noisy"));
}

UNIT_MAIN("judge", UNIT_TEST(each_reason_has_its_own_words), UNIT_TEST(suspect_then_confirmed),
          UNIT_TEST(unconfirmed_alarms_are_not_judged), UNIT_TEST(busy_machines_times_are_none),
          UNIT_TEST(nights_that_prove_less_are_not_compared), UNIT_TEST(too_noisy_nights_are_not_judged),
          UNIT_TEST(yardsticks_tell_of_their_own_device), UNIT_TEST(what_is_lost_fails_once),
          UNIT_TEST(what_was_decided_counts))
