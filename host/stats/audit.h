/* The reuse test: it finds out whether a variant does its work in every call. It compares the times of calls that must
 * compute their results anew with those of calls whose results an earlier call already computed. The functions do no
 * I/O and use no global state. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Kinds of calls: what was written to the tensors right before a call. In all other respects the calls of the first
 * three kinds are made alike. */
enum audit_kind {
  AUDIT_FRESH,    /* the inputs got new values, and the outputs poison (a pattern that marks unwritten elements) */
  AUDIT_POISONED, /* the outputs got poison (a pattern that marks unwritten elements); the inputs kept their values */
  AUDIT_SEEN,     /* inputs and outputs were written again with the values that they had, so nothing changed */
  /* a call in a timed slot in which nothing was written before a kept sample; one time is noted for each slot, its
   * median or one of its samples */
  AUDIT_USUAL,
  AUDIT_KINDS
};

enum { AUDITS_MAX = 64, AUDITS_ENOUGH = 24 };

/* Number of calls on new inputs (AUDIT_FRESH_LEAST) and of repeated calls (AUDIT_SEEN_LEAST) from which on the test can
 * tell how much time a variant could save unnoticed. */
enum { AUDIT_FRESH_LEAST = 3, AUDIT_SEEN_LEAST = 4 };

/* The times of the last AUDITS_MAX calls of each kind, in ns. The struct may hold other numbers instead of times:
 * `last_ratio` in struct contestant holds ratios (last sample of a slot / median of its other samples). */
struct audits {
  double ns[AUDIT_KINDS][AUDITS_MAX];
  uint32_t at[AUDIT_KINDS][AUDITS_MAX]; /* index of the call among the noted calls of all kinds */
  uint32_t count[AUDIT_KINDS], all;     /* number of calls of each kind so far (count), and of all kinds (all) */
};

void audit_note(struct audits *audits, enum audit_kind kind, double ns);

/* Returns the kind of the next call, AUDIT_FRESH or AUDIT_SEEN; `now` is the kind of the call before. Calls of one kind
 * come in runs, because a variant may keep results only after its inputs stayed the same for a while. A run ends when
 * there were AUDIT_AHEAD more calls of `now` than of the other kind, or one more if `ends` is set. The caller sets
 * `ends` at random, so that no variant can foresee the end of a run. */
enum { AUDIT_AHEAD = 5 };
enum audit_kind audit_next(const struct audits *audits, enum audit_kind now, bool ends);

/* Differences in time that are no evidence against a variant. Calls with new work come after a write of other inputs or
 * of poison; repeated calls come after a write that changed nothing. Repeated calls of an honest variant are faster
 * too, because branch predictors learn, threads are awake and caches are warm. */
struct audit_margins {
  /* a variant is accused only if calls with new work take at least this many times as long as repeated calls */
  double least;
  /* if repeated calls are faster by at most learned_ns, a variant is accused only if calls with new work take more than
   * `learned` times as long */
  double learned_ns, learned;
  double clear_ns; /* a variant is never accused for a smaller difference than this */
  /* a call on new inputs (AUDIT_FRESH) may take up to this many times as long as a call in a timed slot
   * (AUDIT_USUAL) */
  double over_usual;
  /* a call on new inputs may also take up to this many ns longer than a call in a timed slot, because it comes after an
   * idle time or because its launch does not overlap with other calls */
  double woken_ns;
  /* true if AUDIT_USUAL calls are made in the same way as AUDIT_FRESH calls and differ only in what was written before;
   * then these two kinds are compared with the margin `least` too */
  bool alike;
  /* the time that the results state for the variant; it takes the place of the median of AUDIT_USUAL calls if it is
   * less; 0: no time is stated */
  double claimed_ns;
};

struct audit_words {
  bool remembers; /* there is enough evidence that the variant reuses results */
  bool suspect;   /* there is some evidence, and more calls are needed */
  /* the comparison that gave this result. AUDIT_FRESH or AUDIT_POISONED: these calls were compared with repeated calls
   * (AUDIT_SEEN); AUDIT_USUAL: calls on new inputs were compared with timed slots */
  enum audit_kind kind;
  uint32_t count;          /* number of calls with new work */
  double work_ns, seen_ns; /* medians of calls with new work and with repeated work */
  /* largest share of its time that the variant could save by keeping results without being noticed; NaN: any share */
  double limit;
};

struct audit_words audit_judge(const struct audits *audits, const struct audit_margins *margins);

/* Returns the largest share of its time that the variant may save by keeping results. The test cannot notice a saving
 * of up to words->limit. If the variant is suspected and the saving that was measured is larger, that one is returned.
 * But NaN is returned whenever words->limit is NaN: then too few calls are known to state any limit. */
double audit_hidden(const struct audit_words *words);

/* Returns the median time of the last calls of a kind (at most AUDITS_MAX); NaN if there are none. */
double audit_median(const struct audits *audits, enum audit_kind kind);

/* Returns the standard uncertainty of audit_median(), estimated rather too large than too small; NaN with fewer than
 * two calls. */
double audit_median_uncertainty(const struct audits *audits, enum audit_kind kind);

/* Returns the largest share of its work that a variant may save by keeping results. `stated_ns`: the time that the
 * results state, which may be shorter than that of calls on new inputs. `unseen`: the share that those calls may save
 * without being noticed. Returns 1 if there are no calls on new inputs. */
double audit_saved(const struct audits *audits, double stated_ns, double unseen);
