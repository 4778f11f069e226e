/* What was seen of two variants in company, with all others in their process, held against what is seen of each alone.
 * Pure. */
#ifndef STATS_COMPANY_H
#define STATS_COMPANY_H

#include <stdbool.h>
#include <stddef.h>

/* A word for less than this takes COMPANY_PAIRS pairs, and any on a busy machine, where they have to show what others
 * make of them; any other one. Where the first ones differ from it, up to
 * COMPANY_PAIRS_MOST are taken before that is told. */
#define COMPANY_SURE 0.05
enum { COMPANY_PAIRS = 3, COMPANY_PAIRS_MOST = 7 };

/* A word says how large a difference is: it does not hold where it is another by more than this, be that chance. */
#define COMPANY_UNSURE 0.25

/* A smaller difference is none. */
#define COMPANY_LEAST 0.005

/* Times in ln(denominator's / variant's). */
struct company {
  double theta, error; /* in company, and its standard error; NaN: not known */
  size_t processes;    /* of which it is the mean */
  double sd;           /* what is assumed of pairs alone: their standard deviation, by their processes and rounds */
  bool contended;      /* others were at work on the machine */
};

/* What the pairs so far say. */
struct company_said {
  double theta; /* their mean */
  double bound; /* a difference up to here is chance, but in 1 of 160 cases */
};

enum company_word {
  COMPANY_MORE,   /* another pair is to be taken */
  COMPANY_HOLDS,  /* alone it is as in company */
  COMPANY_BREAKS, /* it is not */
  COMPANY_NOISY,  /* the pairs lie too far apart to say */
};

/* `pairs`: ln of the ratio in each, of two looks one after the other; `processes`: how many different processes each
 * variant was looked at in.
 *
 * They differ where their mean is farther from the ratio in company than `bound`: COMPANY_LEAST, or what is left by
 * chance. For one pair and one process in company that is 3.9 standard deviations of a pair, or 2.76 of the difference
 * between the two. That deviation is what is assumed, as if 5 pairs had shown it, together with what the pairs show. As
 * long as fewer than COMPANY_PAIRS_MOST pairs are there, only three times the bound counts as different, and that from
 * COMPANY_PAIRS on: a disturbance of one look is not told as somebody's fault. A bound above COMPANY_SURE and above
 * half of the difference itself proves nothing, and one above COMPANY_UNSURE nothing before all pairs are there; nor
 * does what differs on a busy machine. */
enum company_word company_judge(const struct company *company, const double *pairs, size_t count, size_t processes,
                                struct company_said *said);

#endif
