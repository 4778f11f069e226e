/* The reuse test: it finds out whether a variant does its work in every call. It compares the times of calls that must
 * compute their results anew with those of calls whose results an earlier call already computed. The functions do no
 * I/O and use no global state. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Kinds of calls, by the writes to the tensors right before the call. The first three kinds differ only in
 * that. */
enum audit_kind {
  AUDIT_FRESH,    /* the inputs got new values, and the outputs poison (a pattern that marks unwritten elements) */
  AUDIT_POISONED, /* the outputs got poison (a pattern that marks unwritten elements); the inputs kept their values */
  AUDIT_SEEN,     /* inputs and outputs were written again with the values that they had, so nothing changed */
  /* a call in a timed slot before which nothing was written; the time noted is the median of the slot or one of its
   * samples */
  AUDIT_USUAL,
  AUDIT_KINDS
};

enum { AUDITS_MAX = 64, AUDITS_ENOUGH = 24 };

/* Number of calls on new inputs (AUDIT_FRESH_LEAST) and of repeated calls (AUDIT_SEEN_LEAST) from which on the test can
 * tell how much time a variant could save unnoticed. */
enum { AUDIT_FRESH_LEAST = 3, AUDIT_SEEN_LEAST = 4 };

/* The times of calls of each kind: the last AUDITS_MAX of them. They are in ns or, in one set (`late` in struct
 * contestant), multiples of the time of other samples. */
struct audits {
  double ns[AUDIT_KINDS][AUDITS_MAX];
  uint32_t at[AUDIT_KINDS][AUDITS_MAX]; /* index of the call among the noted calls of all kinds */
  uint32_t count[AUDIT_KINDS], all;     /* number of calls of each kind so far (count), and of all kinds (all) */
};

void audit_note(struct audits *audits, enum audit_kind kind, double ns);

/* Returns the kind of the next call, AUDIT_FRESH or AUDIT_SEEN; `now` is the kind of the call before. The kind changes
 * when there were AUDIT_AHEAD more calls of `now` than of the other kind, or, if `ends` is set, when there were any
 * more. So the first run of calls of one kind has at most AUDIT_AHEAD of them, and each later run twice as many. Runs
 * are needed because a cheating variant may reuse results only after its inputs stayed the same for a while. */
enum { AUDIT_AHEAD = 5 };
enum audit_kind audit_next(const struct audits *audits, enum audit_kind now, bool ends);

/* Differences in time that calls of an honest variant may have, because branch predictors learn, threads are awake and
 * caches are warm. */
struct audit_margins {
  /* a variant is accused only if calls with new work take at least this many times as long as repeated calls */
  double least;
  /* if repeated calls are faster by at most learned_ns, a variant is accused only if calls with new work take more than
   * `learned` times as long */
  double learned_ns, learned;
  double clear_ns; /* no variant is accused for a smaller difference */
  /* a call on new inputs (AUDIT_FRESH) may take up to this many times as long as a call in a timed slot
   * (AUDIT_USUAL) */
  double usual;
  /* a call on new inputs may also take up to this many ns longer than a call in a timed slot, because it comes after an
   * idle time or has a launch of its own */
  double woken_ns;
  /* true if AUDIT_USUAL calls are made in the same way as AUDIT_FRESH calls and differ only in what was written before;
   * then these two kinds are compared with the margin `least` too */
  bool alike;
  /* the time of AUDIT_USUAL calls that the variant's row states; if it is less than the median of these calls, it is
   * used instead; 0: there is none */
  double claimed_ns;
};

struct audit_words {
  bool remembers; /* there is enough evidence that the variant reuses results */
  bool suspect;   /* there is some evidence, and more calls are needed */
  /* the kind of calls that took longer than repeated calls (AUDIT_SEEN). AUDIT_USUAL: calls on new inputs took longer
   * than timed slots */
  enum audit_kind kind;
  uint32_t count;          /* number of calls with new work */
  double work_ns, seen_ns; /* medians of calls with new work and with repeated work */
  double limit;            /* largest share of the variant's time that reuse could save unnoticed; NaN: any */
};

struct audit_words audit_judge(const struct audits *audits, const struct audit_margins *margins);

/* Returns the largest share of the variant's time that reuse may save: the share that the test could not notice or, if
 * the variant is suspected, the share that the test noticed, whichever is larger. */
double audit_hidden(const struct audit_words *words);

/* Returns the median time of the kept calls of a kind; NaN if there are none. */
double audit_median(const struct audits *audits, enum audit_kind kind);

/* Returns the standard uncertainty of audit_median(), estimated rather too large than too small; NaN with fewer than
 * two calls. */
double audit_median_uncertainty(const struct audits *audits, enum audit_kind kind);

/* Returns the share of a row's time (`usual_ns`) that reuse may save, 1 if there are no calls on new inputs. It
 * combines two shares: the difference between usual_ns and the time of calls on new inputs, and the share `unseen` that
 * reuse could save unnoticed even in those calls. */
double audit_saved(const struct audits *audits, double usual_ns, double unseen);
