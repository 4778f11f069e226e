/* Checks verdicts on variants of different providers (plugins). The ratio in company, from one process that measured
 * all variants together, is compared with the ratio alone, from measurements of each variant without other providers.
 * The functions do no I/O and use no global state. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* A pair is one measurement of each of the two variants alone. A verdict on a difference below COMPANY_SURE, and any
 * verdict on a busy machine, needs COMPANY_PAIRS pairs; other verdicts need one pair. If the first pairs contradict the
 * verdict, up to COMPANY_PAIRS_MOST pairs are measured before the contradiction is reported. */
#define COMPANY_SURE 0.05
enum { COMPANY_PAIRS = 3, COMPANY_PAIRS_MOST = 7 };

/* Before all pairs are measured, pairs confirm a verdict only if their `bound` (struct company_said) is not above this,
 * because a verdict also states how large the difference is. */
#define COMPANY_UNSURE 0.25

/* If the ratios in company and alone differ by less than this share, they count as equal. */
#define COMPANY_LEAST 0.005

/* The ratio from processes that measured all variants together. Ratios are ln(denominator's time / variant's time). */
struct company {
  double theta, error; /* ratio in company, with its standard error; NaN: not known */
  size_t processes;    /* number of processes of which theta is the mean */
  /* assumed standard deviation of the ratio that one pair of measurements alone gives */
  double sd;
  bool contended; /* other processes used the machine */
};

/* The result of the pairs that were measured so far. */
struct company_said {
  double theta; /* mean of the pairs */
  /* largest difference from the ratio in company that counts as chance, which exceeds it in 1 of 160 cases */
  double bound;
};

enum company_word {
  COMPANY_MORE,   /* measure another pair */
  COMPANY_HOLDS,  /* measured alone, the two variants have the same ratio */
  COMPANY_BREAKS, /* measured alone, the two variants have a different ratio, so the verdict does not hold */
  COMPANY_NOISY,  /* the pairs scatter too much to tell */
};

/* Judges pairs of measurements alone. `pairs` has ln of the ratio of each pair, whose two measurements follow each
 * other; `processes` says in how many processes each variant was measured alone.
 *
 * `said->bound` is how far chance may take the mean of the pairs from the ratio in company, at least COMPANY_LEAST. For
 * one pair and one process in company that is 3.9 standard deviations of a pair, or 2.76 of the difference between the
 * two. The deviation combines the assumed one, as if 5 pairs had shown it, with what the pairs show.
 *
 * The rules, in order: With fewer pairs than the verdict needs, another one is measured. The ratios differ if the mean
 * of the pairs is farther from the ratio in company than the bound. Before COMPANY_PAIRS_MOST pairs are measured it
 * must be three times as far, and there must be COMPANY_PAIRS pairs, so that one disturbed measurement is not reported
 * as a variant's fault. If the ratios differ, the verdict breaks, except on a busy machine, where that proves nothing.
 * The pairs prove nothing yet if their mean is farther away than the bound but not far enough to differ, if the bound
 * is above COMPANY_SURE and above half of the difference in company, or, before the last pair, if it is above
 * COMPANY_UNSURE. Then another pair is measured; after the last one the result is COMPANY_NOISY. */
enum company_word company_judge(const struct company *company, const double *pairs, size_t count, size_t processes,
                                struct company_said *said);
