/* Checks verdicts on variants of different providers (plugins). Two ratios of the variants are compared: the one in
 * company, from processes that measured all variants together, and the one from measurements of each variant alone, in
 * processes without other providers. The functions do no I/O and use no global state. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* A pair consists of a measurement of each of the two variants alone. A verdict is confirmed by one pair, or by
 * COMPANY_PAIRS pairs if the difference is below COMPANY_SURE or the machine is busy. If the first pairs contradict the
 * verdict, up to COMPANY_PAIRS_MOST pairs are measured before the contradiction is reported. */
#define COMPANY_SURE 0.05
enum { COMPANY_PAIRS = 3, COMPANY_PAIRS_MOST = 7 };

/* A verdict also states the size of the difference, so the pairs must confirm the size too. With fewer than
 * COMPANY_PAIRS_MOST pairs they do so only if `bound` (struct company_said) is at most this large. */
#define COMPANY_UNSURE 0.25

/* If the ratio of variants measured together differs from the ratio of variants measured alone by less than this share,
 * the two count as equal. */
#define COMPANY_LEAST 0.005

/* What is to be confirmed: the ratio of two variants from processes that measured all variants together ("in company").
 * Ratios are ln(denominator's time / variant's time). */
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
  /* largest difference that counts as chance, between this ratio and the one in company (from processes that measured
   * all variants together); chance exceeds it in 1 of 160 cases */
  double bound;
};

enum company_word {
  COMPANY_MORE, /* measure another pair */
  /* the two variants have the same ratio when they are measured alone */
  COMPANY_HOLDS,
  COMPANY_BREAKS, /* measured alone, the two variants have a different ratio, so the verdict does not hold */
  COMPANY_NOISY,  /* the pairs scatter too much to tell */
};

/* Judges pairs of measurements in which each of the two variants was measured without other providers. Compares the
 * mean of the pairs with company->theta, the ratio in processes that measured all variants together. `pairs`: ln of the
 * ratio of each pair; `processes`: number of processes in which each variant was measured alone.
 *
 * `said->bound` is the largest difference that may be due to chance: 2.76 of its standard deviations, but at least
 * COMPANY_LEAST. The standard deviation of a pair is estimated from the pairs and an assumed value with the weight of 5
 * pairs.
 *
 * The first rule that applies decides:
 * 1. With fewer pairs than the verdict needs, another one is measured (COMPANY_MORE).
 * 2. The ratios differ if there are at least COMPANY_PAIRS pairs and the difference exceeds three times the bound (with
 *    COMPANY_PAIRS_MOST pairs, the bound): COMPANY_BREAKS, or COMPANY_NOISY on a busy machine.
 * 3. If the difference exceeds the bound, or the bound is too large, another pair is measured; after the last pair the
 *    result is COMPANY_NOISY. Too large is above half of the ratio in company and above COMPANY_SURE; before the last
 *    pair, above COMPANY_UNSURE.
 * 4. Otherwise the verdict holds (COMPANY_HOLDS). */
enum company_word company_judge(const struct company *company, const double *pairs, size_t count, size_t processes,
                                struct company_said *said);
