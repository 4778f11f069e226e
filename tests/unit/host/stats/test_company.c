/* Tests the check of a ratio of two variants that were measured together with neighbours (other variants in their
 * process). The check measures each of the two alone; two such measurements are a pair, with a ratio of its own. First
 * single decisions are tested. Then, under noise, how often the check contradicts equal code, and how often it finds a
 * neighbour that disturbs one of the two. */
#include "stats/company.h"

#include <stdlib.h>

#include "base/rng.h"
#include "unit.h"

static struct company_said said;

static enum company_word judge(double theta, size_t processes, double sd, const double *pairs, size_t count) {
  const struct company company = {.theta = theta, .error = NAN, .processes = processes, .sd = sd};
  return company_judge(&company, pairs, count, count, &said);
}

static void one_pair_is_enough_for_much(void) {
  ASSERT_EQ_INT(judge(log(2), 1, 0.004, NULL, 0), COMPANY_MORE);
  ASSERT_EQ_INT(judge(log(2), 1, 0.004, (const double[]){log(1.99)}, 1), COMPANY_HOLDS);
  ASSERT_NEAR(said.bound, 3.9 * 0.004, 2e-5);
  ASSERT_NEAR(said.theta, log(1.99), 1e-12);
  ASSERT_EQ_INT(judge(-log(2), 1, 0.004, (const double[]){-log(1.99)}, 1), COMPANY_HOLDS);
}

static void three_are_for_less(void) {
  static const double pairs[] = {0.011, 0.009, 0.010};
  ASSERT_EQ_INT(judge(0.01, 3, 0.003, pairs, 1), COMPANY_MORE);
  ASSERT_EQ_INT(judge(0.01, 3, 0.003, pairs, 2), COMPANY_MORE);
  ASSERT_EQ_INT(judge(0.01, 3, 0.003, pairs, 3), COMPANY_HOLDS);
}

static void half_a_percent_is_nothing(void) {
  static const double pairs[] = {0.004, 0.004, 0.004};
  ASSERT_EQ_INT(judge(0, 3, 1e-6, pairs, 3), COMPANY_HOLDS);
  ASSERT_NEAR(said.bound, log(1.005), 1e-12);
}

/* With neighbours a variant is 1.96 times as fast as the baseline; in each pair measured alone, both are equally fast.
 * This counts as a contradiction only after three pairs. */
static void a_difference_is_looked_at_again(void) {
  static const double pairs[] = {0.01, 0.012, 0.008};
  ASSERT_EQ_INT(judge(log(1.96), 1, 0.004, pairs, 1), COMPANY_MORE);
  ASSERT_EQ_INT(judge(log(1.96), 1, 0.004, pairs, 2), COMPANY_MORE);
  ASSERT_EQ_INT(judge(log(1.96), 1, 0.004, pairs, 3), COMPANY_BREAKS);
  ASSERT_NEAR(exp(said.theta), 1.01, 1e-3);
}

static void a_disturbed_look_is_forgiven(void) {
  static const double pairs[] = {0.4, 0.101, 0.1, 0.099, 0.1, 0.1, 0.102};
  enum company_word word = COMPANY_MORE;
  for (size_t count = 1; count <= 7 && word == COMPANY_MORE; count++)
    word = judge(0.1, 1, 0.004, pairs, count);
  ASSERT_TRUE(word == COMPANY_HOLDS || word == COMPANY_NOISY);
}

static void noise_proves_nothing(void) {
  static const double pairs[] = {0.3, -0.2, 0.1, -0.3, 0.2, -0.1, 0};
  for (size_t count = 1; count < 7; count++)
    ASSERT_EQ_INT(judge(0.02, 1, 0.004, pairs, count), COMPANY_MORE);
  ASSERT_EQ_INT(judge(0.02, 1, 0.004, pairs, 7), COMPANY_NOISY);
}

/* A variant is 11.5 times as fast as the baseline with neighbours, and 4, 5.5 and 7.5 times as fast in three pairs
 * measured alone. These scatter so much that `bound`, the largest difference that chance explains, exceeds half of
 * log(11.5). Another pair must be measured. */
static void a_wide_bound_proves_nothing_of_much(void) {
  static const double pairs[] = {1.39, 1.70, 2.01};
  for (size_t count = 1; count <= 3; count++)
    ASSERT_EQ_INT(judge(log(11.5), 1, 0.2, pairs, count), COMPANY_MORE);
  ASSERT_TRUE(said.bound > log(11.5) / 2 && said.bound < log(11.5));
}

/* A variant is 9.2 times as fast as the baseline with neighbours, and 8.4 times as fast in one pair measured alone.
 * With a standard deviation (`sd`) of 0.05 between pairs this confirms the ratio. With a larger one, chance alone may
 * change the ratio of a pair by more than COMPANY_UNSURE. Then COMPANY_PAIRS_MOST pairs are needed for a conclusion:
 * `like` confirms the ratio, `other` scatters too much. */
static void what_leaves_a_quarter_open_takes_all_pairs(void) {
  static const double like[] = {2.0, 2.2, 1.8, 2.1, 2.4, 1.9, 2.1}, other[] = {2.1, 1.7, 1.4, 1.9, 1.6, 2.0, 1.5};
  ASSERT_EQ_INT(judge(log(9.2), 1, 0.1, (const double[]){log(8.4)}, 1), COMPANY_MORE);
  ASSERT_TRUE(said.bound > log1p(COMPANY_UNSURE) && said.bound < log(9.2) / 2);
  ASSERT_EQ_INT(judge(log(9.2), 1, 0.05, (const double[]){log(8.4)}, 1), COMPANY_HOLDS);
  for (size_t count = 1; count < COMPANY_PAIRS_MOST; count++)
    ASSERT_EQ_INT(judge(log(9.2), 1, 0.2, like, count), COMPANY_MORE);
  ASSERT_EQ_INT(judge(log(9.2), 1, 0.2, like, COMPANY_PAIRS_MOST), COMPANY_HOLDS);
  ASSERT_EQ_INT(judge(log(9.2), 1, 0.2, other, COMPANY_PAIRS_MOST), COMPANY_NOISY);
}

/* On a busy machine (`contended`) a conclusion needs three pairs, and a different ratio of the pairs is called noise
 * (COMPANY_NOISY), not a contradiction (COMPANY_BREAKS). */
static void on_a_busy_machine_three_pairs_tell(void) {
  static const double near[] = {2.28, 2.33, 2.30}, apart[] = {2.0, 2.6, 2.3}, other[] = {0, 0.01, -0.01};
  const struct company company = {.theta = log(10), .error = NAN, .processes = 1, .sd = 0.01, .contended = true};
  ASSERT_EQ_INT(company_judge(&company, near, 2, 2, &said), COMPANY_MORE);
  ASSERT_EQ_INT(company_judge(&company, near, 3, 3, &said), COMPANY_HOLDS);
  ASSERT_EQ_INT(company_judge(&company, apart, 3, 3, &said), COMPANY_MORE);
  ASSERT_EQ_INT(company_judge(&company, other, 3, 3, &said), COMPANY_NOISY);
}

/* ---- Under noise ---- */

struct noise {
  double process_sd; /* standard deviation of the offset that each process adds to the log of a variant's time */
  double burst_p;    /* share of measurements that take longer, by up to a fifth */
  bool shared;       /* true: all pairs are measured in the same two processes; false: each in two new ones */
};

static uint64_t drawn;

static double uniform(void) {
  return ((double)(rng_bits(58, drawn++) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void) {
  return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

static double look(const struct noise *noise, double process) {
  return process + 0.001 * normal() + (uniform() < noise->burst_p ? 0.2 * uniform() : 0);
}

/* Measures pairs alone until there is a conclusion, as a run does. `ratio` and `planted` are logs. `planted` is added
 * to the ratio with neighbours only, as if a neighbour slowed the baseline down. */
static enum company_word play(const struct noise *noise, double ratio, double planted, size_t restarts) {
  double theta = ratio + planted, pairs[COMPANY_PAIRS_MOST], base = 0, other = 0;
  for (size_t i = 0; i < restarts; i++)
    theta += noise->process_sd * (normal() - normal()) / (double)restarts;
  const struct company company = {
      .theta = theta, .error = 0.001, .processes = restarts, .sd = hypot(0.003 * sqrt(2), 0.0015)};
  enum company_word word = COMPANY_MORE;
  for (size_t count = 1; word == COMPANY_MORE; count++) {
    if (count == 1 || !noise->shared) {
      base = noise->process_sd * normal();
      other = noise->process_sd * normal();
    }
    pairs[count - 1] = ratio + look(noise, base) - look(noise, other);
    word = company_judge(&company, pairs, count, noise->shared ? 1 : count, &said);
  }
  return word;
}

static double share(const struct noise *noise, double ratio, double planted, size_t restarts, enum company_word word) {
  enum { TIMES = 20000 };
  int count = 0;
  for (int i = 0; i < TIMES; i++)
    count += play(noise, ratio, planted, restarts) == word;
  return (double)count / TIMES;
}

static void equal_code_is_rarely_contradicted(void) {
  static const double deviations[] = {0.0006, 0.002, 0.003, 0.006, 0.015};
  static const double ratios[] = {0, 0.01, 0.1, 0.7};
  for (size_t d = 0; d < 5; d++)
    for (size_t r = 0; r < 4; r++)
      for (int kind = 0; kind < 4; kind++) {
        const struct noise noise = {deviations[d], kind % 2 ? 0.03 : 0, kind > 1};
        if (noise.shared && noise.process_sd > 0.004)
          continue; /* pairs from one process cannot show that processes scatter more than is assumed */
        const double wrong = share(&noise, ratios[r], 0, r < 2 ? 3 : 1, COMPANY_BREAKS);
        const double open = share(&noise, ratios[r], 0, r < 2 ? 3 : 1, COMPANY_NOISY);
        if (getenv("GPUBENCH_TEST_SHOW") != NULL)
          printf("\n  sd %g%% ratio %g kind %d: breaks %.2f%%, noisy %.2f%%", 100 * noise.process_sd, exp(ratios[r]),
                 kind, 100 * wrong, 100 * open);
        if (wrong > 0.01) UNIT_FAIL("contradicted in %g%% of equal code", 100 * wrong);
      }
}

static void a_neighbour_is_found(void) {
  static const struct {
    double planted, ratio, sd;
    size_t restarts;
    double least;
  } rows[] = {{2, 0, 0.003, 1, 0.99},    {1.5, 0.01, 0.01, 1, 0.99}, {1.07, 0, 0.001, 1, 0.99},
              {1.07, 0, 0.003, 1, 0.95}, {1.05, 0.1, 0.002, 1, 0.5}, {1.017, 0, 0.0005, 3, 0.5}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const struct noise noise = {.process_sd = rows[i].sd};
    const double found = share(&noise, rows[i].ratio, log(rows[i].planted), rows[i].restarts, COMPANY_BREAKS);
    if (getenv("GPUBENCH_TEST_SHOW") != NULL)
      printf("\n  planted %g over %g, sd %g%%: found %.1f%%", rows[i].planted, exp(rows[i].ratio), 100 * rows[i].sd,
             100 * found);
    if (found < rows[i].least) UNIT_FAIL("row %zu is found in %g%%", i, 100 * found);
  }
}

UNIT_MAIN("company", UNIT_TEST(one_pair_is_enough_for_much), UNIT_TEST(three_are_for_less),
          UNIT_TEST(half_a_percent_is_nothing), UNIT_TEST(a_difference_is_looked_at_again),
          UNIT_TEST(a_disturbed_look_is_forgiven), UNIT_TEST(noise_proves_nothing),
          UNIT_TEST(a_wide_bound_proves_nothing_of_much), UNIT_TEST(what_leaves_a_quarter_open_takes_all_pairs),
          UNIT_TEST(on_a_busy_machine_three_pairs_tell), UNIT_TEST(equal_code_is_rarely_contradicted),
          UNIT_TEST(a_neighbour_is_found))
