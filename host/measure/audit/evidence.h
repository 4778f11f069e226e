/* What the times of trials and surprises say of a variant. */
#ifndef MEASURE_AUDIT_EVIDENCE_H
#define MEASURE_AUDIT_EVIDENCE_H

#include "measure/audit/sample_inputs.h"
#include "measure/measurement.h"

/* The samples of a slot, at `ns` those that are kept. */
void evidence_note(struct measurement *m, struct contestant *k, const struct trial *trial, const struct turn *turn,
                   const double *ns, uint32_t count);

/* What calls with new inputs are held against. */
struct usual evidence_usual(const struct measurement *m, const struct contestant *k);

struct audit_words evidence_words(const struct measurement *m, const struct contestant *k);

/* What reuse of results may save of its time; NaN: any. */
double evidence_hidden(const struct measurement *m, const struct contestant *k, const struct audit_words *words);

/* When the samples are enough: are more of its outputs to be compared? It has its share of the time. */
bool evidence_is_to_verify(const struct measurement *m, const struct contestant *k);

/* What the least of it is going to take, when the samples are enough; as far as that is known. */
double evidence_left_s(const struct measurement *m);

/* Are there fewer calls of a kind than a row needs that is not looked at by surprises? */
bool evidence_lacks(const struct measurement *m, const struct contestant *k, enum audit_kind kind);

/* Is more wanted of the calls that trials make by themselves? */
bool evidence_is_of_calls(const struct measurement *m, const struct contestant *k);

/* When the samples are enough: is more wanted of this one? */
bool evidence_wanted(const struct measurement *m, const struct contestant *k);

#endif
