/* A contestant is a variant while its case is measured. These functions prepare, run, verify and release it, and fill
 * its report. */
#pragma once

#include "case/compare.h"
#include "measure/slot_task.h"

/* Returns true until the variant is dropped from this case. */
bool contestant_alive(const struct contestant *k);

/* Returns true if the variant derives something from the inputs in `prepare` (GB_VARIANT_DERIVED). */
bool contestant_is_derived(const struct contestant *k);

/* Drops the variant: records status, message and the rule of the ABI that it broke (or RULE_NONE), unless it was
 * dropped before, and releases it. */
void contestant_break(struct contestant *k, enum rule rule, enum row_status status, const char *format, ...)
    ERR_PRINTF(4, 5);
#define contestant_drop(k, status, ...) contestant_break(k, RULE_NONE, status, __VA_ARGS__)

/* Calls `prepare`; a failure drops the variant. Returns -1 only if nothing may run in this process any more. */
int contestant_prepare(struct contestant *k, struct err *err);
/* Calls `release` if `prepare` succeeded. */
void contestant_release(struct contestant *k);

/* Calls `refresh` after the inputs changed. -1: the process cannot go on. */
int contestant_refresh(struct contestant *k, struct err *err);

/* Runs a slot task: takes the samples of a slot, with the changes of tensors between them that the task asks for. A
 * failed callback drops the variant; -1 only if the process cannot go on. */
int contestant_slot(struct contestant *k, struct slot_task *task, struct err *err);

/* Poisons the outputs (fills them with a pattern that shows where nothing was written), runs the slot task, and waits
 * for the device. -1: the process cannot go on. */
int contestant_run_poisoned(struct contestant *k, struct slot_task *task, struct err *err);

/* Calls `after`, which brings the outputs to where they are compared. A failure drops the variant, with `where` before
 * the reason. -1: the process cannot go on. */
int contestant_deliver(struct contestant *k, const char *where, struct err *err);

/* Compares a portion of the present outputs. If they do not pass, drops the variant, with `where` before the reason.
 * -1: the device failed. */
int contestant_check(struct contestant *k, const char *where, const struct portion *portion, struct err *err);

/* Returns true if the present outputs can be compared with expected values or checked by the bench's `verify`. */
bool contestant_is_checked(const struct contestant *k);

/* Drops the variant if an output was written late, that is after the clock stopped: either the slot found that, or
 * comparing the outputs again now does. Call it after contestant_check(), which has the better message for wrong
 * outputs. -1: nothing may run in this process any more. */
int contestant_check_done(struct contestant *k, struct slot_task *task, struct err *err);

/* Drops the variant if it reuses results of earlier calls (`words` is what the reuse test concluded), or if its memory
 * grew by more than `leak_bytes` over its calls. `hidden`: the most that undetected reuse may save, as a share of the
 * variant's time; NaN: no limit is known. */
void contestant_judge(struct contestant *k, const struct audit_words *words, double hidden, double leak_bytes);

/* Counts the kernels of one iteration and, in graph modes, keeps a capture of `replicas` iterations. Drops a variant
 * that cannot be captured, unless it declares that. -1: the process cannot go on. */
int contestant_capture(struct contestant *k, struct mode mode, struct err *err);

/* Runs the variant once to warm up and once for a profiler, in both cases without holding back the stream until all
 * work is enqueued. -1: the process cannot go on. */
int contestant_profile(struct contestant *k, struct err *err);

/* Adds an empty slot with room for `slot_size` samples, which contestant_keep() appends in one or more portions. */
void contestant_open_slot(struct contestant *k, uint32_t round);
void contestant_keep(struct contestant *k, const struct slot_state *state, const double *ns, uint32_t count);
/* Discards all samples so far and the times of the reuse test. */
void contestant_discard_samples(struct contestant *k);
void contestant_free(struct contestant *k);
