/* Perturbations: right before an iteration that looks like all others, a small piece of the inputs gets other values
 * and a small piece of the outputs is filled with a pattern that marks unwritten elements. There is no pause that a
 * variant could notice, as there is before a spot check's single call.
 *
 * In batches iterations follow each other, so the slot ends with one more batch, which is not kept, for the
 * perturbation. On a CPU another extra batch comes before it, in which the same number of bytes of the inputs is
 * written with their old values. On a CPU pieces have all sizes from a cache line to half of an input: a variant that
 * keeps results for parts of its inputs must then compute the changed parts again. In modes of single calls any sample
 * of a slot may be perturbed, and it is kept: the time to change the pieces is subtracted.
 *
 * On a CPU the times count as well (surprises_are_timed()). Samples of which each iteration was perturbed are compared
 * with the samples right before them, and with samples of slots in which nothing was changed. On a GPU times are not
 * compared: there the changes would be queued on the stream and would lengthen the times of all variants. */
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

/* Notes the times of a slot for the reuse test, after its last portion. `ns`: its kept samples. From a slot that begins
 * without a single call, and in which no input and no kept sample was perturbed, it notes one sample as AUDIT_USUAL.
 * That one is chosen at random like a sample to be perturbed. Perturbed samples are compared with these, too. A
 * comparison within a slot is not enough: a variant that can tell which slots will be perturbed would do its work in
 * all calls of these slots. */
void surprise_note(struct measurement *m, struct contestant *k, const struct spot_check *check,
                   const struct slot_task *task, const double *ns, uint32_t count);
