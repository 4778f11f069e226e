/* Compares two ratios of two variants: one from processes that measured all variants together, and one from pairs. A
 * pair consists of one measurement of each of the two variants, without variants of other plugins in its process. */
#include "stats/company.h"

#include <math.h>

#include "stats/math.h"

static const double level = 0.99422; /* probability that a normal variable lies within 2.76 standard deviations */
static const double assumed_df = 4;

/* Returns the standard deviation between the ratios of pairs (two variants, each measured alone). It is estimated from
 * the assumed value and the measured pairs together. The result is never less than the standard deviation of the
 * measured pairs alone. */
static double deviation(double assumed, const double *pairs, size_t count, double mean) {
  double squares = 0, df = (double)count - 1;
  for (size_t i = 0; i < count; i++)
    squares += (pairs[i] - mean) * (pairs[i] - mean);
  const double shown = count > 1 ? sqrt(squares / df) : 0;
  return fmax(shown, sqrt((assumed_df * assumed * assumed + squares) / (assumed_df + df)));
}

/* Returns Student's quantile for `level`. A single pair shows no standard deviation, so the assumed one is taken as
 * exact; the quantile is then that of a normal distribution. */
static double scatter_quantile(size_t count) {
  return stats_student(level, count > 1 ? assumed_df + (double)count - 1 : 1e6);
}

static void sum_up_pairs(const struct company *company, const double *pairs, size_t count, size_t processes,
                         struct company_said *said) {
  double mean = 0;
  for (size_t i = 0; i < count; i++)
    mean += pairs[i] / (double)count;
  const double sd = deviation(company->sd, pairs, count, mean);
  const double in_company = fmax(sd / sqrt((double)company->processes), company->error); /* fmax() ignores NaN */
  *said = (struct company_said){.theta = mean};
  said->bound = fmax(log1p(COMPANY_LEAST), scatter_quantile(count) * hypot(in_company, sd / sqrt((double)processes)));
}

enum company_word company_judge(const struct company *company, const double *pairs, size_t count, size_t processes,
                                struct company_said *said) {
  const double claim = fabs(company->theta), sure = log1p(COMPANY_SURE);
  const size_t needed = claim < sure || company->contended ? COMPANY_PAIRS : 1;
  *said = (struct company_said){NAN, NAN};
  if (count == 0 || processes == 0) return COMPANY_MORE;
  sum_up_pairs(company, pairs, count, processes, said);
  const double apart = fabs(said->theta - company->theta), unsure = log1p(COMPANY_UNSURE);
  const bool last = count >= COMPANY_PAIRS_MOST;
  const double proving = fmin(fmax(claim / 2, sure), last ? INFINITY : unsure);
  if (count < needed) return COMPANY_MORE;
  const bool differs = apart > (last ? 1 : 3) * said->bound && count >= COMPANY_PAIRS;
  if (differs) return company->contended ? COMPANY_NOISY : COMPANY_BREAKS;
  if (apart > fmin(said->bound, unsure) || said->bound > proving) return last ? COMPANY_NOISY : COMPANY_MORE;
  return COMPANY_HOLDS;
}
