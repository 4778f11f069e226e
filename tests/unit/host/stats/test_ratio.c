#include "fixture_series.h"
#include "stats/gap.h"
#include "unit.h"

static void ratio_is_base_over_other(void) {
  static struct series base, other;
  struct ratio r;
  stream = 1;
  simple(&base, 20, 3000);
  simple(&other, 20, 1000);
  ASSERT_EQ_INT(stats_ratio(base.slots, 20, other.slots, 20, 1, 1, &r), 0);
  ASSERT_EQ_INT(r.rounds, 20);
  ASSERT_NEAR(r.speedup, 3, 0.02);
  ASSERT_TRUE(r.lo99 < r.lo95 && r.lo95 < r.speedup && r.speedup < r.hi95 && r.hi95 < r.hi99);
  ASSERT_NEAR(log(r.hi95 / r.speedup), r.half_width95, 1e-12);
  ASSERT_NEAR(log(r.speedup / r.lo95), r.half_width95, 1e-12);
  ASSERT_EQ_INT(stats_verdict(&r), VERDICT_FASTER);
}

static void ratio_turns_over(void) {
  static struct series base, other;
  struct ratio r, turned, scaled;
  stream = 2;
  simple(&base, 18, 700);
  simple(&other, 18, 710);
  stats_ratio(base.slots, 18, other.slots, 18, 0, 1, &r);
  stats_ratio(other.slots, 18, base.slots, 18, 0, 1, &turned);
  ASSERT_NEAR(r.speedup * turned.speedup, 1, 1e-12);
  ASSERT_NEAR(r.lo95 * turned.hi95, 1, 1e-12);
  for (size_t i = 0; i < 18 * SAMPLES; i++) {
    base.ns[i] *= 1e6;
    other.ns[i] *= 1e6;
  }
  stats_ratio(base.slots, 18, other.slots, 18, 0, 1, &scaled);
  ASSERT_NEAR(scaled.speedup, r.speedup, 1e-12);
}

static void the_nearest_round_is_known(void) {
  static struct series base, other;
  struct ratio r;
  stream = 30;
  simple(&base, 3, 700);
  simple(&other, 3, 7000);
  stats_ratio(base.slots, 3, other.slots, 3, 0, 1, &r);
  ASSERT_TRUE(r.nearest > log(9) && r.nearest <= r.theta);
  stats_ratio(other.slots, 3, base.slots, 3, 0, 1, &r);
  ASSERT_TRUE(r.nearest < -log(9) && r.nearest >= r.theta);
  for (size_t i = 0; i < SAMPLES; i++)
    base.ns[i] *= 20; /* in round 0 `base` is now slower than `other`, unlike in all other rounds */
  stats_ratio(base.slots, 3, other.slots, 3, 0, 1, &r);
  ASSERT_NEAR(r.nearest, 0, 0);
}

/* The ratio is formed round by round, so effects that both variants share in a round cancel. Here some rounds take up
 * to twice as long as others. */
static void rounds_are_paired(void) {
  static struct series base, other;
  struct ratio r;
  stream = 3;
  simple(&base, 40, 1000);
  simple(&other, 40, 1000);
  for (size_t i = 0; i < 40 * SAMPLES; i++) {
    double factor = 1 + (double)(rng_bits(9, i / SAMPLES) % 1000) / 1000;
    base.ns[i] *= factor;
    other.ns[i] *= factor;
  }
  stats_ratio(base.slots, 40, other.slots, 40, 1, 1, &r);
  ASSERT_TRUE(r.half_width95 < 0.005);
  ASSERT_NEAR(r.speedup, 1, 0.006);
}

static void only_shared_rounds_count(void) {
  static struct series base, other;
  struct ratio r, same;
  stream = 4;
  simple(&base, 30, 1000);
  simple(&other, 30, 900);
  stats_ratio(base.slots + 5, 15, other.slots + 5, 15, 0, 1, &same);
  stats_ratio(base.slots, 20, other.slots + 5, 25, 0, 1, &r);
  ASSERT_EQ_INT(r.rounds, 15);
  ASSERT_NEAR(r.speedup, same.speedup, 1e-12);
  struct slot turned[15];
  for (size_t i = 0; i < 15; i++) /* in any order */
    turned[i] = other.slots[19 - i];
  stats_ratio(base.slots, 20, turned, 15, 0, 1, &r);
  ASSERT_NEAR(r.speedup, same.speedup, 1e-12);
  ASSERT_EQ_INT(stats_ratio(base.slots, 12, other.slots + 10, 12, 0, 1, &r), -1);
  ASSERT_EQ_INT(r.rounds, 2);
  ASSERT_EQ_INT(stats_verdict(&r), VERDICT_NONE);
  ASSERT_EQ_INT(stats_ratio(NULL, 0, NULL, 0, 0, 1, &r), -1);
}

/* The ratio must not change if 20 of 100 rounds have arbitrarily long times, or 20 have arbitrarily short ones, or
 * both. */
static void wild_rounds_do_not_move_it(void) {
  static const double wild[][2] = {{50, 50}, {0.02, 0.02}, {50, 0.02}, {1e9, 1e-9}};
  static struct series base, other;
  struct ratio r;
  for (size_t way = 0; way < sizeof wild / sizeof wild[0]; way++) {
    stream = 5;
    simple(&base, 100, 1000);
    simple(&other, 100, 1000);
    /* 20 rounds of 100 get the factor wild[way][0], and 20 others wild[way][1] if that differs */
    for (size_t i = 0; i < 100 * SAMPLES; i++) {
      const size_t digit = i / SAMPLES % 10;
      if (digit == 3 || digit == 7) other.ns[i] *= wild[way][0];
      if (wild[way][0] != wild[way][1] && (digit == 2 || digit == 6)) other.ns[i] *= wild[way][1];
    }
    stats_ratio(base.slots, 100, other.slots, 100, 0, 1, &r);
    ASSERT_NEAR(r.speedup, 1, 0.01);
  }
}

/* All times are equal on a coarse clock, whose step is 32 ns. The interval must not be empty, but about as wide as the
 * step of the clock leaves open. */
static void coarse_clocks_leave_width(void) {
  static struct series base, other;
  struct ratio r;
  struct distribution s;
  for (size_t i = 0; i < 20; i++) {
    for (size_t j = 0; j < SAMPLES; j++)
      base.ns[i * SAMPLES + j] = other.ns[i * SAMPLES + j] = 3200;
    base.slots[i] = (struct slot){.round = (uint32_t)i, .count = SAMPLES, .ns = base.ns + i * SAMPLES};
    other.slots[i] = (struct slot){.round = (uint32_t)i, .count = SAMPLES, .ns = other.ns + i * SAMPLES};
  }
  stats_ratio(base.slots, 20, other.slots, 20, 32, 2, &r);
  /* the expected error is sqrt(2 / 12) of a clock step, plus the noise that the estimator adds to rounded times */
  ASSERT_TRUE(r.half_width95 > 0.008 && r.half_width95 < 0.016);
  stats_summary(base.slots, 20, 32, 1, &s);
  ASSERT_NEAR(s.median, 3200, 0);
  ASSERT_TRUE(s.ci95_hi - s.ci95_lo > 36 && s.ci95_hi - s.ci95_lo < 50);
  for (size_t i = 0; i < 20 * SAMPLES; i++)
    base.ns[i] = 0; /* a time of 0 means shorter than the clock's step, and still gives a ratio */
  ASSERT_EQ_INT(stats_ratio(base.slots, 20, other.slots, 20, 32, 1, &r), 0);
  ASSERT_EQ_INT(r.rounds, 20);
  ASSERT_TRUE(r.speedup > 0 && r.speedup < 0.02);
  ASSERT_EQ_INT(stats_ratio(base.slots, 20, other.slots, 20, 0, 1, &r), -1);
}

static void seeds_repeat(void) {
  static struct series base, other;
  struct ratio a, b, c;
  stream = 6;
  simple(&base, 12, 1000);
  simple(&other, 12, 1000);
  stats_ratio(base.slots, 12, other.slots, 12, 32, 7, &a);
  stats_ratio(base.slots, 12, other.slots, 12, 32, 7, &b);
  stats_ratio(base.slots, 12, other.slots, 12, 32, 8, &c);
  ASSERT_TRUE(a.speedup == b.speedup && a.hi99 == b.hi99);
  ASSERT_TRUE(a.speedup != c.speedup);
}

static void verdict_rule(void) {
  static const struct {
    double theta, half95, half99;
    enum verdict verdict;
  } rows[] = {
      {0, 0.004, 0.006, VERDICT_SAME},
      {0.001, 0.0039, 0.006, VERDICT_SAME},
      {0.001, 0.0041, 0.006, VERDICT_UNDECIDED},
      {0.003, 0.001, 0.0015, VERDICT_SAME},
      {0.0049, 0.001, 0.0015, VERDICT_UNDECIDED},
      {0.0051, 0.001, 0.0015, VERDICT_FASTER},
      {-0.0051, 0.001, 0.0015, VERDICT_SLOWER},
      {0.01, 0.009, 0.011, VERDICT_UNDECIDED},
      {-0.01, 0.008, 0.0099, VERDICT_SLOWER},
      {0.7, 0.1, 0.2, VERDICT_FASTER},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    double t = rows[i].theta;
    struct ratio r = {.rounds = 12,
                      .speedup = exp(t),
                      .lo95 = exp(t - rows[i].half95),
                      .hi95 = exp(t + rows[i].half95),
                      .lo99 = exp(t - rows[i].half99),
                      .hi99 = exp(t + rows[i].half99),
                      .half_width95 = rows[i].half95};
    ASSERT_EQ_STR(stats_verdict_name(stats_verdict(&r)), stats_verdict_name(rows[i].verdict));
  }
  ASSERT_EQ_STR(stats_verdict_name(VERDICT_NONE), "");
  ASSERT_EQ_STR(stats_verdict_name(VERDICT_UNDECIDED), "undecided");
}

static void looks(void) {
  static const size_t expected[] = {12, 18, 27, 41, 61, 92, 138, 207, 311, 467, 701};
  size_t found = 0;
  for (size_t i = 0; i <= 701; i++)
    if (stats_is_interim(i)) {
      ASSERT_EQ_INT(i, expected[found]);
      found++;
    }
  ASSERT_EQ_INT(found, 11);
}

/* A coarse step of the clock widens the interval even after many rounds. A step that is small against the noise does
 * not. */
static void the_clocks_step_counts(void) {
  static struct series base, other;
  struct ratio none, fine, coarse;
  stream = 7;
  simple(&base, 138, 10000);
  simple(&other, 138, 10000);
  stats_ratio(base.slots, 138, other.slots, 138, 0, 1, &none);
  stats_ratio(base.slots, 138, other.slots, 138, 1, 1, &fine); /* a clock step of 1 ns, where the noise is 100 ns */
  stats_ratio(base.slots, 138, other.slots, 138, 320, 1, &coarse);
  ASSERT_NEAR(fine.half_width95, none.half_width95, 0.1 * none.half_width95);
  ASSERT_TRUE(coarse.half_width95 > 1.96 * sqrt(2.0 / 12) * 320 / 10000);
  ASSERT_TRUE(coarse.half_width95 < 1.3 * 1.96 * sqrt(2.0 / 12) * 320 / 10000);
}

/* A ratio whose 95% interval just touches 1 has the p-value 0.05. With a threshold, the p-value is that of a difference
 * beyond the threshold, and grows with it. */
static void p_values_agree_with_intervals(void) {
  struct ratio r = {.theta = 0.01, .error = 0.004, .df = 9};
  stats_ratio_widths(&r);
  double p95 = stats_ratio_p(&r, 0);
  r.theta = r.half_width95;
  ASSERT_NEAR(stats_ratio_p(&r, 0), 0.05, 1e-9);
  ASSERT_TRUE(p95 < 0.05);
  r.theta = -0.03;
  ASSERT_NEAR(stats_ratio_p(&r, 0.02), (stats_student_tail(0.01 / 0.004, 9) + stats_student_tail(0.05 / 0.004, 9)) / 2,
              1e-12);
  ASSERT_TRUE(stats_ratio_p(&r, 0.02) > stats_ratio_p(&r, 0.01));
  r.theta = 0.001;
  ASSERT_TRUE(stats_ratio_p(&r, 0.02) > 0.99 && stats_ratio_p(&r, 0.02) <= 1);
  r.theta = 0;
  ASSERT_NEAR(stats_ratio_p(&r, 0), 1, 1e-12);
  r.error = 0;
  ASSERT_NEAR(stats_ratio_p(&r, 0), 1, 0);
  r.theta = 0.1;
  ASSERT_NEAR(stats_ratio_p(&r, 0.02), 0, 0);
}

/* A ratio has an error that is estimated from its rounds, and a least error that is assumed, each with degrees of
 * freedom. The wider of their intervals and the larger of their p-values count. */
static void the_least_error_counts(void) {
  struct ratio r = {.theta = 0.01, .error = 0.001, .df = 2, .least_error = 0.004, .least_df = 50}, alone;
  stats_ratio_widths(&r);
  ASSERT_NEAR(r.half_width95, 0.004 * stats_student(0.95, 50), 1e-12);
  ASSERT_NEAR(log(r.hi99 / r.speedup), 0.004 * stats_student(0.99, 50), 1e-12);
  alone = (struct ratio){.theta = 0.01, .error = 0.004, .df = 50};
  ASSERT_NEAR(stats_ratio_p(&r, 0), stats_ratio_p(&alone, 0), 1e-15);
  r.error = 0.01;
  stats_ratio_widths(&r);
  ASSERT_NEAR(r.half_width95, 0.01 * stats_student(0.95, 2), 1e-12);
}

/* A process may make equal variants differ by about one percent, so a verdict on a small difference needs more
 * processes. */
static void small_words_take_processes(void) {
  static const struct {
    double theta, half99;
    size_t restarts;
    bool needs;
  } rows[] = {{0.01, 0.004, 1, true},  {-0.01, 0.004, 1, true}, {0.01, 0.004, 2, false},  {0.03, 0.005, 1, false},
              {0.022, 0.005, 1, true}, {0.01, 0.02, 1, false},  {-0.03, 0.005, 1, false}, {0, 0.002, 1, false}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    struct ratio r = {.theta = rows[i].theta, .df = 1e6, .restarts = rows[i].restarts, .rounds = 20};
    r.error = rows[i].half99 / stats_student(0.99, r.df);
    stats_ratio_widths(&r);
    ASSERT_EQ_INT(stats_needs_processes(&r), rows[i].needs);
    ASSERT_EQ_INT(strcmp(gap_or_word(&r, NULL, false), "undecided (one process)") == 0, rows[i].needs);
  }
}

/* On a busy machine, and with few rounds, equal variants may seem to differ. There is a verdict only if the 99%
 * interval lies beyond such differences. */
static void words_beyond_contention(void) {
  static const struct {
    double speedup, half99;
    size_t rounds;
    bool contended;
    const char *word;
  } rows[] = {{140, 0.3, 20, true, "faster"},         {1.0 / 140, 0.3, 20, true, "slower"},
              {10, 0.3, 4, false, "faster"},          {10, 0.3, 4, true, "faster"},
              {2.5, 0.2, 20, true, "faster"},         {2.5, 0.3, 20, true, "busy machine"},
              {0.4, 0.2, 20, true, "slower"},         {0.4, 0.3, 20, true, "busy machine"},
              {1.9, 0.01, 20, true, "busy machine"},  {1, 0.001, 20, true, "busy machine"},
              {140, 6, 20, true, "busy machine"},     {2.5, 0.3, 5, false, "too few rounds"},
              {1, 0.001, 5, false, "too few rounds"}, {1.9, 0.01, 5, true, "busy machine"},
              {2.5, 0.3, 20, false, "faster"},        {0.4, 0.2, 3, false, "slower"},
              {0.4, 0.3, 3, false, "too few rounds"}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    struct ratio r = {.theta = -log(rows[i].speedup), .df = 1e6, .restarts = 1, .rounds = rows[i].rounds};
    r.error = rows[i].half99 / stats_student(0.99, r.df);
    stats_ratio_widths(&r);
    if (strcmp(gap_or_word(&r, NULL, rows[i].contended), rows[i].word) != 0)
      UNIT_FAIL("%zu: %s", i, gap_or_word(&r, NULL, rows[i].contended));
  }
  ASSERT_TRUE(!gap_is_beyond(NAN, NAN)); /* the ends of an interval from two processes may be NaN */
  struct ratio wild = {.theta = log(100), .error = 2, .df = 2, .restarts = 1, .rounds = 3, .nearest = log(5.1)};
  stats_ratio_widths(&wild);
  /* the interval is wide, but in each of the three rounds the variant was more than 5 times as slow */
  ASSERT_EQ_STR(gap_or_word(&wild, NULL, true), "slower");
  ASSERT_EQ_STR(gap_or_word(&wild, NULL, false), "slower");
  wild.nearest = log(4.9);
  ASSERT_EQ_STR(gap_or_word(&wild, NULL, true), "busy machine");
  wild.nearest = log(5.1);
  wild.rounds = 6; /* with 6 rounds or more, the interval alone decides on a quiet machine */
  ASSERT_EQ_STR(gap_or_word(&wild, NULL, false), "too noisy");
}

/* The time of a launch differs between processes by some nanoseconds, however long the kernel takes. So a verdict on
 * kernels of few microseconds needs more processes. */
static void so_do_words_for_the_time_of_launches(void) {
  static const struct {
    double ns, launches_ns;
    size_t restarts;
    bool needs;
  } rows[] = {{5000, 3500, 1, true}, {5000, 3500, 3, false},   {100000, 3500, 1, false},
              {5000, NAN, 1, false}, {300000, 3500, 1, false}, {300000, 64 * 3500, 1, true}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    struct ratio r = {.theta = 0.05, .error = 0.002, .df = 1e6, .restarts = rows[i].restarts, .rounds = 20};
    r.alone = stats_alone(rows[i].ns, rows[i].launches_ns);
    stats_ratio_widths(&r);
    ASSERT_EQ_INT(stats_needs_processes(&r), rows[i].needs);
    ASSERT_EQ_INT(stats_word_p(&r) > 0.01, rows[i].needs);
  }
}

/* The p-value of a verdict from one process is that of a difference beyond 2%; with several processes, of any
 * difference. A p-value below 1% always comes with a verdict by the interval. */
static void the_p_of_a_word(void) {
  struct ratio r = {.theta = 0.03, .error = 0.002, .df = 20, .restarts = 1, .rounds = 20};
  stats_ratio_widths(&r);
  ASSERT_NEAR(stats_word_p(&r), stats_ratio_p(&r, log1p(0.02)), 0);
  ASSERT_TRUE(stats_word_p(&r) > stats_ratio_p(&r, 0) && stats_word_p(&r) < 0.01);
  r.restarts = 3;
  ASSERT_NEAR(stats_word_p(&r), stats_ratio_p(&r, 0), 0);
}

/* The more verdicts a run has, the lower the p-value that each of them needs. stats_processes_for() returns how many
 * processes reach it. */
static void many_words_take_more_processes(void) {
  uint32_t last = STATS_PROCESSES;
  for (size_t words = 0; words <= 5; words++)
    ASSERT_EQ_INT(stats_processes_for(words), STATS_PROCESSES);
  ASSERT_EQ_INT(stats_processes_for(6), 4);
  ASSERT_EQ_INT(stats_processes_for(20), 4);
  for (size_t words = 6; words <= 100000; words *= 2) {
    const uint32_t processes = stats_processes_for(words);
    const double most = stats_student(0.99, STATS_PROCESSES - 1) / sqrt(STATS_PROCESSES);
    ASSERT_TRUE(processes >= last && processes <= 10);
    ASSERT_TRUE(stats_student(1 - STATS_FAMILY_ERROR / (double)words, processes - 1) / sqrt(processes) <= most);
    last = processes;
  }
}

UNIT_MAIN("stats_ratio", UNIT_TEST(the_p_of_a_word), UNIT_TEST(many_words_take_more_processes),
          UNIT_TEST(small_words_take_processes), UNIT_TEST(words_beyond_contention),
          UNIT_TEST(so_do_words_for_the_time_of_launches), UNIT_TEST(ratio_is_base_over_other),
          UNIT_TEST(ratio_turns_over), UNIT_TEST(rounds_are_paired), UNIT_TEST(the_nearest_round_is_known),
          UNIT_TEST(only_shared_rounds_count), UNIT_TEST(wild_rounds_do_not_move_it),
          UNIT_TEST(coarse_clocks_leave_width), UNIT_TEST(seeds_repeat), UNIT_TEST(verdict_rule), UNIT_TEST(looks),
          UNIT_TEST(the_clocks_step_counts), UNIT_TEST(p_values_agree_with_intervals),
          UNIT_TEST(the_least_error_counts))
