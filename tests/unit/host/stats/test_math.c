#include "stats/math.h"

#include "base/rng.h"
#include "unit.h"

/* Expected values are t.ppf((1 + level) / 2, df), computed with 25 digits; SciPy agrees to 1e-10. */
static void student_is_tabulated(void) {
  static const struct {
    double level, df, t;
  } rows[] = {
      {0.95, 1, 12.706204736174705},  {0.95, 2, 4.3026527297494639},  {0.95, 7, 2.3646242515927853},
      {0.95, 10, 2.2281388519862747}, {0.95, 30, 2.0422724563012383}, {0.95, 100, 1.9839715185235523},
      {0.99, 1, 63.656741162871581},  {0.99, 3, 5.8409093097333573},  {0.99, 7, 3.4994832973504939},
      {0.99, 30, 2.7499956535672253}, {0.5, 5, 0.72668684380042265},  {0.9, 4, 2.1318467863266503},
      {0.95, 1e9, 1.959963984540054},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    ASSERT_NEAR(stats_student(rows[i].level, rows[i].df), rows[i].t, rows[i].df > 1e6 ? 5e-6 : 1e-12 * rows[i].t);
}

/* Fractional degrees of freedom give values between those of whole ones, also below 1; invalid arguments give NaN. */
static void student_takes_real_df(void) {
  double last = INFINITY;
  for (double df = 0.3; df < 60; df += 0.1) {
    double t = stats_student(0.95, df);
    if (!(t < last && t > 1.959963984)) UNIT_FAIL("df %g: %g after %g", df, t, last);
    last = t;
  }
  ASSERT_TRUE(isnan(stats_student(0.95, 0)));
  ASSERT_TRUE(isnan(stats_student(1, 5)));
  ASSERT_TRUE(isnan(stats_student(0, 5)));
}

/* Expected values are 2 t.sf(t, df) from SciPy. */
static void student_tails_are_tabulated(void) {
  ASSERT_NEAR(stats_student_tail(0, 3), 1, 0);
  ASSERT_NEAR(stats_student_tail(12.706204736174705, 1), 0.05, 1e-14);
  ASSERT_NEAR(stats_student_tail(-2.0422724563012383, 30), 0.05, 1e-14);
  ASSERT_NEAR(stats_student_tail(1.959963984540054, 1e9), 0.05, 1e-6);
  ASSERT_NEAR(stats_student_tail(40, 10) / 2.2808577430857475e-12, 1, 1e-9);
  ASSERT_NEAR(stats_student_tail(INFINITY, 4), 0, 0);
  ASSERT_TRUE(isnan(stats_student_tail(1, 0)) && isnan(stats_student_tail(NAN, 3)));
}

static void binomials_are_sums(void) {
  for (int n = 1; n <= 40; n += 3)
    for (double p = 0.05; p < 1; p += 0.15) {
      double below = 0, term = pow(1 - p, n);
      for (int k = 0; k <= n; k++) {
        below += term;
        ASSERT_NEAR(stats_binomial(k, n, p), below, 1e-12);
        term *= (double)(n - k) / (k + 1) * p / (1 - p);
      }
    }
  ASSERT_NEAR(stats_binomial(-1, 5, 0.5), 0, 0);
  ASSERT_NEAR(stats_binomial(3, 5, 0), 1, 0);
  ASSERT_NEAR(stats_binomial(3, 5, 1), 0, 0);
  ASSERT_TRUE(isnan(stats_binomial(1, 5, 1.5)));
}

static void quantiles_are_type_7(void) {
  static const double v[] = {1, 2, 4, 8};
  ASSERT_NEAR(stats_quantile(v, 4, 0), 1, 0);
  ASSERT_NEAR(stats_quantile(v, 4, 0.25), 1.75, 1e-15);
  ASSERT_NEAR(stats_quantile(v, 4, 0.5), 3, 1e-15);
  ASSERT_NEAR(stats_quantile(v, 4, 0.9), 6.8, 1e-14);
  ASSERT_NEAR(stats_quantile(v, 4, 1), 8, 0);
  ASSERT_NEAR(stats_quantile(v, 1, 0.3), 1, 0);
  ASSERT_TRUE(isnan(stats_quantile(v, 0, 0.5)));
}

static void medians_sort(void) {
  double v[] = {5, 1, 4, 2};
  ASSERT_NEAR(stats_median(v, 4), 3, 0);
  ASSERT_NEAR(v[0] + 10 * v[3], 51, 0);
  ASSERT_TRUE(isnan(stats_median(v, 0)));
  ASSERT_NEAR(stats_trimmed_mean((double[]){1e9, 2, 4, 3, -1e9}, 5), 3, 0);
  ASSERT_NEAR(stats_trimmed_mean((double[]){1e9, 2, 4}, 3), 4, 0);
  ASSERT_NEAR(stats_trimmed_mean((double[]){7, 10}, 2), 8.5, 0);
  ASSERT_NEAR(stats_trimmed_mean((double[]){7}, 1), 7, 0);
  ASSERT_TRUE(isnan(stats_trimmed_mean(v, 0)));
}

/* The quantile p has an interval only if there are n values with 1 - p^n >= 0.975: at least 72, 368 or 3688. */
static void intervals_of_rare_quantiles(void) {
  static const struct {
    double p;
    size_t least;
  } rows[] = {{0.95, 72}, {0.99, 368}, {0.999, 3688}};
  static double v[4000];
  for (size_t i = 0; i < 4000; i++)
    v[i] = (double)(i + 1);
  for (size_t i = 0; i < 3; i++) {
    size_t least = rows[i].least;
    struct interval few = stats_quantile_interval(v, least - 1, rows[i].p, 1e9);
    struct interval enough = stats_quantile_interval(v, least, rows[i].p, 1e9);
    struct interval related = stats_quantile_interval(v, 4000, rows[i].p, (double)least - 0.1);
    ASSERT_TRUE(isnan(few.lo) && isnan(few.hi) && isnan(related.lo) && isnan(related.hi));
    ASSERT_NEAR(enough.hi, (double)least, 0);
    ASSERT_TRUE(enough.lo > 1 && enough.lo < (double)least * rows[i].p);
  }
  struct interval ten = stats_quantile_interval(v, 10, 0.5, 10); /* of the median, as in published tables */
  ASSERT_NEAR(ten.lo, 2, 0);
  ASSERT_NEAR(ten.hi, 9, 0);
  ASSERT_TRUE(isnan(stats_quantile_interval(v, 0, 0.5, 0).lo));
}

static void slopes_are_medians(void) {
  static const struct trend_point line[] = {{0, 1, 1}, {1, 3, 1}, {2, 5, 1}, {3, 999, 1}, {4, 9, 1}},
                                  apart[] = {{0, 1, 1}, {1, 1, 1}, {0, 50, 2}, {1, 50, 2}},
                                  same[] = {{1, 1, 1}, {1, 2, 1}};
  ASSERT_NEAR(stats_slope(line, 5), 2, 0);
  ASSERT_NEAR(stats_slope(apart, 4), 0, 0);
  ASSERT_TRUE(isnan(stats_slope(same, 2)) && isnan(stats_slope(NULL, 0)));
}

static void holm_steps_down(void) {
  static const double p[] = {0.01, 0.04, 0.03, 0.005}, missing[] = {NAN, 0.04, NAN};
  bool reject[4];
  ASSERT_EQ_INT(stats_holm(p, 4, 0.05, reject), 2); /* 0.005 <= 0.05/4, 0.01 <= 0.05/3, 0.03 > 0.05/2 */
  ASSERT_TRUE(reject[0] && !reject[1] && !reject[2] && reject[3]);
  ASSERT_EQ_INT(stats_holm(missing, 3, 0.05, reject), 1);
  ASSERT_TRUE(!reject[0] && reject[1] && !reject[2]);
  ASSERT_EQ_INT(stats_holm(p, 0, 0.05, reject), 0);
}

/* Equal values have no error and no autocorrelation, even if rounding makes their mean differ from them. */
static void equal_values_resemble_nothing(void) {
  for (size_t count = 3; count < 60; count++) {
    double v[60];
    for (size_t i = 0; i < count; i++)
      v[i] = 0.1 * (double)count;
    ASSERT_NEAR(stats_inflation(v, count), 1, 0);
    struct centre c = stats_centre(v, count);
    ASSERT_NEAR(c.value, 0.1 * (double)count, 1e-13);
    ASSERT_NEAR(c.error, 0, 0);
    ASSERT_TRUE(c.df >= 1);
  }
}

/* The same values are more uncertain in the order of a slow oscillation than in shuffled order. */
static void slow_swings_widen(void) {
  double slow[120], shuffled[120];
  for (size_t i = 0; i < 120; i++) {
    slow[i] = sin(0.2 * (double)i);
    shuffled[i * 49 % 120] = slow[i];
  }
  ASSERT_TRUE(stats_inflation(slow, 120) > 10);
  ASSERT_TRUE(stats_inflation(shuffled, 120) < 2);
  struct centre a = stats_centre(slow, 120), b = stats_centre(shuffled, 120);
  ASSERT_NEAR(a.value, b.value, 1e-12);
  ASSERT_TRUE(a.error > 2 * b.error && a.df < b.df / 4);
}

/* Autocorrelation is found even if a tenth of the rounds has arbitrary values. */
static void wild_rounds_hide_no_swing(void) {
  double slow[100];
  for (size_t i = 0; i < 100; i++)
    slow[i] = sin(0.3 * (double)i) + (i % 10 == 3 ? (i % 20 == 3 ? 50 : -50) : 0);
  double plain = stats_inflation(slow, 100), df = stats_centre(slow, 100).df;
  ASSERT_TRUE(plain < 3);
  ASSERT_TRUE(59 / df > 5);
}

/* stats_inflation() estimates how much autocorrelation increases the variance of a mean; stats_inflation_most() returns
 * an upper limit. With 18 uncorrelated rounds the limit is far above the estimate, with 300 it is not. Below 12 rounds
 * the limit is lowered again, because otherwise few rounds would never allow a conclusion. */
static void few_rounds_leave_memory_open(void) {
  static double noise[300];
  for (uint64_t i = 0; i < 300; i++)
    noise[i] = (double)rng_bits(rng_key(5, 0), i) / 18446744073709551616.0;
  ASSERT_TRUE(stats_inflation(noise, 18) < 1.7 && stats_inflation(noise, 300) < 1.5);
  ASSERT_TRUE(stats_inflation_most(noise, 18) > 1.8 * stats_inflation(noise, 18));
  ASSERT_TRUE(stats_inflation_most(noise, 300) < 1.5);
  ASSERT_TRUE(stats_inflation_most(noise, 3) < 5);
}

/* Autocorrelated values count as fewer independent ones, which leaves fewer degrees of freedom (df). For five or ten
 * rising values there are still 2 or 3. */
static void few_rounds_keep_their_freedom(void) {
  double five[] = {1, 2, 3, 4, 5}, ten[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  ASSERT_TRUE(stats_inflation(ten, 10) > 3);
  ASSERT_NEAR(stats_centre(five, 5).df, 2, 0);
  ASSERT_NEAR(stats_centre(ten, 10).df, 3, 0);
}

UNIT_MAIN("stats_math", UNIT_TEST(student_is_tabulated), UNIT_TEST(student_takes_real_df),
          UNIT_TEST(student_tails_are_tabulated), UNIT_TEST(binomials_are_sums), UNIT_TEST(quantiles_are_type_7),
          UNIT_TEST(medians_sort), UNIT_TEST(intervals_of_rare_quantiles), UNIT_TEST(slopes_are_medians),
          UNIT_TEST(few_rounds_leave_memory_open), UNIT_TEST(holm_steps_down), UNIT_TEST(equal_values_resemble_nothing),
          UNIT_TEST(slow_swings_widen), UNIT_TEST(wild_rounds_hide_no_swing), UNIT_TEST(few_rounds_keep_their_freedom))
