/* Order statistics, robust centres, distributions and trends. */
#include "stats/math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Order statistics: quantiles and their intervals, fences, deviation. */

static int doubles_by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Arrays of at most this many values, such as the consecutive samples of a slot, are sorted by insertion. */
enum { FEW = 64 };

static void sort_few(double *values, size_t count) {
  for (size_t i = 1; i < count; i++) {
    const double value = values[i];
    size_t at = i;
    for (; at > 0 && values[at - 1] > value; at--)
      values[at] = values[at - 1];
    values[at] = value;
  }
}

void stats_sort(double *values, size_t count) {
  if (count <= FEW)
    sort_few(values, count);
  else
    qsort(values, count, sizeof *values, doubles_by_value);
}

double stats_quantile(const double *sorted, size_t count, double p) {
  if (count == 0) return NAN;
  double place = (double)(count - 1) * fmin(fmax(p, 0), 1);
  size_t below = (size_t)place;
  if (below + 1 >= count) return sorted[count - 1];
  return sorted[below] + (place - (double)below) * (sorted[below + 1] - sorted[below]);
}

double stats_median(double *values, size_t count) {
  stats_sort(values, count);
  return stats_quantile(values, count, 0.5);
}

double stats_trimmed_mean(double *values, size_t count) {
  size_t cut = (count + 2) / 5;
  double sum = 0;
  stats_sort(values, count);
  for (size_t i = cut; i < count - cut; i++)
    sum += values[i];
  return count > 0 ? sum / (double)(count - 2 * cut) : NAN;
}

/* Returns the smallest k with P(X <= k) >= probability, for a binomial variable. */
static double binomial_quantile(double probability, double n, double p) {
  double low = -1, high = n;
  while (high - low > 1) {
    double middle = floor((low + high) / 2);
    if (stats_binomial(middle, n, p) >= probability)
      high = middle;
    else
      low = middle;
  }
  return high;
}

struct interval stats_quantile_interval(const double *sorted, size_t count, double p, double worth) {
  double n = floor(fmin(worth, (double)count)), scale = ((double)count + 1) / (n + 1);
  if (!(n >= 1)) return (struct interval){NAN, NAN};
  /* The ends of the interval are the values of two ranks, counted from 1. Let X be the number of values below the
   * quantile; it has a binomial distribution. If X < r, the quantile lies below the value of rank r. */
  double lower = binomial_quantile(0.025, n, p), upper = binomial_quantile(0.975, n, p) + 1;
  /* If P(X <= lower) is exactly 2.5%, the quantile lies below the value of rank lower + 1 in only 2.5% of cases, so the
   * interval may begin at that rank. */
  if (stats_binomial(lower, n, p) <= 0.025) lower++;
  if (lower < 1 || upper > n) return (struct interval){NAN, NAN};
  size_t from = (size_t)fmax(floor(lower * scale), 1), to = (size_t)fmin(ceil(upper * scale), (double)count);
  return (struct interval){sorted[from - 1], sorted[to - 1]};
}

size_t stats_outside(const double *sorted, size_t count, double low, double high) {
  size_t below = 0, above = 0;
  while (below < count && sorted[below] < low)
    below++;
  while (above < count - below && sorted[count - 1 - above] > high)
    above++;
  return below + above;
}

/* The distances of the values below the median, and those of the values above it, are two sorted lists. They are merged
 * up to the middle. */
double stats_deviation(const double *sorted, size_t count, double median) {
  size_t right = 0;
  while (right < count && sorted[right] < median)
    right++;
  size_t left = right;
  double former = 0, last = 0;
  for (size_t taken = 0; taken <= count / 2; taken++) {
    former = last;
    bool take_left = left > 0 && (right >= count || median - sorted[left - 1] <= sorted[right] - median);
    last = take_left ? median - sorted[--left] : sorted[right++] - median;
  }
  return count % 2 == 1 ? last : (former + last) / 2;
}

/* The functions below compute the centre of a series of values, one per round of measurements, and the centre's error.
 * Values may be outliers, and neighbouring values may be correlated. */

/* The mean of a series and the sum of squares about it. */
struct scatter {
  double mean, squares;
};

static struct scatter scatter_of(const double *series, size_t count) {
  struct scatter s = {0, 0};
  /* the mean is updated value by value, so that the sum of squares of equal values is exactly 0 */
  for (size_t i = 0; i < count; i++)
    s.mean += (series[i] - s.mean) / (double)(i + 1);
  for (size_t i = 0; i < count; i++)
    s.squares += (series[i] - s.mean) * (series[i] - s.mean);
  return s;
}

/* Returns the autocorrelation of the series at a lag. The estimate is too low on average, so 1/n is added. */
static double resemblance(const double *series, size_t count, const struct scatter *scatter, size_t lag) {
  double products = 0;
  for (size_t i = lag; i < count; i++)
    products += (series[i] - scatter->mean) * (series[i - lag] - scatter->mean);
  return products / scatter->squares + 1 / (double)count;
}

/* Returns one plus twice the sum of the autocorrelations rho_1, rho_2, ... of the noise. A few rounds do not suffice to
 * estimate them, so it is the largest of three estimates:
 *
 * (1) All of the noise changes slowly, rho_k = rho_1^k: (1 + rho_1) / (1 - rho_1).
 * (2) A part of the noise changes slowly, rho_k = rho_1 0.7^(k-1): 1 + 2 rho_1 / (1 - 0.7).
 * (3) The autocorrelations as measured, up to the first that is not positive (Geyer, Statistical Science 7, 1992). */
double stats_inflation(const double *series, size_t count) {
  enum { MOST = 200 }; /* largest lag; computing all lags of 20,000 rounds would take a second */
  const struct scatter scatter = scatter_of(series, count);
  double first = 0, sum = 0;
  if (!(scatter.squares > 0)) return 1;
  for (size_t lag = 1; lag <= count / 3 && lag <= MOST; lag++) {
    double rho = resemblance(series, count, &scatter, lag);
    if (rho <= 0) break;
    if (lag == 1) first = fmin(rho, 0.9);
    sum += rho;
  }
  return fmax(fmax((1 + first) / (1 - first), 1 + 2 * first / (1 - 0.7)), 1 + 2 * sum);
}

/* Returns the largest plausible value of stats_inflation(), from autocorrelations that are increased by two standard
 * errors of 1 / sqrt(n) each (Bartlett, Supplement to the JRSS 8, 1946). Sampling tends to stop when the noise looks
 * smaller than it is; the increase makes up for that.
 *
 * With fewer than 12 rounds the increase is smaller. README.md in tests/stats has costs and benefits. */
double stats_inflation_most(const double *series, size_t count) {
  const struct scatter scatter = scatter_of(series, count);
  if (!(scatter.squares > 0)) return 1;
  const double n = (double)count, doubt = 2 * sqrt(n) / fmax(n, 12);
  const double first = resemblance(series, count, &scatter, 1), second = resemblance(series, count, &scatter, 2);
  const double most = fmin(fmax(first + doubt, 0), 0.9);
  const double widen = fmax(stats_inflation(series, count), (1 + most) / (1 - most));
  if (first <= doubt) return widen;
  const double fall = fmin(fmax((second + doubt) / first, most), 0.95);
  return fmax(widen, 1 + 2 * first / (1 - fall));
}

/* Computes the 20%-trimmed mean and its winsorised standard error (Yuen, Biometrika 61, 1974). Autocorrelation makes
 * the error larger and the degrees of freedom fewer, but at least 3: few rounds look correlated by chance (README.md in
 * tests/stats). */
struct centre stats_centre(double *series, size_t count) {
  SCOPED double *sorted = xcalloc(count, sizeof *sorted);
  memcpy(sorted, series, count * sizeof *sorted);
  stats_sort(sorted, count);
  size_t cut = count / 5;
  double low = sorted[cut], high = sorted[count - 1 - cut], sum = 0, mean = 0, squares = 0;
  for (size_t i = cut; i < count - cut; i++)
    sum += sorted[i];
  for (size_t i = 0; i < count; i++) {
    series[i] = fmin(fmax(series[i], low), high);
    mean += (series[i] - mean) / (double)(i + 1);
  }
  for (size_t i = 0; i < count; i++)
    squares += (series[i] - mean) * (series[i] - mean);
  double widen = stats_inflation_most(series, count), left = (double)(count - 2 * cut);
  return (struct centre){sum / left, sqrt(widen * squares / (left * (left - 1))),
                         fmax((left - 1) / widen, fmin(left - 1, 3))};
}

/* Student's t and the binomial distribution, by the regularised incomplete beta function. */

/* Evaluates the continued fraction of I_x(a, b) by Lentz's method (DLMF 8.17.22). It converges fast for x <
 * (a+1)/(a+b+2). */
static double beta_fraction(double a, double b, double x) {
  const double tiny = 1e-300;
  double c = 1, d = 1 - (a + b) * x / (a + 1);
  d = 1 / (fabs(d) < tiny ? tiny : d);
  double value = d;
  for (int m = 1; m <= 10000; m++) {
    const double steps[2] = {m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                             -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))};
    double change = 1;
    for (int i = 0; i < 2; i++) {
      d = 1 + steps[i] * d;
      c = 1 + steps[i] / c;
      d = 1 / (fabs(d) < tiny ? tiny : d);
      if (fabs(c) < tiny) c = tiny;
      change = d * c;
      value *= change;
    }
    if (fabs(change - 1) < 1e-15) break;
  }
  return value;
}

/* Returns the regularised incomplete beta function I_x(a, b). The caller passes y = 1 - x as well, because computing it
 * from an x near 1 would lose all digits. */
static double incomplete_beta(double a, double b, double x, double y) {
  if (x <= 0) return 0;
  if (y <= 0) return 1;
  double log_x = y < 0.5 ? log1p(-y) : log(x), log_y = x < 0.5 ? log1p(-x) : log(y);
  double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log_x + b * log_y);
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, y) / b;
}

double stats_student_tail(double t, double df) {
  if (!(df > 0) || isnan(t)) return NAN;
  /* from a df of 1e6 on, the distribution is within 2e-6 of the normal one; with a larger df lgamma() would lose digits
   * by cancellation */
  if (df > 1e6) df = 1e6;
  double square = t * t;
  return isinf(square) ? 0 : incomplete_beta(df / 2, 0.5, df / (df + square), square / (df + square));
}

static double density(double t, double df) {
  double front = lgamma((df + 1) / 2) - lgamma(df / 2) - 0.5 * log(df * 3.14159265358979323846);
  return exp(front - (df + 1) / 2 * log1p(t / df * t));
}

/* Returns the t for which stats_student_tail() is `probability`. As a function of t the tail falls and is convex, so
 * Newton's steps from the left never overshoot. */
static double invert(double probability, double df) {
  if (df > 1e6) df = 1e6;
  double low = 0, high = 1;
  while (stats_student_tail(high, df) > probability && high < 1e150) {
    low = high;
    high *= 2;
  }
  for (int i = 0; i < 100; i++) {
    double step = (stats_student_tail(low, df) - probability) / (2 * density(low, df));
    if (!(step > 1e-15 * high)) break;
    low = fmin(low + step, high);
  }
  return low;
}

/* Keeps the last results, because a comparison of many rows needs the same few quantiles again and again. */
double stats_student(double level, double df) {
  enum { KNOWN = 8 };
  static _Thread_local struct { double level, df, t; } known[KNOWN];
  static _Thread_local unsigned next;
  if (!(level > 0 && level < 1 && df > 0)) return NAN;
  for (unsigned i = 0; i < KNOWN; i++)
    if (known[i].level == level && known[i].df == df) return known[i].t;
  double t = invert(1 - level, df);
  known[next].level = level;
  known[next].df = df;
  known[next].t = t;
  next = (next + 1) % KNOWN;
  return t;
}

double stats_binomial(double k, double n, double p) {
  if (!(n >= 0 && p >= 0 && p <= 1)) return NAN;
  if (k < 0) return 0;
  k = floor(k);
  return k >= n ? 1 : incomplete_beta(n - k, k + 1, 1 - p, p);
}

/* Trends and multiple tests. */

double stats_slope(const struct trend_point *points, size_t count) {
  SCOPED double *slopes = xcalloc(count * (count + 1) / 2, sizeof *slopes);
  size_t found = 0;
  for (size_t i = 0; i < count; i++)
    for (size_t j = i + 1; j < count; j++)
      if (points[i].group == points[j].group && points[i].x != points[j].x)
        slopes[found++] = (points[j].y - points[i].y) / (points[j].x - points[i].x);
  return stats_median(slopes, found);
}

struct test {
  double p;
  size_t index;
};

static int by_p(const void *a, const void *b) {
  double x = ((const struct test *)a)->p, y = ((const struct test *)b)->p;
  return (x > y) - (x < y);
}

size_t stats_holm(const double *p, size_t count, double alpha, bool *reject) {
  SCOPED struct test *tests = xcalloc(count, sizeof *tests);
  size_t found = 0, rejected = 0;
  for (size_t i = 0; i < count; i++) {
    reject[i] = false;
    if (!isnan(p[i])) tests[found++] = (struct test){p[i], i};
  }
  qsort(tests, found, sizeof *tests, by_p);
  while (rejected < found && tests[rejected].p <= alpha / (double)(found - rejected))
    reject[tests[rejected++].index] = true;
  return rejected;
}
