/* The reuse test of one variant: does it work in every call, or keep results? These functions collect the times of
 * calls, judge them (stats/audit.h), and decide how many more calls are needed. host/docs/reuse-test.md describes the
 * test, and the four sets of calls in struct contestant: single, last_ratio, surprised, rotated. */
#pragma once

#include "measure/audit/sample_inputs.h"
#include "measure/measurement.h"

/* Notes the times of a slot for the reuse test. `ns`: the times of the samples that are kept. */
void evidence_note(struct measurement *m, struct contestant *k, const struct spot_check *check,
                   const struct slot_task *task, const double *ns, uint32_t count);

/* Returns the median of the variant's samples, with which times on new inputs are compared. */
struct row_median evidence_row_median(const struct measurement *m, const struct contestant *k);

/* Returns what the reuse test concludes from the four sets of calls that the head of this file lists. */
struct audit_words evidence_words(const struct measurement *m, const struct contestant *k);

/* Returns the largest share of the variant's time that undetected reuse of results may save; NaN: any share is
 * possible. */
double evidence_hidden(const struct measurement *m, const struct contestant *k, const struct audit_words *words);

/* Returns true if, after sampling, outputs of the variant should be verified more often and spot checks have not used
 * up their share of the time. */
bool evidence_is_to_verify(const struct measurement *m, const struct contestant *k);

/* Returns how many seconds the calls and verifications that every row needs will take after sampling, as far as that is
 * known. */
double evidence_left_s(const struct measurement *m);

/* Returns true if the variant has had fewer single calls of this kind than its row needs. Returns false for variants
 * whose perturbed calls are timed (surprises_are_timed()): single calls are useful for them, but no row needs them. */
bool evidence_lacks(const struct measurement *m, const struct contestant *k, enum audit_kind kind);

/* Returns true if more slots of the variant should begin with a single call, which is timed for the reuse test. */
bool evidence_is_of_calls(const struct measurement *m, const struct contestant *k);

/* After sampling: returns true if the variant needs another slot, for the reuse test or to be verified. */
bool evidence_wanted(const struct measurement *m, const struct contestant *k);
