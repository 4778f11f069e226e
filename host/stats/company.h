/* Checks verdicts on variants of different providers (plugins). The ratio in company, from one process that measured
 * all variants together, is compared with the ratio alone, from measurements of each variant without other providers.
 * The functions do no I/O and use no global state. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* A pair consists of a measurement of each of the two variants alone. A verdict is confirmed by one pair, or by
 * COMPANY_PAIRS pairs if the difference is below COMPANY_SURE or the machine is busy. If the first pairs contradict the
 * verdict, up to COMPANY_PAIRS_MOST pairs are measured before the contradiction is reported. */
#define COMPANY_SURE 0.05
enum { COMPANY_PAIRS = 3, COMPANY_PAIRS_MOST = 7 };

/* Before COMPANY_PAIRS_MOST pairs are measured, pairs confirm a verdict only if their `bound` (struct company_said) is
 * at most this large. A looser bound would not confirm the size of the difference, which the verdict states too. */
#define COMPANY_UNSURE 0.25

/* If the ratio of variants measured together differs from the ratio of variants measured alone by less than this share,
 * the two count as equal. */
#define COMPANY_LEAST 0.005

/* The ratio from processes that measured all variants together. Ratios are ln(denominator's time / variant's time). */
struct company {
  double theta, error; /* ratio in company (from processes that measured all variants together), and its standard error;
                          NaN: not known */
  size_t processes;    /* number of processes of which theta is the mean */
  /* assumed standard deviation of the ratio of one pair (a measurement of each variant alone) */
  double sd;
  bool contended; /* other processes used the machine */
};

/* The result of the pairs that were measured so far. */
struct company_said {
  double theta; /* mean of the pairs */
  /* largest difference between `theta` and the ratio in company that counts as chance; chance exceeds it in 1 of 160
   * cases */
  double bound;
};

enum company_word {
  COMPANY_MORE, /* measure another pair */
  /* the two variants have the same ratio when they are measured alone */
  COMPANY_HOLDS,
  COMPANY_BREAKS, /* measured alone, the two variants have a different ratio, so the verdict does not hold */
  COMPANY_NOISY,  /* the pairs scatter too much to tell */
};

/* Judges pairs of measurements, in which each variant was measured without other providers. `pairs`: ln of the ratio of
 * each pair; `processes`: number of processes in which each variant was measured alone.
 *
 * `said->bound` is how far chance may take the mean of the pairs from the ratio in company, but at least COMPANY_LEAST.
 * For one pair and one process in company that is 2.76 standard deviations of the difference between the two, or 3.9 of
 * a pair. The standard deviation of a pair combines the assumed one, which counts like 5 pairs, with that of the pairs.
 *
 * The rules are applied in this order. With fewer pairs than the verdict needs, another one is measured. The ratios
 * differ if there are COMPANY_PAIRS pairs and their mean is farther from the ratio in company than three times the
 * bound; with COMPANY_PAIRS_MOST pairs the bound itself suffices. So one disturbed measurement is not reported as a
 * variant's fault. If the ratios differ, the verdict breaks, but on a busy machine a difference proves nothing, and the
 * result is COMPANY_NOISY. The pairs do not suffice if their mean is farther away than the bound, if the bound is above
 * COMPANY_SURE and above half of the difference in company, or, before the last pair, if the bound is above
 * COMPANY_UNSURE. Then another pair is measured; after the last one the result is COMPANY_NOISY. */
enum company_word company_judge(const struct company *company, const double *pairs, size_t count, size_t processes,
                                struct company_said *said);
