/* Fits the times of successive nights by pieces of constant time, with each possible number of pieces, by dynamic
 * programming. One table serves all nights, because the best fit up to a night does not depend on later nights. A
 * penalty for each piece selects a number of pieces only if that number lies on the lower convex hull of the costs. */
#include "asv.h"

#include <math.h>
#include <string.h>

#include "stats/stats.h"

struct fits {
  const double *y;
  double cost[ASV_NIGHTS][ASV_NIGHTS + 1]; /* cost[from][before]: sum of absolute residuals of one piece that covers the
                                              nights from `from` up to but not including `before` */
  double best[ASV_PIECES + 1][ASV_NIGHTS + 1]; /* best[pieces][nights]: smallest cost of fitting the first `nights`
                                                  nights by `pieces` pieces */
  size_t from[ASV_PIECES + 1]
             [ASV_NIGHTS + 1]; /* from[pieces][nights]: night in which the last piece of that fit begins */
};

static void find_costs(struct fits *fits, size_t count) {
  double sorted[ASV_NIGHTS];
  for (size_t from = 0; from < count; from++)
    for (size_t to = from; to < count; to++) {
      size_t at = to - from;
      for (; at > 0 && sorted[at - 1] > fits->y[to]; at--)
        sorted[at] = sorted[at - 1];
      sorted[at] = fits->y[to];
      double sum = 0;
      for (size_t i = 0, n = to - from + 1; i < n / 2; i++)
        sum += sorted[n - 1 - i] - sorted[i];
      fits->cost[from][to + 1] = sum;
    }
}

static void find_best(struct fits *fits, size_t count) {
  for (size_t k = 0; k <= ASV_PIECES; k++)
    for (size_t to = 0; to <= count; to++) {
      fits->best[k][to] = k == 0 && to == 0 ? 0 : INFINITY;
      for (size_t from = 0; k > 0 && from < to; from++) {
        const double cost = fits->best[k - 1][from] + fits->cost[from][to];
        if (cost < fits->best[k][to]) fits->best[k][to] = cost, fits->from[k][to] = from;
      }
    }
}

/* Returns true if there is a penalty for each piece with which a fit of k pieces costs less than a fit of any other
 * number of pieces. */
static bool reachable(const struct fits *fits, size_t k, size_t most, size_t count) {
  double least_penalty = 0, most_penalty = INFINITY;
  for (size_t j = 1; j <= most; j++) {
    const double gain = fits->best[k][count] - fits->best[j][count];
    if (j > k) least_penalty = fmax(least_penalty, gain / (double)(j - k));
    if (j < k) most_penalty = fmin(most_penalty, -gain / (double)(k - j));
  }
  return least_penalty <= most_penalty;
}

static size_t pieces_of(const struct fits *fits, size_t count) {
  const size_t most = count < ASV_PIECES ? count : ASV_PIECES;
  const double n = (double)count;
  double least = INFINITY, chosen = INFINITY;
  size_t pieces = 1;
  for (size_t i = 1; i < count; i++)
    if (fits->y[i] != fits->y[i - 1]) least = fmin(least, fabs(fits->y[i] - fits->y[i - 1]));
  const double sigma0 = isfinite(least) ? least / 10 : 1e-300;
  for (size_t k = 1; k <= most; k++) {
    if (!reachable(fits, k, most, count)) continue;
    const double criterion = 4 * log(n) / n * (double)k + log(sigma0 + fits->best[k][count] / n);
    if (criterion < chosen) chosen = criterion, pieces = k;
  }
  return pieces;
}

static double level_of(const double *y, size_t count) {
  double copy[ASV_NIGHTS];
  memcpy(copy, y, count * sizeof *copy);
  return stats_median(copy, count);
}

/* Fits the first `count` nights. If the last piece of the fit is a regression, returns the night in which that piece
 * begins, otherwise SIZE_MAX. */
static size_t regression_of(const struct fits *fits, size_t count, double threshold) {
  const size_t pieces = pieces_of(fits, count), begin = fits->from[pieces][count];
  if (pieces < 2) return SIZE_MAX;
  const size_t before = fits->from[pieces - 1][begin];
  if (count - begin < 2 || begin - before < 2) return SIZE_MAX;
  const double old = level_of(fits->y + before, begin - before), new = level_of(fits->y + begin, count - begin);
  const double old_error = fits->cost[before][begin] / (double)(begin - before);
  const double new_error = fits->cost[begin][count] / (double)(count - begin);
  return new - old > fmax(fmax(old_error, new_error), threshold * old) ? begin : SIZE_MAX;
}

void asv_regressions(const double *ns, size_t count, double threshold, size_t *first_bad) {
  static _Thread_local struct fits fits;
  size_t reported = SIZE_MAX;
  fits.y = ns;
  find_costs(&fits, count);
  find_best(&fits, count);
  for (size_t t = 0; t < count; t++) {
    const size_t begin = regression_of(&fits, t + 1, threshold);
    first_bad[t] = SIZE_MAX;
    if (begin == SIZE_MAX) continue;
    /* A step whose estimated start moves by one or two nights is still the same step. */
    if (reported == SIZE_MAX || begin > reported + 2) first_bad[t] = begin;
    reported = begin;
  }
}
