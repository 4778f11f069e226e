#include "stats/launch_overhead.h"

#include <string.h>

#include "fixture_series.h"
#include "stats/fastest.h"
#include "stats/gap.h"
#include "stats/restarts.h"
#include "unit.h"

enum { COUNT = 60 };

static struct series series[3];

static struct ratio less(size_t base, size_t other, double launch_overhead_ns, double unc_ns) {
  const struct launch_overhead overhead = {launch_overhead_ns, unc_ns};
  struct ratio ratio;
  stats_ratio_overhead(series[base].slots, COUNT, series[other].slots, COUNT, 0, 1, &overhead, &ratio);
  return ratio;
}

static void five_percent_count(void) {
  const struct launch_overhead overhead = {3000, 150}, unknown = {NAN, NAN}, none = {0, 0};
  ASSERT_TRUE(overhead_counts(&overhead, 59999));
  ASSERT_TRUE(!overhead_counts(&overhead, 60001));
  ASSERT_TRUE(!overhead_counts(&unknown, 1));
  ASSERT_TRUE(!overhead_counts(&none, 1));
}

/* The interval of the time without launch overhead is that of the whole time, widened by the uncertainty of the
 * overhead. The time without overhead is unknown if this uncertainty reaches half of it. */
static void what_is_left_is_known_to_a_half(void) {
  static const struct {
    double launch_overhead_ns, unc_ns;
    bool known;
  } rows[] = {{3000, 150, true}, {3000, 980, true},  {3000, 1000, false}, {4900, 150, false}, {5000, 0, false},
              {6000, 0, false},  {3000, NAN, false}, {NAN, NAN, false},   {0, 0, true}};
  struct interval left;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const struct launch_overhead overhead = {rows[i].launch_overhead_ns, rows[i].unc_ns};
    ASSERT_EQ_INT(overhead_left(&overhead, 5000, (struct interval){4985, 5025}, &left), rows[i].known);
    if (!rows[i].known) continue;
    ASSERT_NEAR(left.lo, 4985 - overhead.ns - overhead.unc_ns, 1e-9);
    ASSERT_NEAR(left.hi, 5025 - overhead.ns + overhead.unc_ns, 1e-9);
  }
  const struct launch_overhead overhead = {3000, 150};
  ASSERT_TRUE(!overhead_left(&overhead, 5000, (struct interval){NAN, NAN}, &left));
}

static void the_ratio_is_of_what_is_left(void) {
  stream = 1;
  simple(&series[0], COUNT, 7000);
  simple(&series[1], COUNT, 5000);
  const struct ratio exact = less(0, 1, 3000, 0), wide = less(0, 1, 3000, 150), turned = less(1, 0, 3000, 150);
  ASSERT_NEAR(exact.speedup, 2, 0.02);
  ASSERT_TRUE(exact.lo99 < exact.lo95 && exact.lo95 < 2 && 2 < exact.hi95 && exact.hi95 < exact.hi99);
  ASSERT_TRUE(exact.hi95 - exact.lo95 < 0.05);
  ASSERT_NEAR(wide.speedup, exact.speedup, 0);
  /* 4150 / 2150 with an overhead of 2850 ns, 3850 / 1850 with one of 3150 */
  ASSERT_TRUE(wide.lo95 < 4150 / 2150. && wide.lo95 > 4150 / 2150. - 0.04);
  ASSERT_TRUE(wide.hi95 > 3850 / 1850. && wide.hi95 < 3850 / 1850. + 0.04);
  ASSERT_TRUE(wide.lo99 < wide.lo95 && wide.hi99 > wide.hi95);
  ASSERT_NEAR(turned.speedup, 1 / wide.speedup, 0.01);
  ASSERT_NEAR(turned.lo95, 1 / wide.hi95, 0.01);
}

/* An error of the launch overhead affects both times equally, so it does not change the ratio of equal times. */
static void what_both_share_moves_no_equal_times(void) {
  stream = 2;
  simple(&series[0], COUNT, 5000);
  simple(&series[1], COUNT, 5000);
  const struct ratio exact = less(0, 1, 3000, 0), wide = less(0, 1, 3000, 300);
  ASSERT_NEAR(exact.speedup, 1, 0.01);
  ASSERT_NEAR(wide.hi95 / wide.lo95, exact.hi95 / exact.lo95, 0.01);
}

static void without_a_overhead_it_is_the_raw_ratio(void) {
  struct ratio raw, none;
  stream = 3;
  simple(&series[0], COUNT, 5500);
  simple(&series[1], COUNT, 5000);
  stats_ratio_restarts(series[0].slots, COUNT, series[1].slots, COUNT, 0, 1, &raw);
  none = less(0, 1, 0, 0);
  ASSERT_NEAR(none.speedup, raw.speedup, 0);
  ASSERT_NEAR(none.lo99, raw.lo99, 0);
  const struct ratio tiny = less(0, 1, 1e-3, 0); /* a tiny overhead hardly changes the ratio */
  ASSERT_NEAR(tiny.speedup, raw.speedup, 1e-4);
  ASSERT_NEAR(tiny.lo95, raw.lo95, 1e-4);
  ASSERT_NEAR(tiny.hi99, raw.hi99, 1e-4);
}

/* A single round may be shorter than the launch overhead. But if the whole time may be nothing but overhead, there is
 * no ratio. */
static void nothing_left_is_no_ratio(void) {
  stream = 4;
  simple(&series[0], COUNT, 7000);
  simple(&series[1], COUNT, 5000);
  for (size_t i = 0; i < SAMPLES; i++)
    series[1].ns[7 * SAMPLES + i] = 2000;
  ASSERT_NEAR(less(0, 1, 3000, 150).speedup, 2, 0.02);
  ASSERT_TRUE(isnan(less(0, 1, 5100, 0).speedup) && isnan(less(0, 1, 5100, 0).hi99));
  ASSERT_TRUE(isnan(less(0, 1, 4900, 150).speedup));
  ASSERT_TRUE(isnan(less(0, 1, 3000, NAN).speedup));
}

/* Compares two runs by their times without launch overhead. These are shorter than the whole times, so the same
 * uncertainty is a larger share of them. */
static void runs_are_compared_without_it(void) {
  const struct restart_side base = {5, log(7000), 0.0002, 0.001, 0, false},
                            other = {5, log(5000), 0.0002, 0.001, 0, false};
  const struct launch_overhead none = {0, 0}, exact = {3000, 0}, near = {3000, 150}, apart = {3100, 0},
                               unknown = {3000, NAN};
  struct ratio raw, r, wide;
  stats_across(&base, &other, &raw);
  ASSERT_EQ_INT(stats_across_overhead(&base, &other, &none, &none, &r), 0);
  ASSERT_NEAR(r.speedup, raw.speedup, 0);
  ASSERT_NEAR(r.hi99, raw.hi99, 0);
  ASSERT_EQ_INT(stats_across_overhead(&base, &other, &exact, &exact, &r), 0);
  ASSERT_NEAR(r.speedup, 2, 1e-9);
  ASSERT_NEAR(r.error, 0.001 * hypot(7. / 4, 5. / 2) / sqrt(5), 1e-9);
  stats_across_overhead(&base, &other, &near, &near, &wide);
  ASSERT_TRUE(wide.lo95 < 4150 / 2150. && wide.hi95 > 3850 / 1850. && wide.lo95 > 1.9 && wide.hi95 < 2.1);
  stats_across_overhead(&base, &other, &exact, &apart, &wide); /* the true overhead may be 3.05 us in both runs */
  ASSERT_NEAR(wide.speedup, 4000 / 1900., 1e-9);
  ASSERT_TRUE(wide.lo95 < 3950 / 1950. && wide.hi95 > 4000 / 1900.);
  ASSERT_EQ_INT(stats_across_overhead(&base, &other, &exact, &unknown, &r), -1);
  ASSERT_TRUE(isnan(r.speedup));
  const struct launch_overhead deep = {4950, 100};
  ASSERT_EQ_INT(stats_across_overhead(&base, &other, &deep, &deep, &r), -1);
}

static const char *word(double speedup, double half, double less_speedup, double less_half, size_t restarts) {
  struct ratio ratios[2] = {{.rounds = 20, .restarts = restarts, .df = 30},
                            {.rounds = 20, .restarts = restarts, .df = 30}};
  const double values[2][2] = {{speedup, half}, {less_speedup, less_half}};
  for (int i = 0; i < 2; i++) {
    ratios[i].theta = -log(values[i][0]);
    ratios[i].error = values[i][1] / stats_student(0.95, 30);
    stats_ratio_widths(&ratios[i]);
  }
  if (isnan(less_speedup)) ratios[1] = RATIO_NONE;
  return gap_or_word(&ratios[0], &ratios[1], false);
}

static void a_word_needs_both(void) {
  ASSERT_EQ_STR(word(1.4, 0.004, 2, 0.05, 1), "faster");
  ASSERT_EQ_STR(word(0.7, 0.004, 0.5, 0.05, 1), "slower");
  ASSERT_EQ_STR(word(1, 0.002, 1, 0.004, 1), "same");
  ASSERT_EQ_STR(word(1, 0.002, 1, 0.03, 1), "undecided (launch)");
  ASSERT_EQ_STR(word(1.004, 0.0005, 1.02, 0.003, 3),
                "undecided (launch)"); /* the difference is too small for the whole time, though not for the rest */
  ASSERT_EQ_STR(word(1.1, 0.01, 1.2, 0.2, 1), "undecided (launch)");
  ASSERT_EQ_STR(word(1.1, 0.01, NAN, NAN, 1), "undecided (launch)");
  ASSERT_EQ_STR(word(1.01, 0.03, 1.02, 0.06, 1), "undecided");
  ASSERT_EQ_STR(word(1.01, 0.001, 1.02, 0.002, 1), "undecided (one process)");
  ASSERT_EQ_STR(word(1.01, 0.001, 1.02, 0.05, 1), "undecided (one process)"); /* three processes may decide it */
  ASSERT_EQ_STR(word(1.01, 0.001, NAN, NAN, 1), "undecided (launch)");        /* no number of processes decides it */
  ASSERT_EQ_STR(word(1.01, 0.001, 1.02, 0.002, 3), "faster");
  ASSERT_EQ_INT(gap_parse("undecided (launch)"), GAP_LAUNCH);
}

static void the_star_needs_both(void) {
  const struct launch_overhead overhead = {3000, 150}, wide = {3000, 900}, small = {100, 10};
  bool lacks;
  stream = 5;
  for (size_t i = 0; i < 3; i++)
    simple(&series[i], COUNT, i == 0 ? 7000 : i == 1 ? 5000 : 5600);
  struct entrant all[3] = {{series[0].slots, COUNT, 7000, false, 0},
                           {series[1].slots, COUNT, 5000, false, 0},
                           {series[2].slots, COUNT, 5600, false, 0}};
  ASSERT_EQ_INT(stats_fastest(all, 3, &overhead, 0, 1, false, &lacks), 1);
  /* at any possible overhead, all others are slower than variant 1 */
  ASSERT_EQ_INT(stats_fastest(all, 3, &wide, 0, 1, false, &lacks), 1);
  all[1].lost = true;
  ASSERT_TRUE(stats_fastest(all, 3, &overhead, 0, 1, false, &lacks) == SIZE_MAX && !lacks);
  ASSERT_EQ_INT(stats_fastest(all, 3, &small, 0, 1, false, &lacks), 1); /* the overhead does not count */
}

UNIT_MAIN("stats_overhead", UNIT_TEST(five_percent_count), UNIT_TEST(what_is_left_is_known_to_a_half),
          UNIT_TEST(the_ratio_is_of_what_is_left), UNIT_TEST(what_both_share_moves_no_equal_times),
          UNIT_TEST(without_a_overhead_it_is_the_raw_ratio), UNIT_TEST(nothing_left_is_no_ratio),
          UNIT_TEST(runs_are_compared_without_it), UNIT_TEST(a_word_needs_both), UNIT_TEST(the_star_needs_both))
