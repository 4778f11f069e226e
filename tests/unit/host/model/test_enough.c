/* Tests when a case has enough samples: when the intervals of its times and ratios are narrow enough, or its time is
 * over. */
#include "model/enough.h"

#include "unit.h"

enum { ROUNDS = 12, SAMPLES = 4, MOST = 3 };

static double ns[MOST][ROUNDS][SAMPLES];
static struct slot slots[MOST][ROUNDS];
static const struct enough_terms terms = {0.01, 1, 7};

/* Makes slots of `rounds` rounds, with times that scatter by `spread` around `centre`. */
static struct enough_variant series(uint32_t which, double centre, double spread, uint32_t rounds) {
  for (uint32_t r = 0; r < rounds; r++) {
    for (uint32_t i = 0; i < SAMPLES; i++)
      ns[which][r][i] = centre + spread * ((double)((r * 7 + i * 5 + which * 3) % 11) - 5);
    slots[which][r] = (struct slot){.epoch = 1, .round = r, .count = SAMPLES, .ns = ns[which][r]};
  }
  return (struct enough_variant){.slots = slots[which], .slot_count = rounds, .alive = true};
}

static void one_that_is_narrow(void) {
  struct enough_variant v[] = {series(0, 100000, 1, ROUNDS)};
  ASSERT_TRUE(enough_precise(&terms, v, 1) && v[0].precise && !v[0].partner);
  ASSERT_TRUE(!enough_wants_slot(v[0].precise, v[0].partner));
}

static void without_a_precision_nothing_is_enough(void) {
  const struct enough_terms none = {0, 1, 7};
  struct enough_variant v[] = {series(0, 100000, 1, ROUNDS)};
  ASSERT_TRUE(!enough_precise(&none, v, 1) && !v[0].precise);
}

/* A baseline that is known precisely is sampled as long as a variant that is compared with it needs more samples. */
static void a_denominator_of_one_that_scatters(void) {
  struct enough_variant v[] = {series(0, 100000, 1, ROUNDS), series(1, 100000, 9000, ROUNDS)};
  v[0].against.common = 1;
  ASSERT_TRUE(!enough_precise(&terms, v, 2));
  ASSERT_TRUE(v[0].precise && v[0].partner && !v[1].precise && !v[1].partner);
  ASSERT_TRUE(enough_wants_slot(v[0].precise, v[0].partner));
  v[1] = series(1, 100000, 1, ROUNDS);
  ASSERT_TRUE(enough_precise(&terms, v, 2) && !v[0].partner);
}

static void one_that_is_out_holds_nobody_back(void) {
  struct enough_variant v[] = {series(0, 100000, 1, ROUNDS), series(1, 100000, 9000, ROUNDS)};
  v[1].alive = false;
  ASSERT_TRUE(enough_precise(&terms, v, 2) && !v[1].precise);
}

static void one_without_slots_is_not_precise(void) {
  struct enough_variant v[] = {series(0, 100000, 1, ROUNDS), {.alive = true}};
  v[0].against.common = 1;
  ASSERT_TRUE(!enough_precise(&terms, v, 2) && v[0].precise && v[0].partner);
}

static void once_precise_stays_so(void) {
  struct enough_variant v[] = {series(0, 100000, 9000, ROUNDS)};
  v[0].precise = true;
  ASSERT_TRUE(enough_precise(&terms, v, 1));
}

/* If the baseline is the faster of two variants, both are sampled as long as a variant that is compared with them
 * needs more samples. */
static void all_go_on_where_one_is_chosen(void) {
  struct enough_variant v[] = {series(0, 100000, 1, ROUNDS), series(1, 90000, 1, ROUNDS),
                               series(2, 80000, 9000, ROUNDS)};
  v[0].against.common = v[1].against.common = 1;
  ASSERT_TRUE(!enough_precise(&terms, v, MOST));
  ASSERT_TRUE(v[0].partner && v[1].partner && v[2].partner);
}

static struct enough_times at(double now_s, double until_s, double left_s) {
  return (struct enough_times){.now_ns = (int64_t)(now_s * 1e9),
                               .started_ns = 0,
                               .sampling_ns = 1000000000,
                               .until_ns = (int64_t)(until_s * 1e9),
                               .case_time_s = 3,
                               .left_s = left_s};
}

static void time_ends_it(void) {
  const struct enough_times early = at(2, 0, 0), late = at(4.5, 0, 0), due = at(2, 3, 1.5), words = at(2, 3, 2.2);
  ASSERT_EQ_INT(enough_time(&early, 50), STOP_NONE);
  /* goes on, because fewer rounds are too few for a measurement */
  ASSERT_EQ_INT(enough_time(&late, ROUNDS_LEAST - 1), STOP_NONE);
  ASSERT_EQ_INT(enough_time(&late, ROUNDS_LEAST), STOP_CASE_TIME);
  ASSERT_EQ_INT(enough_time(&due, 6), STOP_BUDGET); /* there would be no time left for the work after the samples */
  ASSERT_EQ_INT(enough_time(&due, 5), STOP_NONE);   /* below six rounds a case may take half as much time again */
  ASSERT_EQ_INT(enough_time(&words, 5), STOP_NONE);
  ASSERT_EQ_INT(enough_more_ns(&words), 1500000000);
}

UNIT_MAIN("enough", UNIT_TEST(one_that_is_narrow), UNIT_TEST(without_a_precision_nothing_is_enough),
          UNIT_TEST(a_denominator_of_one_that_scatters), UNIT_TEST(one_that_is_out_holds_nobody_back),
          UNIT_TEST(one_without_slots_is_not_precise), UNIT_TEST(once_precise_stays_so),
          UNIT_TEST(all_go_on_where_one_is_chosen), UNIT_TEST(time_ends_it))
