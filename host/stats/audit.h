/* The reuse test: does a variant do its work in every call? It compares single calls that differ in one thing: before
 * some, the results must be computed anew; before others, they have been computed already. The functions do no I/O and
 * use no global state. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The change made right before a call. The first three kinds are alike in everything else. */
enum audit_kind {
  AUDIT_FRESH,    /* new values in the inputs, poison (a pattern that marks unwritten elements) in the outputs */
  AUDIT_POISONED, /* poison in the outputs; the inputs keep their values */
  AUDIT_SEEN,     /* nothing: inputs and outputs were rewritten with the values they had */
  AUDIT_USUAL,    /* nothing, in an untouched timed slot: its median or one of its samples */
  AUDIT_KINDS
};

enum { AUDITS_MAX = 64, AUDITS_ENOUGH = 24 };

/* The last AUDITS_MAX times of each kind. */
struct audits {
  double ns[AUDIT_KINDS][AUDITS_MAX];
  uint32_t at[AUDIT_KINDS][AUDITS_MAX]; /* index among the calls of all kinds */
  uint32_t count[AUDIT_KINDS], all;     /* number of calls so far */
};

void audit_note(struct audits *audits, enum audit_kind kind, double ns);

/* The differences that honest calls may have, because branch predictors learn, threads are awake and caches warm. */
struct audit_margins {
  double least;               /* a variant is accused only if new work takes this many times as long as repeated work */
  double learned_ns, learned; /* gains of repeated work up to learned_ns are accused only above the factor learned */
  double clear_ns;            /* no variant is accused for a smaller difference */
  double usual;               /* a fresh call may take this many times as long as a usual one */
  /* or a fresh call may take this much longer, because it comes after an idle time or has a launch to itself */
  double woken_ns;
  bool alike;        /* usual calls differ from fresh ones only in the change, so `least` applies to them as well */
  double claimed_ns; /* a time claimed for all usual calls, used if it is less than the median of those kept; 0: none */
};

struct audit_words {
  bool remembers; /* there is enough evidence that the variant reuses results */
  bool suspect;   /* there is some evidence, and more calls are needed */
  enum audit_kind
      /* the change that made the variant slower; AUDIT_USUAL: it is slower in all of these calls than in its slots */
      kind;
  uint32_t count;          /* number of calls of that kind */
  double work_ns, seen_ns; /* medians of calls with new work and with repeated work */
  double limit;            /* largest share of the variant's time that reuse could save unseen; NaN: any share could */
};

struct audit_words audit_judge(const struct audits *audits, const struct audit_margins *margins);

/* Returns the share of the variant's time that reuse may save: the part that the test would not have noticed and, while
 * the variant is suspected, the part that it noticed. */
double audit_hidden(const struct audit_words *words);

/* Returns the median of the kept calls of a kind; NaN without any. */
double audit_median(const struct audits *audits, enum audit_kind kind);

/* Returns the standard uncertainty of that median, too large rather than too small; NaN with fewer than two calls. */
double audit_median_uncertainty(const struct audits *audits, enum audit_kind kind);

/* Returns the share of a row's time (`usual_ns`) that reuse may save: the difference between it and the time of fresh
 * calls, however a variant recognises these, and the share `unseen` of the fresh calls' own time. Returns 1 if there
 * are no fresh calls. */
double audit_saved(const struct audits *audits, double usual_ns, double unseen);
