#include "stats/stats.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "fixture_series.h"
#include "unit.h"

static void summary_of_known_numbers(void) {
  static const double a[] = {7, 1, 3, 9, 5}, b[] = {2, 8, 4, 10, 6};
  const struct slot slots[] = {{.count = 5, .ns = a}, {.round = 1, .count = 5, .ns = b}};
  struct distribution s;
  ASSERT_EQ_INT(stats_summary(slots, 2, 0, 1, &s), 0);
  ASSERT_EQ_INT(s.samples, 10);
  ASSERT_EQ_INT(s.rounds, 2);
  ASSERT_NEAR(s.median, 5.5, 0);
  ASSERT_NEAR(s.mean, 5.5, 1e-14);
  ASSERT_NEAR(s.stddev, 3.0276503540974917, 1e-14);
  ASSERT_NEAR(s.cv, 3.0276503540974917 / 5.5, 1e-14);
  ASSERT_NEAR(s.skew, 0, 1e-14);
  ASSERT_NEAR(s.mad, 2.5, 0);
  ASSERT_NEAR(s.min, 1, 0);
  ASSERT_NEAR(s.max, 10, 0);
  ASSERT_NEAR(s.p05, 1.45, 1e-14);
  ASSERT_NEAR(s.p25, 3.25, 1e-14);
  ASSERT_NEAR(s.p75, 7.75, 1e-14);
  ASSERT_NEAR(s.p95, 9.55, 1e-14);
  ASSERT_TRUE(isnan(s.p99) && isnan(s.p999) && isnan(s.ci95_lo) && isnan(s.ci95_hi));
  ASSERT_TRUE(isnan(s.p95_ci.lo) && isnan(s.p99_ci.lo) && isnan(s.p999_ci.hi) && isnan(s.n_eff));
}

static void summary_needs_samples(void) {
  static const double bad[] = {NAN, INFINITY}, mixed[] = {3, NAN, 5};
  const struct slot none[] = {{.ns = bad}, {.round = 1, .count = 2, .ns = bad}}, some[] = {{.count = 3, .ns = mixed}};
  struct distribution s;
  ASSERT_EQ_INT(stats_summary(NULL, 0, 1, 1, &s), -1);
  ASSERT_EQ_INT(stats_summary(none, 2, 1, 1, &s), -1);
  ASSERT_EQ_INT(stats_summary(some, 1, 0, 1, &s), 0);
  ASSERT_EQ_INT(s.samples, 2);
  ASSERT_NEAR(s.median, 4, 0);
  ASSERT_NEAR(s.mad, 1, 0);
}

/* Computed by hand: the mean is 2 and the deviations are -1 -1 -1 3, so the third moment is 6 and the variance 3. */
static void skew_is_the_third_moment(void) {
  static const double right[] = {1, 1, 1, 5}, left[] = {9, 9, 9, 5}, wide[] = {100, 500, 100, 100},
                      flat[] = {3, 3, 3, 3};
  static const double *const series[] = {right, left, wide, flat};
  /* the skew of equal values is undefined */
  const double skew = 6 / pow(3, 1.5), expected[] = {skew, -skew, skew, NAN};
  for (size_t i = 0; i < sizeof series / sizeof series[0]; i++) {
    const struct slot slot = {.count = 4, .ns = series[i]};
    struct distribution s;
    stats_summary(&slot, 1, 0, 1, &s);
    if (isnan(expected[i]))
      ASSERT_TRUE(isnan(s.skew));
    else
      ASSERT_NEAR(s.skew, expected[i], 1e-14);
  }
}

static void deviation_is_the_plain_one(void) {
  for (size_t count = 1; count < 40; count++) {
    double values[40], distances[40];
    for (size_t i = 0; i < count; i++)
      values[i] = (double)(rng_bits(count, i) % 12);
    struct distribution s;
    const struct slot slot = {.count = (uint32_t)count, .ns = values};
    stats_summary(&slot, 1, 0, 1, &s);
    for (size_t i = 0; i < count; i++) { /* insertion sort */
      double d = fabs(values[i] - s.median);
      size_t j = i;
      for (; j > 0 && distances[j - 1] > d; j--)
        distances[j] = distances[j - 1];
      distances[j] = d;
    }
    ASSERT_NEAR(s.mad, stats_quantile(distances, count, 0.5), 1e-14);
  }
}

static void rare_quantiles_need_samples(void) {
  static double values[3688];
  for (size_t i = 0; i < 3688; i++)
    values[i] = (double)(i + 1);
  static const struct {
    uint32_t count;
    bool p99, p999;
  } rows[] = {{367, false, false}, {368, true, false}, {3687, true, false}, {3688, true, true}};
  for (size_t i = 0; i < 4; i++) {
    const struct slot slot = {.count = rows[i].count, .ns = values};
    struct distribution s;
    stats_summary(&slot, 1, 1, 1, &s);
    ASSERT_EQ_INT(!isnan(s.p99), rows[i].p99);
    ASSERT_EQ_INT(!isnan(s.p999), rows[i].p999);
  }
}

static void outliers_by_fences(void) {
  double values[100];
  for (size_t i = 0; i < 100; i++)
    values[i] = 1000;
  values[3] = 1001;  /* one tick off is no outlier, although the IQR is 0 */
  values[50] = 1002; /* beyond 1.5 ticks, but not beyond 3 */
  values[99] = 900;
  const struct slot slot = {.count = 100, .ns = values};
  struct distribution s;
  stats_summary(&slot, 1, 1, 1, &s);
  ASSERT_EQ_INT(s.outliers, 2);
  ASSERT_EQ_INT(s.outliers_far, 1);
  stats_summary(&slot, 1, 0, 1, &s);
  ASSERT_EQ_INT(s.outliers, 3);
  ASSERT_EQ_INT(s.outliers_far, 3);
}

static void medians_alone_are_the_same(void) {
  static struct series series;
  struct distribution s;
  struct interval ci95;
  double median;
  stream = 11;
  simple(&series, 41, 1000);
  stats_summary(series.slots, 41, 8, 5, &s);
  ASSERT_EQ_INT(stats_median_interval(series.slots, 41, 8, 5, &median, &ci95), 0);
  ASSERT_TRUE(median == s.median && ci95.lo == s.ci95_lo && ci95.hi == s.ci95_hi);
  ASSERT_EQ_INT(stats_median_interval(series.slots, 0, 8, 5, &median, &ci95), -1);
  ASSERT_TRUE(isnan(median) && isnan(ci95.lo));
}

/* Intervals stay within their samples, wherever ranks or the clock's step would put the ends. */
static void intervals_stay_inside_their_samples(void) {
  static const struct {
    const char *what;
    size_t rounds;
    uint32_t samples;
    double tick_ns, low, high; /* no sample lies outside low and high */
    double ns[12];
  } rows[] = {
      {"two speeds, few rounds", 4, 1, 0, 1e5, 2e7, {1e5, 1e5, 1.1e5, 2e7}},
      {"three rounds", 3, 1, 1, 100, 1e6, {100, 120, 1e6}},
      {"a drift: related rounds", 8, 1, 0, 1, 128, {1, 2, 4, 8, 16, 32, 64, 128}},
      {"two speeds in turns", 6, 2, 1, 1e5, 3e7, {1e5, 1e5, 3e7, 1e5, 1e5, 1e5, 3e7, 3e7, 1e5, 1e5, 1e5, 3e7}},
      {"the slow one in the middle", 5, 1, 30, 50, 9e5, {50, 60, 9e5, 70, 80}},
      {"equal, below a coarse step", 6, 1, 1000, 40, 2000, {40, 40, 40, 40, 40, 40}},
      {"equal, above a fine one", 6, 1, 1, 999, 1001, {1000, 1000, 1000, 1000, 1000, 1000}},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    struct slot slots[12];
    struct distribution s;
    struct interval ci95;
    double median;
    for (size_t j = 0; j < rows[i].rounds; j++)
      slots[j] =
          (struct slot){.round = (uint32_t)j, .count = rows[i].samples, .ns = rows[i].ns + j * (size_t)rows[i].samples};
    ASSERT_EQ_INT(stats_summary(slots, rows[i].rounds, rows[i].tick_ns, 1, &s), 0);
    if (!(s.ci95_lo >= rows[i].low && s.ci95_lo <= s.median && s.ci95_hi >= s.median && s.ci95_hi <= rows[i].high))
      UNIT_FAIL("%s: [%g, %g] of median %g", rows[i].what, s.ci95_lo, s.ci95_hi, s.median);
    ASSERT_EQ_INT(stats_median_interval(slots, rows[i].rounds, rows[i].tick_ns, 1, &median, &ci95), 0);
    ASSERT_TRUE(ci95.lo == s.ci95_lo && ci95.hi == s.ci95_hi);
  }
}

/* An interval is widened by half a step of the clock at both ends, but never to zero or below. */
static void rare_intervals_stay_above_zero(void) {
  static const double times[] = {0.25, 3, 40, 1e6}, ticks[] = {8, 8, 100, 100};
  double values[4000];
  for (size_t i = 0; i < 4; i++) {
    for (size_t j = 0; j < 4000; j++)
      values[j] = times[i];
    const struct slot slot = {.count = 4000, .ns = values};
    struct distribution s;
    ASSERT_EQ_INT(stats_summary(&slot, 1, ticks[i], 1, &s), 0);
    const struct interval *all[] = {&s.p95_ci, &s.p99_ci, &s.p999_ci};
    for (int k = 0; k < 3; k++)
      ASSERT_TRUE(all[k]->lo > 0 && all[k]->lo <= times[i] && all[k]->hi >= times[i]);
  }
}

/* If samples of a slot are late all together or not at all, they carry little more information than the slots. */
static void late_slots_widen_rare_quantiles(void) {
  static struct series even, bunched;
  struct distribution a, b;
  stream = 12;
  simple(&even, 200, 1000);
  simple(&bunched, 200, 1000);
  for (size_t i = 0; i < 200 * SAMPLES; i++) {
    even.ns[i] *= 1 + 0.1 * (i % 13 == 5);
    bunched.ns[i] *= 1 + 0.1 * (i / SAMPLES % 13 == 5);
  }
  stats_summary(even.slots, 200, 0, 1, &a);
  stats_summary(bunched.slots, 200, 0, 1, &b);
  ASSERT_TRUE(a.p95_ci.lo <= a.p95 && a.p95 <= a.p95_ci.hi && b.p95_ci.lo <= b.p95 && b.p95 <= b.p95_ci.hi);
  ASSERT_TRUE(b.p95_ci.hi - b.p95_ci.lo > 2 * (a.p95_ci.hi - a.p95_ci.lo));
}

/* If there is only one slot, it is cut into sections, which are treated like slots. */
static void one_slot_has_rare_quantiles(void) {
  static double even[2400], bunched[2400];
  const struct slot a = {.count = 2400, .ns = even}, b = {.count = 2400, .ns = bunched};
  struct distribution s, t;
  for (size_t i = 0; i < 2400; i++) {
    even[i] = 1000 + (double)(rng_bits(3, i) % 100) + (i % 12 == 5 ? 500 : 0);
    bunched[i] = 1000 + (double)(rng_bits(3, i) % 100) + (i % 1200 < 100 ? 500 : 0);
  }
  stats_summary(&a, 1, 0, 1, &s);
  stats_summary(&b, 1, 0, 1, &t);
  ASSERT_TRUE(s.p95_ci.lo > 1400 && s.p95_ci.hi < 1600);
  ASSERT_TRUE(isnan(t.p95_ci.lo) || t.p95_ci.lo < 1400);
}

static void slow_noise_leaves_fewer_rounds(void) {
  static struct series series;
  struct distribution fresh, slow;
  stream = 13;
  simple(&series, 120, 1000);
  stats_summary(series.slots, 120, 0, 1, &fresh);
  for (size_t i = 0; i < 120 * SAMPLES; i++)
    series.ns[i] *= 1 + 0.02 * sin(0.2 * (double)(i / SAMPLES));
  stats_summary(series.slots, 120, 0, 1, &slow);
  ASSERT_TRUE(fresh.n_eff > 40 && fresh.n_eff <= 120);
  ASSERT_TRUE(slow.n_eff > 0 && slow.n_eff < 15);
}

static void drift_is_from_first_to_last(void) {
  static struct series series;
  struct distribution s;
  stream = 14;
  static const size_t rounds[] = {2, 18, 41, 320}; /* with many rounds, a point of the slope is several samples */
  for (size_t k = 0; k < 4; k++) {
    size_t count = rounds[k] * SAMPLES;
    simple(&series, rounds[k], 1000);
    for (size_t i = 0; i < count; i++) {
      series.ns[i] = 1000 * (1 + 0.25 * (double)i / (double)(count - 1));
      if (i % 7 == 3) series.ns[i] *= 3; /* outliers do not change the slope */
    }
    stats_summary(series.slots, rounds[k], 0, 1, &s);
    ASSERT_NEAR(s.drift, 0.25, rounds[k] > 20 ? 1e-3 : 1e-12);
  }
  static const double one[] = {5};
  stats_summary(&(struct slot){.count = 1, .ns = one}, 1, 0, 1, &s);
  ASSERT_TRUE(isnan(s.drift));
}

/* Two processes, one slower than the other, are no drift. Slots may come in any order. */
static void restarts_are_no_drift(void) {
  static struct series series;
  struct slot turned[40];
  struct distribution s, t;
  stream = 15;
  simple(&series, 40, 1000);
  for (size_t r = 0; r < 40; r++) {
    series.slots[r].epoch = r < 20 ? 1 : 2;
    series.slots[r].round = (uint32_t)(r % 20);
    for (size_t i = 0; i < SAMPLES; i++)
      series.ns[r * SAMPLES + i] = r < 20 ? 1000 : 1300;
    turned[39 - r] = series.slots[r];
  }
  stats_summary(series.slots, 40, 0, 1, &s);
  stats_summary(turned, 40, 0, 1, &t);
  ASSERT_NEAR(s.drift, 0, 0);
  ASSERT_NEAR(t.drift, 0, 0);
  ASSERT_NEAR(t.median, s.median, 0);
}

/* Times summary and ratio of two variants with 20,000 slots of 50 samples. The bounds are those of the design, or
 * larger ones if a sanitizer or an unoptimized build slows the code down. */
static void a_million_samples_in_a_second(void) {
  enum { COUNT = 20000, EACH = 50 };
  double *ns = malloc(2 * sizeof *ns * COUNT * EACH);
  struct slot *slots = malloc(2 * sizeof *slots * COUNT);
  stream = 8;
  for (size_t i = 0; i < 2 * COUNT * EACH; i++)
    ns[i] = 1000 * (1 + 0.01 * uniform());
  for (size_t i = 0; i < 2 * COUNT; i++)
    slots[i] = (struct slot){.round = (uint32_t)(i % COUNT), .count = EACH, .ns = ns + i * EACH};
  struct distribution s;
  struct ratio r;
  clock_t before = clock();
  stats_summary(slots, COUNT, 1, 1, &s);
  stats_ratio(slots, COUNT, slots + COUNT, COUNT, 1, 1, &r);
  double seconds = (double)(clock() - before) / CLOCKS_PER_SEC;
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  printf("[%.2f s, %ld MB at most] ", seconds, usage.ru_maxrss / 1024);
  ASSERT_EQ_INT(s.samples, 1000000);
  ASSERT_NEAR(s.median, 1005, 0.05);
  ASSERT_NEAR(r.speedup, 1, 1e-4);
  ASSERT_NEAR(s.drift, 0, 1e-3);
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__)
  ASSERT_TRUE(seconds < 1);
  ASSERT_TRUE(usage.ru_maxrss < 200 * 1024);
#else
  ASSERT_TRUE(seconds < 30);
#endif
  free(ns);
  free(slots);
}

UNIT_MAIN("stats", UNIT_TEST(summary_of_known_numbers), UNIT_TEST(summary_needs_samples),
          UNIT_TEST(skew_is_the_third_moment), UNIT_TEST(deviation_is_the_plain_one),
          UNIT_TEST(rare_quantiles_need_samples), UNIT_TEST(outliers_by_fences), UNIT_TEST(medians_alone_are_the_same),
          UNIT_TEST(intervals_stay_inside_their_samples), UNIT_TEST(rare_intervals_stay_above_zero),
          UNIT_TEST(late_slots_widen_rare_quantiles), UNIT_TEST(one_slot_has_rare_quantiles),
          UNIT_TEST(slow_noise_leaves_fewer_rounds), UNIT_TEST(drift_is_from_first_to_last),
          UNIT_TEST(restarts_are_no_drift), UNIT_TEST(a_million_samples_in_a_second))
