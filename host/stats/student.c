/* Student's and the binomial distribution, by the regularised incomplete beta function. */
#include <math.h>

#include "stats/math.h"

/* The continued fraction of I_x(a, b), evaluated by Lentz's method (DLMF 8.17.22). Converges fast for x <
 * (a+1)/(a+b+2).
 */
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

/* I_x(a, b). The complement y = 1 - x comes apart, because near 1 the difference would lose every digit. */
static double beta(double a, double b, double x, double y) {
  if (x <= 0) return 0;
  if (y <= 0) return 1;
  double log_x = y < 0.5 ? log1p(-y) : log(x), log_y = x < 0.5 ? log1p(-x) : log(y);
  double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log_x + b * log_y);
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, y) / b;
}

double stats_student_tail(double t, double df) {
  if (!(df > 0) || isnan(t)) return NAN;
  if (df > 1e6) df = 1e6; /* within 2e-6 of the normal quantile; lgamma would cancel beyond */
  double square = t * t;
  return isinf(square) ? 0 : beta(df / 2, 0.5, df / (df + square), square / (df + square));
}

static double density(double t, double df) {
  double front = lgamma((df + 1) / 2) - lgamma(df / 2) - 0.5 * log(df * 3.14159265358979323846);
  return exp(front - (df + 1) / 2 * log1p(t / df * t));
}

/* Where the tail has this probability. It falls and is convex: Newton's steps from the left never go too far. */
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

/* A comparison of many rows asks for the same few quantiles over and over. */
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
  return k >= n ? 1 : beta(n - k, k + 1, 1 - p, p);
}
