/* One variant taking part in a case: prepared, run, verified, released; and what became of it. */
#ifndef MEASURE_CONTESTANT_H
#define MEASURE_CONTESTANT_H

#include "case/compare.h"
#include "measure/turn.h"

/* Takes part still? */
bool contestant_alive(const struct contestant *k);

/* Has it prepared for the inputs? */
bool contestant_is_derived(const struct contestant *k);

/* Ends its part with a status and a sentence, and the rule of the ABI that it breaks, or RULE_NONE; releases it. */
void contestant_break(struct contestant *k, enum rule rule, enum row_status status, const char *format, ...)
    ERR_PRINTF(4, 5);
#define contestant_drop(k, status, ...) contestant_break(k, RULE_NONE, status, __VA_ARGS__)

/* -1 only when nobody should run in this process any more. */
int contestant_prepare(struct contestant *k, struct err *err);
void contestant_release(struct contestant *k);

/* Derives again what it has derived from the inputs, which are others now. -1: as above. */
int contestant_refresh(struct contestant *k, struct err *err);

/* Takes samples. A callback's failure drops it; -1 only when the device failed. */
int contestant_slot(struct contestant *k, struct turn *turn, struct err *err);

/* Poisons the outputs, takes the turn's samples, and waits for the device. -1 only when it failed. */
int contestant_run_poisoned(struct contestant *k, struct turn *turn, struct err *err);

/* Has `after` bring the outputs where they are compared. What goes wrong drops the variant, with `where` before the
 * reason; -1 only when the device failed. */
int contestant_deliver(struct contestant *k, const char *where, struct err *err);

/* Judges the outputs as they lie there, a portion of their values. What does not pass drops it, with `where` before the
 * reason; -1 only when the device failed. */
int contestant_check(struct contestant *k, const char *where, const struct portion *portion, struct err *err);

/* Is what lies in its outputs held against an expectation, or left to the bench's `verify`? */
bool contestant_is_checked(const struct contestant *k);

/* Drops one whose outputs came late, as the turn has seen or is seen now: behind contestant_check(), which says it
 * better of outputs that are wrong. -1: nobody should run in this process any more. */
int contestant_check_done(struct contestant *k, struct turn *turn, struct err *err);

/* Drops a variant that is faster where its work has been done before, or whose memory grows by more than `leak_bytes`
 * over the calls it has made. */
void contestant_judge(struct contestant *k, const struct audit_words *words, double hidden, double leak_bytes);

/* Counts the kernels of one iteration and, in graph modes, keeps its capture with `replicas` iterations; a variant that
 * cannot be captured though it says so is dropped. -1 only when the device failed. */
int contestant_capture(struct contestant *k, struct mode mode, struct err *err);

/* One launch to warm up and one for a profiler to see, neither held back. -1 only when the device failed. */
int contestant_profile(struct contestant *k, struct err *err);

/* A slot, empty, with room for `slot_size` samples, which are then kept in one portion or more. */
void contestant_open_slot(struct contestant *k, uint32_t round);
void contestant_keep(struct contestant *k, const struct slot_state *state, const double *ns, uint32_t count);
/* All that was timed so far is to be repeated. */
void contestant_set_aside(struct contestant *k);
void contestant_free(struct contestant *k);

#endif
