/* Checks verdicts between providers: compares the ratio of two variants in company, measured in one process with all
 * others, with the ratio of measurements of each alone. The functions do no I/O and use no global state. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* A verdict for a difference below COMPANY_SURE, and any verdict on a busy machine, needs COMPANY_PAIRS pairs of
 * measurements alone; other verdicts need one pair. If the first pairs contradict the verdict, up to COMPANY_PAIRS_MOST
 * pairs are measured before the contradiction is reported. */
#define COMPANY_SURE 0.05
enum { COMPANY_PAIRS = 3, COMPANY_PAIRS_MOST = 7 };

/* Before all pairs are measured, pairs confirm a verdict only if their `bound` (struct company_said) is not above this,
 * because a verdict also states how large the difference is. */
#define COMPANY_UNSURE 0.25

/* A smaller relative difference counts as none. */
#define COMPANY_LEAST 0.005

/* The comparison in company. Ratios are ln(denominator's time / variant's time). */
struct company {
  double theta, error; /* ratio in company, with its standard error; NaN: not known */
  size_t processes;    /* number of processes of which theta is the mean */
  double sd;           /* assumed standard deviation of a pair of measurements alone, by its processes and rounds */
  bool contended;      /* other processes used the machine */
};

/* The result of the pairs so far. */
struct company_said {
  double theta; /* mean of the pairs */
  double bound; /* chance exceeds this difference in 1 of 160 cases */
};

enum company_word {
  COMPANY_MORE,   /* measure another pair */
  COMPANY_HOLDS,  /* measured alone, the two variants have the same ratio */
  COMPANY_BREAKS, /* measured alone, the two variants have another ratio, so the verdict does not hold */
  COMPANY_NOISY,  /* the pairs scatter too much to tell */
};

/* Judges pairs of measurements alone. `pairs` has ln of the ratio of each pair, whose two measurements follow each
 * other; `processes` says in how many processes each variant was measured alone.
 *
 * The results differ if the mean of the pairs is farther from the ratio in company than `bound`, which is COMPANY_LEAST
 * or what chance explains. For one pair and one process in company that is 3.9 standard deviations of a pair, or 2.76
 * of the difference between the two. The deviation combines the assumed one, as if 5 pairs had shown it, with what the
 * pairs show. With fewer than COMPANY_PAIRS_MOST pairs only three times the bound counts as different, and only from
 * COMPANY_PAIRS on: one disturbed measurement is not reported as a variant's fault. A bound above COMPANY_SURE and
 * above half of the difference itself proves nothing. One above COMPANY_UNSURE proves nothing before all pairs are
 * there, and neither do different results on a busy machine. */
enum company_word company_judge(const struct company *company, const double *pairs, size_t count, size_t processes,
                                struct company_said *said);
