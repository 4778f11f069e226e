/* Order statistics: quantiles and their intervals, fences, deviation. */
#include <math.h>
#include <stdlib.h>

#include "stats/math.h"

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* What slots and nights have. */
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
    qsort(values, count, sizeof *values, by_value);
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

/* The smallest k with P(X <= k) >= probability, of a binomial. */
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
  /* ranks from 1; the quantile lies below the value of rank r when at least r of the values lie below the quantile */
  double lower = binomial_quantile(0.025, n, p), upper = binomial_quantile(0.975, n, p) + 1;
  if (stats_binomial(lower, n, p) <= 0.025) lower++; /* where the probability is met exactly */
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

/* The sorted values' distances are two sorted lists, merged up to the middle. */
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
