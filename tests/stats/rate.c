#include "rate.h"

#include <stdio.h>

#include "stats/math.h"

void rate_note(struct rate *rate, bool yes) {
  rate->count += yes;
  rate->of++;
}

/* Returns the success probability p with which at most `k` of `n` trials succeed with the probability `probability`. */
static double solve(double k, double n, double probability) {
  double low = 0, high = 1;
  for (int i = 0; i < 60; i++) {
    double middle = (low + high) / 2;
    if (stats_binomial(k, n, middle) > probability)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* The interval of Clopper and Pearson, Biometrika 26 (1934). */
static struct interval interval_of(const struct rate *rate) {
  double k = (double)rate->count, n = (double)rate->of;
  return (struct interval){rate->count == 0 ? 0 : solve(k - 1, n, 0.975),
                           rate->count == rate->of ? 1 : solve(k, n, 0.025)};
}

bool rate_show(const struct rate *rate, double least, double most, bool brief) {
  struct interval ci = interval_of(rate);
  bool broken = ci.hi < least || ci.lo > most;
  printf(" %5.1f%s", 100 * (double)rate->count / (double)rate->of, broken ? "!" : " ");
  if (!brief) printf("[%5.1f,%6.1f]", 100 * ci.lo, 100 * ci.hi);
  return broken;
}
