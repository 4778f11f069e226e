/* A gap is the reason why a row of the results (one variant in one case), or a ratio of two variants that was to be
 * judged, has no verdict. The functions do no I/O and use no global state. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "stats/stats.h"

enum { WORD_ROUNDS = 6 /* a verdict needs this many rounds, because what fewer rounds show may be due to chance */ };

/* A ratio of two variants of one run counts as noisy if half the relative width of its interval is larger than this.
 * That does not apply if the interval shows which of the two is faster. */
#define GAP_NOISY_HALF 0.1

enum gap {
  GAP_NONE,
  GAP_CONTENDED, /* other processes used the machine, which may explain the ratio */
  GAP_ROUNDS,    /* fewer rounds than WORD_ROUNDS, or their number is not known, and chance may explain the ratio */
  GAP_CUT,       /* the case was interrupted before the final verification */
  /* the variant exceeds the highest rate that the device reaches (its ceiling), so it does less than it should */
  GAP_CEILING,
  /* a difference below 2%, or one between two runs on CPUs, needs STATS_PROCESSES processes for a verdict */
  GAP_PROCESSES,
  GAP_LAUNCH, /* without the launch overhead the verdict would be different, or there would be none */
  /* the bench has so many verdicts that a difference of this size may be due to chance */
  GAP_MANY,
  GAP_UNPROVEN, /* the times support a verdict, but do not prove it; model/proof/unproven.h lists the reasons */
  GAP_ALONE,    /* the variants belong to two providers (plugins), and each was not measured without other providers as
                   often as required */
  GAP_NOISY,    /* the interval is wider than the difference to be decided */
  /* the variant is slower, but possibly by less than the threshold from which on it counts as a regression */
  GAP_UNSURE,
  GAP_UNLIKE,   /* the two runs, or the two rows, are not comparable */
  GAP_INTERVAL, /* there is no ratio, or no interval for it */
  GAP_UNTIMED,  /* the row was timed in the baseline run, and now it is neither timed nor broken */
  GAP_ABSENT,   /* the row was timed in the baseline run, and now it is missing */
  GAPS
};

/* Returns "busy machine", "undecided (one process)", ...; "" for GAP_NONE. */
const char *gap_name(enum gap gap);
/* Returns GAP_NONE for an unknown name. */
enum gap gap_parse(const char *name);

/* Returns true if the ratio was judged and remained undecided. */
bool gap_is_undecided(enum gap gap);

/* Returns true if there is no verdict because the variants belong to two providers and were not measured alone as often
 * as required. */
bool gap_is_unchecked(enum gap gap);

/* Returns the gap that a row has because the machine was busy or because there were too few rounds. A ratio that is
 * large enough (gap_is_beyond()) gets a verdict nevertheless. */
enum gap gap_of_row(bool contended, int64_t rounds);

/* On a busy machine or with few rounds, the interval of the ratio of two equal variants may lie entirely above or below
 * 1. But it then begins less than this factor away from 1 (tests/stats/busy.c and README.md there). */
#define GAP_CONTENTION 2.0

/* If two equal variants are compared in three or more rounds, their ratios are never all above this factor, or all
 * below its inverse. */
#define GAP_EACH_ROUND 5.0

/* Returns true if the whole 99% interval of a ratio lies beyond GAP_CONTENTION. Then the ratio gets a verdict even on a
 * busy machine or with few rounds. */
bool gap_is_beyond(double lo99, double hi99);

/* Returns true if half the width of a ratio's interval from `lo` to `hi` is more than `most`, or not finite. */
bool gap_is_noisy(double lo, double hi, double most);

/* Returns the name of the verdict on two variants of a run or, if there is none, of the gap. `less`: the ratio of the
 * times without the launch overhead; NULL if that overhead is too small to matter. */
const char *gap_or_word(const struct ratio *ratio, const struct ratio *less, bool contended);
