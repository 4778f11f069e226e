#include "stats/restarts.h"

#include "fixture_series.h"
#include "unit.h"

enum { EACH = 20 };

/* Makes `restarts` processes of 20 rounds with the same noise, each scaled by its factor. */
static void restarted(struct series *series, size_t restarts, double ns, const double *factors) {
  simple(series, restarts * EACH, ns);
  for (size_t r = 0; r < restarts * EACH; r++) {
    series->slots[r].epoch = (uint32_t)(r / EACH + 1);
    series->slots[r].round = (uint32_t)(r % EACH);
    for (size_t i = 0; i < SAMPLES; i++)
      series->ns[r * SAMPLES + i] *= factors[r / EACH];
  }
}

static const double ones[] = {1, 1, 1, 1, 1};

static void one_process_is_the_plain_ratio(void) {
  static struct series base, other;
  struct ratio plain, restarts;
  stream = 1;
  restarted(&base, 1, 1000, ones);
  restarted(&other, 1, 1100, ones);
  stats_ratio(base.slots, EACH, other.slots, EACH, 1, 1, &plain);
  ASSERT_EQ_INT(stats_ratio_restarts(base.slots, EACH, other.slots, EACH, 1, 1, &restarts), 0);
  ASSERT_TRUE(plain.speedup == restarts.speedup && plain.lo99 == restarts.lo99);
  ASSERT_EQ_INT(restarts.restarts, 1);
  ASSERT_EQ_INT(stats_ratio_restarts(base.slots, 2, other.slots, 2, 1, 1, &restarts), -1);
  ASSERT_EQ_INT(stats_verdict(&restarts), VERDICT_NONE);
}

/* If processes disagree by 1%, the ratio is uncertain by about as much, however many rounds each has. */
static void processes_are_the_unit(void) {
  static struct series base, other;
  struct ratio restarts;
  stream = 2;
  restarted(&base, 3, 1000, ones);
  restarted(&other, 3, 1000, (const double[]){1, 1.01, 1.02});
  stats_ratio_restarts(base.slots, 3 * EACH, other.slots, 3 * EACH, 0, 1, &restarts);
  ASSERT_EQ_INT(restarts.restarts, 3);
  ASSERT_EQ_INT(restarts.rounds, 60);
  ASSERT_NEAR(restarts.theta, 0.01, 0.002);
  ASSERT_NEAR(restarts.half_width95, stats_student(0.95, 2) * 0.01 / sqrt(3), 0.006);
  ASSERT_EQ_INT(stats_verdict(&restarts), VERDICT_UNDECIDED);
}

/* If processes agree exactly by chance, the rounds still leave an error. */
static void rounds_bound_it(void) {
  static struct series base, other;
  struct ratio r;
  stream = 3;
  restarted(&base, 1, 1000, ones);
  restarted(&other, 1, 1000, ones);
  struct slot a[3 * EACH], b[3 * EACH];
  for (size_t i = 0; i < 3 * EACH; i++) {
    a[i] = base.slots[i % EACH];
    b[i] = other.slots[i % EACH];
    a[i].epoch = b[i].epoch = (uint32_t)(i / EACH);
  }
  stats_ratio_restarts(a, 3 * EACH, b, 3 * EACH, 0, 1, &r);
  ASSERT_TRUE(r.error < 1e-12 && r.least_error > 0.0003);
  ASSERT_NEAR(r.half_width95, stats_student(0.95, r.least_df) * r.least_error, 1e-12);
  ASSERT_TRUE(r.least_df > 10);
}

/* A process with a single round, or with only one of the variants, does not count. */
static void short_processes_are_left_out(void) {
  static struct series base, other;
  struct ratio r, same;
  stream = 4;
  restarted(&base, 3, 1000, ones);
  restarted(&other, 3, 1000, (const double[]){1, 1.01, 5});
  stats_ratio_restarts(base.slots, 2 * EACH, other.slots, 2 * EACH, 0, 1, &same);
  stats_ratio_restarts(base.slots, 2 * EACH + 2, other.slots, 3 * EACH, 0, 1, &r);
  ASSERT_EQ_INT(r.restarts, 2);
  ASSERT_NEAR(r.theta, same.theta, 1e-12);
}

static void sides_know_their_restarts(void) {
  static struct series series;
  struct restart_side side, row;
  stream = 5;
  restarted(&series, 3, 1000, (const double[]){1, 1.01, 1.02});
  ASSERT_EQ_INT(stats_side(series.slots, 3 * EACH, 0, 1, &side), 0);
  ASSERT_EQ_INT(side.restarts, 3);
  ASSERT_NEAR(side.log_ns, log(1010), 0.002);
  ASSERT_NEAR(side.sd, 0.01, 0.002);
  ASSERT_TRUE(side.within > 0.0002 && side.within < 0.002);
  stats_side(series.slots, EACH, 0, 1, &side);
  ASSERT_TRUE(side.restarts == 1 && isnan(side.sd));
  ASSERT_EQ_INT(stats_side(series.slots, 2, 0, 1, &side), -1);
  ASSERT_EQ_INT(side.restarts, 0);
  row = stats_side_of_row(1000, 990, 1010, 3, 0.002);
  ASSERT_NEAR(row.log_ns, log(1000), 0);
  ASSERT_NEAR(row.within, 0.01 / 1.959964, 1e-9);
  ASSERT_NEAR(row.sd, 0.002, 0);
  ASSERT_NEAR(stats_side_of_row(1000, NAN, NAN, 1, NAN).within, 0, 0);
}

/* If all readings are equal, the clock's step determines the uncertainty. */
static void ticks_count_across(void) {
  static struct series series;
  struct restart_side side;
  restarted(&series, 3, 3200, ones);
  for (size_t i = 0; i < 3 * EACH * SAMPLES; i++)
    series.ns[i] = 3200;
  stats_side(series.slots, 3 * EACH, 32, 1, &side);
  ASSERT_TRUE(side.within > 4.0 / 3200 && side.sd < 0.001);
  struct ratio r;
  stats_across(&side, &side, &r);
  ASSERT_TRUE(r.half_width95 > 1.9 * sqrt(2) * 4 / 3200);
}

static const struct restart_side one = {1, 6.9, 0.0004, NAN, 0, false}, slower = {1, 6.95, 0.0004, NAN, 0, false},
                                 two = {2, 6.9, 0.0002, 0.02, 0, false}, three = {3, 6.9, 0.0002, 0.001, 0, false},
                                 five = {5, 6.9, 0.0002, 0.001, 0, false}, none = {0};

static void across_runs_the_restart_counts(void) {
  struct ratio r;
  stats_across(&three, &five, &r); /* by Welch's method */
  ASSERT_NEAR(r.error, 0.001 * sqrt(1.0 / 3 + 1.0 / 5), 1e-12);
  ASSERT_NEAR(r.df, pow(1.0 / 3 + 1.0 / 5, 2) / (1.0 / 9 / 2 + 1.0 / 25 / 4), 1e-9);
  struct restart_side drifting = three;
  drifting.drifts = true;
  stats_across(&drifting, &drifting, &r); /* with `drifts`, each run as a whole may be off by as much as a restart */
  ASSERT_NEAR(r.df, 4, 1e-9);
  ASSERT_NEAR(r.error, 0.001 * sqrt(2.0 / 3 + 2), 1e-12);
  ASSERT_EQ_INT(stats_across(&none, &one, &r), -1);
  ASSERT_EQ_INT(stats_verdict(&r), VERDICT_NONE);
}

/* If the standard deviation between restarts is taken from the other run, it keeps that run's degrees of freedom, even
 * if both runs use it. */
static void what_is_lent_is_known_as_well_as_by_its_lender(void) {
  struct ratio r;
  ASSERT_EQ_INT(stats_across(&one, &slower, &r), 0);
  ASSERT_NEAR(r.speedup, exp(-0.05), 1e-12);
  ASSERT_NEAR(r.error, sqrt(2) * hypot(0.003, 0.0004), 1e-9);
  ASSERT_TRUE(r.df > 4 && r.df < 4.2);
  ASSERT_TRUE(r.half_width95 > 1.4 * 1.9 * r.error);
  ASSERT_EQ_INT(stats_verdict(&r), VERDICT_SLOWER);
  ASSERT_EQ_INT(r.restarts, 1);
  stats_across(&five, &one, &r); /* five restarts replace the assumed deviation, which is larger */
  ASSERT_NEAR(r.error, sqrt(1.2e-6 + 0.0002 * 0.0002 + 0.0004 * 0.0004), 1e-12);
  ASSERT_TRUE(r.df > 4 && r.df < 6);
  ASSERT_NEAR(stats_lent(&one, &five).sd, 0.001, 0);
  ASSERT_NEAR(stats_lent(&one, &five).df, 4, 0);
  ASSERT_NEAR(stats_lent(&three, &one).sd, STATS_RESTART_SD, 0); /* three restarts do not replace it */
  ASSERT_NEAR(stats_lent(&two, &one).sd, 0.02, 1e-12); /* two restarts count if they scatter more than is assumed */
  ASSERT_NEAR(stats_lent(&two, &two).df, STATS_RESTART_DF, 0);
}

/* The time of a launch differs between processes by some nanoseconds, however long the kernel takes. That is a larger
 * share of a short kernel's time, so the assumed standard deviation between restarts is larger for short kernels. */
static void what_launches_differ_by_is_assumed_too(void) {
  struct restart_side brief = one, briefer = slower, exact = five;
  struct ratio r;
  brief.launches = exact.launches = 0.5; /* share of the launch in the time: 3.4 of 6.8 us */
  briefer.launches = 0.48;
  ASSERT_NEAR(stats_lent(&brief, &briefer).sd, hypot(0.003, 0.01), 1e-12);
  ASSERT_NEAR(stats_lent(&briefer, &one).sd, hypot(0.003, 0.0096), 1e-12);
  stats_across(&brief, &briefer, &r);
  /* `one` and `slower` differ by the same 5%, but have long kernels, so that their verdict is VERDICT_SLOWER */
  ASSERT_EQ_INT(stats_verdict(&r), VERDICT_UNDECIDED);
  ASSERT_NEAR(stats_lent(&brief, &exact).sd, 0.001, 0); /* five restarts replace the assumed deviation */
  briefer.sd = 0.02;
  briefer.restarts = 2;
  ASSERT_NEAR(stats_lent(&brief, &briefer).sd, 0.02, 1e-12);
}

UNIT_MAIN("stats_restart", UNIT_TEST(one_process_is_the_plain_ratio), UNIT_TEST(processes_are_the_unit),
          UNIT_TEST(rounds_bound_it), UNIT_TEST(short_processes_are_left_out), UNIT_TEST(sides_know_their_restarts),
          UNIT_TEST(ticks_count_across), UNIT_TEST(across_runs_the_restart_counts),
          UNIT_TEST(what_is_lent_is_known_as_well_as_by_its_lender), UNIT_TEST(what_launches_differ_by_is_assumed_too))
