/* Student's t quantile for real degrees of freedom, by inverting the regularised incomplete beta function. */
#include <math.h>

#include "stats.h"

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

/* P(|T| > t). The argument of the beta function is df / (df + t^2); its complement is computed apart, because near 1
 * the difference would lose every digit. */
static double tail(double t, double df) {
  double a = df / 2, b = 0.5, x = df / (df + t * t), y = t * t / (df + t * t);
  if (x <= 0) return 0;
  if (y <= 0) return 1;
  double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * (y < 0.5 ? log1p(-y) : log(x)) + b * log(y));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, y) / b;
}

double stats_student(double level, double df) {
  if (!(level > 0 && level < 1 && df > 0)) return NAN;
  if (df > 1e6) df = 1e6; /* within 2e-6 of the normal quantile; lgamma would cancel beyond */
  double low = 0, high = 1;
  while (tail(high, df) > 1 - level && high < 1e150) {
    low = high;
    high *= 2;
  }
  for (int i = 0; i < 100; i++) {
    double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    if (tail(middle, df) > 1 - level)
      low = middle;
    else
      high = middle;
  }
  return low + (high - low) / 2;
}
