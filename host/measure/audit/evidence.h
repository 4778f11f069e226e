/* The reuse test of one variant: does it do its work in every call, or does it keep results? It collects the times of
 * three kinds of calls, judges them (stats/audit.h), and decides how many more calls are needed.
 *
 * Each kind compares calls that have new work with calls whose work could be repeated. The single calls of spot checks
 * get new inputs, only poisoned outputs, or neither (measure/audit/trial.h). Perturbed calls are compared with the
 * sample before and with untouched slots (measure/audit/surprise.h). Rotated samples get new inputs or the old ones
 * again (measure/audit/sample_inputs.h). */
#pragma once

#include "measure/audit/sample_inputs.h"
#include "measure/measurement.h"

/* Notes the times of a slot for the reuse test. `ns`: the times of the samples that are kept. */
void evidence_note(struct measurement *m, struct contestant *k, const struct trial *trial, const struct turn *turn,
                   const double *ns, uint32_t count);

/* Returns the usual time that samples on new inputs are compared with. */
struct usual evidence_usual(const struct measurement *m, const struct contestant *k);

/* Returns what the reuse test concludes from the calls of all kinds. */
struct audit_words evidence_words(const struct measurement *m, const struct contestant *k);

/* Returns the share of the variant's time that reuse of results may save; NaN: any share. */
double evidence_hidden(const struct measurement *m, const struct contestant *k, const struct audit_words *words);

/* After sampling: returns true if more of the variant's outputs should be verified and verification has not used up its
 * share of the time. */
bool evidence_is_to_verify(const struct measurement *m, const struct contestant *k);

/* Returns the seconds that indispensable calls and verifications will take after sampling, as far as they are known. */
double evidence_left_s(const struct measurement *m);

/* Returns true if a variant whose perturbations are not timed has fewer calls of this kind than its row needs. */
bool evidence_lacks(const struct measurement *m, const struct contestant *k, enum audit_kind kind);

/* Returns true if more single calls of spot checks are wanted. */
bool evidence_is_of_calls(const struct measurement *m, const struct contestant *k);

/* After sampling: returns true if the variant needs another slot, for the reuse test or to be verified. */
bool evidence_wanted(const struct measurement *m, const struct contestant *k);
