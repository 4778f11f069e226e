/* Perturbations: right before an iteration that looks like all others, a small piece of the inputs gets other values,
 * and a piece of the outputs a pattern that marks unwritten elements. There is no pause that a variant could notice. On
 * a CPU pieces have all sizes from a cache line to half of an input.
 *
 * In modes of single calls any sample of a slot may be perturbed. It is kept, and the time of writing is subtracted. In
 * modes of batches the slot ends with one more batch for the perturbation, which is not kept.
 *
 * On a CPU the times count as well (surprises_are_timed()): perturbed samples are compared with those right before
 * them, and with slots in which nothing changed. On a GPU the writing would lengthen the times of all variants. */
#pragma once

#include "measure/measurement.h"

/* surprises_are_timed() returns true if times of perturbed calls, before which pieces of tensors changed, can show that
 * this variant reuses results. surprises_are_wanted() returns true if more such times are needed. */
bool surprises_are_timed(const struct measurement *m, const struct contestant *k);
bool surprises_are_wanted(const struct measurement *m, const struct contestant *k);

/* Chooses the perturbation of the next slot; most slots have none. The members `first` and `last` of the result count
 * iterations from the start of the perturbed sample. */
struct surprise surprise_choose(struct measurement *m, const struct contestant *k, const struct spot_check *check);

/* Returns true if the perturbed sample is an extra one, which is not kept; false if one of the kept samples is
 * perturbed. */
bool surprise_is_extra(const struct measurement *m, const struct contestant *k);

/* Returns true if no sample of the slot that is kept was perturbed. */
bool surprise_spares_kept(const struct measurement *m, const struct contestant *k, const struct slot_task *task);

/* Notes the times of a slot for the reuse test, after its last portion. `ns`: its kept samples. From a slot in which
 * nothing was written, it notes one random sample as AUDIT_USUAL. Such slots are needed because a variant that foresees
 * which slots are perturbed may do its work in all calls of these. */
void surprise_note(struct measurement *m, struct contestant *k, const struct spot_check *check,
                   const struct slot_task *task, const double *ns, uint32_t count);
