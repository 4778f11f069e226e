/* The centre of a series of rounds and its error, where rounds may be wild and may resemble their neighbours. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "stats/math.h"

/* Autocorrelation at a lag, plus 1/n: its bias towards negative values. */
static double resemblance(const double *series, size_t count, double mean, double squares, size_t lag) {
  double products = 0;
  for (size_t i = lag; i < count; i++)
    products += (series[i] - mean) * (series[i - lag] - mean);
  return products / squares + 1 / (double)count;
}

/* One plus twice the sum of the autocorrelations, of which few rounds show little: the largest of three guesses. The
 * noise is all slow, and the first coefficient rho says how slow: (1 + rho) / (1 - rho). Or part of it is slow, and its
 * coefficients fall from rho by a factor of 0.7, while the rest is new in each round: 1 + 2 rho / (1 - 0.7). Or it is
 * as it looks: the coefficients up to the first that is not positive (Geyer, Statistical Science 7, 1992). */
double stats_inflation(const double *series, size_t count) {
  enum { MOST = 200 }; /* lags; of 20,000 rounds all would take a second */
  double mean = 0, squares = 0, first = 0, sum = 0;
  for (size_t i = 0; i < count; i++)
    mean += (series[i] - mean) / (double)(i + 1); /* so that equal values leave no square */
  for (size_t i = 0; i < count; i++)
    squares += (series[i] - mean) * (series[i] - mean);
  if (!(squares > 0)) return 1;
  for (size_t lag = 1; lag <= count / 3 && lag <= MOST; lag++) {
    double rho = resemblance(series, count, mean, squares, lag);
    if (rho <= 0) break;
    if (lag == 1) first = fmin(rho, 0.9);
    sum += rho;
  }
  return fmax(fmax((1 + first) / (1 - first), 1 + 2 * first / (1 - 0.7)), 1 + 2 * sum);
}

/* 20%-trimmed mean and its winsorised standard error (Yuen, Biometrika 61, 1974), widened for what resemblance there is
 * between rounds as they enter it: with the wild ones drawn in. Resemblance costs degrees of freedom too, but not below
 * 3: few rounds resemble each other by chance, and with Student's quantile for 1 an interval of five says nothing.
 * README.md in tests/stats has what that is worth. */
struct centre stats_centre(double *series, size_t count) {
  double *sorted = xcalloc(count, sizeof *sorted);
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
  free(sorted);
  double widen = stats_inflation(series, count), left = (double)(count - 2 * cut);
  return (struct centre){sum / left, sqrt(widen * squares / (left * (left - 1))),
                         fmax((left - 1) / widen, fmin(left - 1, 3))};
}
