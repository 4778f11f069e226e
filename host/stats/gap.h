/* Why no word is said of a row, or of a ratio that was to be judged. Pure. */
#ifndef STATS_GAP_H
#define STATS_GAP_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/stats.h"

enum { WORD_ROUNDS = 6 /* fewer of them say nothing that chance may explain */ };

/* Half of an interval above this says nothing on two variants of a run, if not even which is the faster. */
#define GAP_NOISY_HALF 0.1

enum gap {
  GAP_NONE,
  GAP_CONTENDED, /* others were at work on the machine, and that may explain the ratio */
  GAP_ROUNDS,    /* fewer than WORD_ROUNDS, or it is not known how many; and chance may explain it */
  GAP_CUT,       /* interrupted: not verified afterwards */
  GAP_ROOF,      /* faster than the device can be: it does something else */
  GAP_PROCESSES, /* less than 2%, or processors in two runs: that takes STATS_PROCESSES of them */
  GAP_FLOOR,     /* of times less what an empty launch takes the word is another, or there is none */
  GAP_MANY,      /* one of so many words that it may be so by chance */
  GAP_UNPROVEN,  /* the times say so, but something of a row keeps them from proving it (model/proof/unproven.h) */
  GAP_ALONE,     /* of two providers, and not looked at alone, or not often enough */
  GAP_NOISY,     /* the interval is wider than what it is to decide */
  GAP_UNSURE,    /* slower, but whether by more than the threshold is open */
  GAP_UNLIKE,    /* the runs are not alike, or these two rows */
  GAP_INTERVAL,  /* no ratio, or no interval of it */
  GAP_UNTIMED,   /* timed in the base, neither timed nor broken now */
  GAP_ABSENT,    /* timed in the base, no row now */
  GAPS
};

/* "busy machine", "undecided (one process)"; "" for none. */
const char *gap_name(enum gap gap);
/* GAP_NONE for what is no such name. */
enum gap gap_parse(const char *name);

/* Was it looked at, and remained undecided? */
bool gap_is_undecided(enum gap gap);

/* Between rows of two providers: was it not looked at alone, as such a word is? */
bool gap_is_unchecked(enum gap gap);

/* What keeps a word from a row by itself, unless its ratio is beyond that. */
enum gap gap_of_row(bool contended, int64_t rounds);

/* What others on the machine, or the luck of few rounds, make of two equal variants is less than this in either
 * direction, beside what the interval of their ratio knows of it (tests/stats/busy.c and README.md there). */
#define GAP_CONTENTION 2.0

/* Nor are all rounds of equal variants, three or more, beyond this on one side. */
#define GAP_EACH_ROUND 5.0

/* Does a ratio's 99% interval lie beyond that? Then its word holds on a busy machine and of few rounds as well. */
bool gap_is_beyond(double lo99, double hi99);

/* Is half of this interval of a ratio wider than `most`? So it is where it has no end. */
bool gap_is_noisy(double lo, double hi, double most);

/* The word of two variants of a run, or why there is none. `less` is of times less the floor, where that counts; else
 * NULL. */
const char *gap_or_word(const struct ratio *ratio, const struct ratio *less, bool contended);

#endif
