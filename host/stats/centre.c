/* The centre of a series of rounds and its error, where rounds may be wild and may resemble their neighbours. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "stats/math.h"

/* A series about its mean. */
struct scatter {
  double mean, squares;
};

static struct scatter scatter_of(const double *series, size_t count) {
  struct scatter s = {0, 0};
  for (size_t i = 0; i < count; i++)
    s.mean += (series[i] - s.mean) / (double)(i + 1); /* so that equal values leave no square */
  for (size_t i = 0; i < count; i++)
    s.squares += (series[i] - s.mean) * (series[i] - s.mean);
  return s;
}

/* Autocorrelation at a lag, plus 1/n: its bias towards negative values. */
static double resemblance(const double *series, size_t count, const struct scatter *scatter, size_t lag) {
  double products = 0;
  for (size_t i = lag; i < count; i++)
    products += (series[i] - scatter->mean) * (series[i - lag] - scatter->mean);
  return products / scatter->squares + 1 / (double)count;
}

/* One plus twice the sum of the autocorrelations, of which few rounds show little: the largest of three guesses. The
 * noise is all slow, and the first coefficient rho says how slow: (1 + rho) / (1 - rho). Or part of it is slow, and its
 * coefficients fall from rho by a factor of 0.7, while the rest is new in each round: 1 + 2 rho / (1 - 0.7). Or it is
 * as it looks: the coefficients up to the first that is not positive (Geyer, Statistical Science 7, 1992). */
double stats_inflation(const double *series, size_t count) {
  enum { MOST = 200 }; /* lags; of 20,000 rounds all would take a second */
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

/* The guesses again with coefficients two standard errors higher, 1 / sqrt(n) each where nothing resembles anything
 * (Bartlett, Supplement to the JRSS 8, 1946): a rule that stops when an interval is narrow stops where the noise
 * happens to look smaller and newer than it is. Where the first coefficient is beyond doubt the second tells by what
 * factor they fall. Fewer than 12 rounds would all be in doubt: there the doubt shrinks with them. README.md in
 * tests/stats has what it costs and what it is worth. */
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

/* 20%-trimmed mean and its winsorised standard error (Yuen, Biometrika 61, 1974), widened for what resemblance there
 * may be between rounds as they enter it: with the wild ones drawn in. Resemblance costs degrees of freedom too, but
 * not below 3: few rounds resemble each other by chance, and with Student's quantile for 1 an interval of five says
 * nothing. README.md in tests/stats has what that is worth. */
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
