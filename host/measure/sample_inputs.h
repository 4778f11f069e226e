/* New inputs among ordinary samples.
 *
 * In a slot of cold mode the inputs of some samples are written anew before the caches are emptied, and which ones is
 * drawn as each sample comes: of some with values that the variant has not met, of half as many others with those that
 * it had in the call before. Nothing else tells the two apart, neither addresses nor the pause before the call nor the
 * caches, and both count as all samples do. So a variant that keeps results takes longer in the first than in the
 * second; and what a row gains over another on repeated inputs, it must gain on new ones as well
 * (record_unproven()).
 *
 * Not where a variant has derived something from the inputs, where the bench gives them, where they are a state, and
 * where iterations follow each other without a pause. */
#ifndef MEASURE_SAMPLE_INPUTS_H
#define MEASURE_SAMPLE_INPUTS_H

#include "measure/turn.h"

/* Before a sample, one of `count`. Inputs are put back before the last one of a slot whose outputs are judged, and
 * otherwise by the caller, behind the slot. */
int sample_inputs_apply(struct gb_case *c, struct rotation *rotation, uint32_t sample, uint32_t count, struct err *err);

/* Keeps the times of samples whose inputs were written: of those that count, all but the first `skipped`. Returns how
 * many samples had them written. */
uint32_t sample_inputs_note(struct contestant *k, const struct rotation *rotation, const double *ns, uint32_t skipped,
                            uint32_t count);

/* The median of samples with new inputs, and its standard uncertainty; NaN of fewer than SAMPLES_NEW_LEAST. */
enum { SAMPLES_NEW_LEAST = 5 };
void sample_inputs_median(const struct contestant *k, double *ns, double *uncertainty_ns);

#endif
