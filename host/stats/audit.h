/* Does a variant do its work each time? Single calls that differ in one thing: before some all of the work is to be
 * done anew, before others it has been done already. Pure. */
#ifndef STATS_AUDIT_H
#define STATS_AUDIT_H

#include <stdbool.h>
#include <stdint.h>

/* What had been changed right before a call, all else being alike. */
enum audit_kind {
  AUDIT_FRESH,    /* new values in the inputs, poison in the outputs */
  AUDIT_POISONED, /* poison in the outputs: the inputs have the values that they had */
  AUDIT_SEEN,     /* nothing: inputs and outputs were written with what they held */
  AUDIT_USUAL,    /* nothing, in a timed slot that nobody has touched: its median, or one of its samples */
  AUDIT_KINDS
};

enum { AUDITS_MAX = 64, AUDITS_ENOUGH = 24 };

/* The last AUDITS_MAX times of each kind. */
struct audits {
  double ns[AUDIT_KINDS][AUDITS_MAX];
  uint32_t at[AUDIT_KINDS][AUDITS_MAX]; /* its place among the calls of all kinds */
  uint32_t count[AUDIT_KINDS], all;     /* so many came */
};

void audit_note(struct audits *audits, enum audit_kind kind, double ns);

/* What honest work may differ by. */
struct audit_margins {
  double least; /* work done anew takes this many times as long as work done already, or nobody is accused */
  double learned_ns,
      learned;     /* repeated work may gain so much, but not this factor: processors learn, threads are awake */
  double clear_ns; /* a smaller difference accuses nobody */
  double usual;    /* a fresh call may take this many times as long as usual */
  double woken_ns; /* or so much longer, as what it works with was idle before it, or it has a launch of its own */
  bool alike;      /* usual calls are like fresh ones but for the change: held against each other by `least` as well */
  double claimed_ns; /* what is said of all usual calls, where that is less than the median of those kept; 0: nothing */
};

struct audit_words {
  bool remembers;          /* there is enough evidence */
  bool suspect;            /* there is some, and more is wanted */
  enum audit_kind kind;    /* what made it slower: AUDIT_FRESH or AUDIT_POISONED; AUDIT_USUAL: any of these calls is */
  uint32_t count;          /* calls of that kind */
  double work_ns, seen_ns; /* medians: with work to be done, and with it done */
  double limit; /* a share of its time: reuse of results that saves more would have been seen; NaN: none would */
};

struct audit_words audit_judge(const struct audits *audits, const struct audit_margins *margins);

/* What reuse of results may save, of its time: what would not have been seen, and, while it is suspected, what was. */
double audit_hidden(const struct audit_words *words);

/* Of the kept ones of a kind; NaN with none. */
double audit_median(const struct audits *audits, enum audit_kind kind);

/* The standard uncertainty of that median, rather too large than too small; NaN with fewer than two. */
double audit_median_uncertainty(const struct audits *audits, enum audit_kind kind);

/* What may be saved in all where a row has this time: by so much fresh calls take longer, however these are known; and
 * a share of theirs would not have been seen. 1 where there are none. */
double audit_saved(const struct audits *audits, double usual_ns, double unseen);

#endif
