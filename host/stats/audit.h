/* The reuse test: it asks whether a variant does its work in every call. Calls are compared that differ in one thing:
 * some must compute their results anew, while the results of the others were already computed in an earlier call. The
 * functions do no I/O and use no global state. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Kinds of calls, by the change of the tensors that was made right before the call. The first three kinds differ in
 * nothing else. */
enum audit_kind {
  AUDIT_FRESH,    /* the inputs got new values, and the outputs poison (a pattern that marks unwritten elements) */
  AUDIT_POISONED, /* the outputs got poison; the inputs kept their values */
  AUDIT_SEEN,     /* inputs and outputs were written again with the values that they had, so nothing changed */
  /* a call in a timed slot before which nothing was written; the time noted is the median of the slot or one of its
   * samples */
  AUDIT_USUAL,
  AUDIT_KINDS
};

enum { AUDITS_MAX = 64, AUDITS_ENOUGH = 24 };

/* AUDIT_FRESH_LEAST calls on new inputs and AUDIT_SEEN_LEAST repeated ones are needed to say how much a variant could
 * save unnoticed. */
enum { AUDIT_FRESH_LEAST = 3, AUDIT_SEEN_LEAST = 4 };

/* The last AUDITS_MAX times of each kind. */
struct audits {
  double ns[AUDIT_KINDS][AUDITS_MAX];
  uint32_t at[AUDIT_KINDS][AUDITS_MAX]; /* index of the call among the noted calls of all kinds */
  uint32_t count[AUDIT_KINDS], all;     /* number of calls of each kind so far (count), and of all kinds (all) */
};

void audit_note(struct audits *audits, enum audit_kind kind, double ns);

/* Returns whether the next call is AUDIT_FRESH or AUDIT_SEEN, which take turns: `now` goes on until it is AUDIT_AHEAD
 * calls ahead of the other, or ends earlier if `ends` is set and it is ahead at all. A cheat may begin to reuse results
 * only after its inputs stayed the same for a while, so several calls of a kind come in a row; the first turn is of at
 * most AUDIT_AHEAD calls, each later one of twice as many. */
enum { AUDIT_AHEAD = 5 };
enum audit_kind audit_next(const struct audits *audits, enum audit_kind now, bool ends);

/* The differences that honest calls may have, because branch predictors learn, threads are awake and caches warm. */
struct audit_margins {
  double least; /* a variant is accused only if new work takes this many times as long as repeated work */
  /* if repeated work saves at most learned_ns, a variant is accused only if new work takes more than `learned` times as
   * long */
  double learned_ns, learned;
  double clear_ns; /* no variant is accused for a smaller difference */
  /* a call on new inputs (AUDIT_FRESH) may take this many times as long as one of AUDIT_USUAL */
  double usual;
  /* a call on new inputs may also take this many ns longer, because it comes after an idle time or has a launch of its
   * own */
  double woken_ns;
  /* calls of AUDIT_USUAL differ from those of AUDIT_FRESH only in the change, so `least` applies to this comparison as
   * well */
  bool alike;
  /* the time that the row claims for all usual calls; used instead of the median of the kept ones if it is less; 0:
   * none */
  double claimed_ns;
};

struct audit_words {
  bool remembers; /* there is enough evidence that the variant reuses results */
  bool suspect;   /* there is some evidence, and more calls are needed */
  /* the kind of calls in which the variant was slower than in repeated ones (AUDIT_SEEN); AUDIT_USUAL: its calls on new
   * inputs were slower than its timed slots */
  enum audit_kind kind;
  uint32_t count;          /* number of calls of that kind */
  double work_ns, seen_ns; /* medians of calls with new work and with repeated work */
  double limit;            /* largest share of the variant's time that reuse could save unnoticed; NaN: any */
};

struct audit_words audit_judge(const struct audits *audits, const struct audit_margins *margins);

/* Returns the largest share of the variant's time that reuse may save: the share that the test would not have noticed,
 * and, while the variant is suspected, the share that it noticed. */
double audit_hidden(const struct audit_words *words);

/* Returns the median time of the kept calls of a kind; NaN if there are none. */
double audit_median(const struct audits *audits, enum audit_kind kind);

/* Returns the standard uncertainty of that median, estimated rather too large than too small; NaN with fewer than two
 * calls. */
double audit_median_uncertainty(const struct audits *audits, enum audit_kind kind);

/* Returns the share of a row's time (`usual_ns`) that reuse may save: the difference between usual_ns and the time of
 * calls on new inputs, by whatever means the variant tells these apart, and the share `unseen` of the time of those
 * calls themselves. Returns 1 if there are no calls on new inputs. */
double audit_saved(const struct audits *audits, double usual_ns, double unseen);
