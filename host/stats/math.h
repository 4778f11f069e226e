/* Statistics of plain numbers: distributions, order statistics, robust centres, trends, many tests at once. Knows no
 * slots. Pure. */
#ifndef STATS_MATH_H
#define STATS_MATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct interval {
  double lo, hi;
};

/* ---- Distributions ---- */

/* Two-sided Student quantile: P(|T| <= t) = level, for real df > 0. */
double stats_student(double level, double df);

/* P(|T| > t) for real df > 0. */
double stats_student_tail(double t, double df);

/* P(X <= k) of a binomial: n trials, each a success with probability p. */
double stats_binomial(double k, double n, double p);

/* ---- Order ---- */

void stats_sort(double *values, size_t count);

/* Quantile with linear interpolation (type 7) of sorted values. */
double stats_quantile(const double *sorted, size_t count, double p);

/* The middle of values, which it sorts. NaN with none. */
double stats_median(double *values, size_t count);

/* The mean of values, which it sorts, without the lowest and the highest fifth; of 3 and 4 without the ends. NaN with
 * none. */
double stats_trimmed_mean(double *values, size_t count);

/* 95% interval of a quantile between two order statistics: of `worth` independent values, at most 2.5% of the time so
 * few lie below it, and so many. NaN where no order statistic is far enough out: with fewer than 72, 368 and 3688 for
 * p = 0.95, 0.99 and 0.999. `worth`: how many independent values the `count` sorted ones are worth; at most `count`. */
struct interval stats_quantile_interval(const double *sorted, size_t count, double p, double worth);

/* How many sorted values lie outside [low, high]. */
size_t stats_outside(const double *sorted, size_t count, double low, double high);

/* Median distance of sorted values from their median. */
double stats_deviation(const double *sorted, size_t count, double median);

/* ---- Centres ---- */

/* A location with the error and the degrees of freedom of its Student interval. */
struct centre {
  double value, error, df;
};

/* By how much neighbours' resemblance widens the squared error of a mean. */
double stats_inflation(const double *series, size_t count);
/* By how much it may, where `count` (at least 3) shows little. */
double stats_inflation_most(const double *series, size_t count);

/* Of at least 3 values in time order. Overwrites them. */
struct centre stats_centre(double *series, size_t count);

/* ---- Trends ---- */

/* A point of a trend. Slopes are taken only between points of one group. */
struct trend_point {
  double x, y;
  uint32_t group;
};

/* Theil and Sen's slope: the median of the slopes of all pairs (P. K. Sen, JASA 63, 1968). NaN without a pair. */
double stats_slope(const struct trend_point *points, size_t count);

/* ---- Many tests at once ---- */

/* Holm's step-down: which of `count` p-values may be rejected so that a false one is among them with a probability of
 * at most `alpha` (S. Holm, Scandinavian Journal of Statistics 6, 1979). A NaN is no test. Returns how many. */
size_t stats_holm(const double *p, size_t count, double alpha, bool *reject);

#endif
