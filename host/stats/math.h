/* Statistics of plain numbers: distributions, order statistics, robust centres, trends, multiple tests. The functions
 * do no I/O. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct interval {
  double lo, hi;
};

/* ---- Distributions ---- */

/* Returns the two-sided Student quantile t: P(|T| <= t) = level, for real df > 0. */
double stats_student(double level, double df);

/* Returns P(|T| > t) for real df > 0. */
double stats_student_tail(double t, double df);

/* Returns P(X <= k) of a binomial variable with n trials of probability p. */
double stats_binomial(double k, double n, double p);

/* ---- Order ---- */

void stats_sort(double *values, size_t count);

/* Returns a quantile of sorted values with linear interpolation (type 7). */
double stats_quantile(const double *sorted, size_t count, double p);

/* Sorts the values and returns their median; NaN without any. */
double stats_median(double *values, size_t count);

/* Sorts the values and returns their mean without the lowest fifth and the highest fifth. Of 3 or 4 values, only the
 * lowest and the highest are left out. NaN if there are no values. */
double stats_trimmed_mean(double *values, size_t count);

/* Returns a 95% interval of the quantile p; its ends are two of the sorted values. `worth`, at most `count`, is the
 * number of independent values that would give as much information as these. NaN if `worth` is too small: below 72, 368
 * and 3688 for p = 0.95, 0.99 and 0.999. */
struct interval stats_quantile_interval(const double *sorted, size_t count, double p, double worth);

/* Returns how many of the sorted values lie outside [low, high]. */
size_t stats_outside(const double *sorted, size_t count, double low, double high);

/* Returns the median of the distances of sorted values from their median. */
double stats_deviation(const double *sorted, size_t count, double median);

/* ---- Centres ---- */

/* An estimate of the centre of values, with the standard error and the degrees of freedom of its Student interval. */
struct centre {
  double value, error, df;
};

/* Returns the factor by which autocorrelation increases the squared error of the mean of a series. */
double stats_inflation(const double *series, size_t count);
/* Returns the largest plausible value of stats_inflation(), because a short series estimates that value badly. `count`
 * is at least 3. */
double stats_inflation_most(const double *series, size_t count);

/* Returns the centre (a robust mean with its error) of at least 3 values, which must be in the order of time.
 * Overwrites the values. */
struct centre stats_centre(double *series, size_t count);

/* ---- Trends ---- */

/* A point of a trend. Slopes are computed only between points of one group. */
struct trend_point {
  double x, y;
  uint32_t group;
};

/* Returns the Theil-Sen slope: the median of the slopes between all pairs of points of one group (P. K. Sen, JASA 63,
 * 1968). NaN if there is no pair. */
double stats_slope(const struct trend_point *points, size_t count);

/* ---- Multiple tests ---- */

/* Marks the p-values that Holm's step-down procedure rejects, so that the probability of any false rejection is at most
 * `alpha` (S. Holm, Scandinavian Journal of Statistics 6, 1979). A NaN in `p` is not counted as a test. Returns how
 * many are rejected. */
size_t stats_holm(const double *p, size_t count, double alpha, bool *reject);
