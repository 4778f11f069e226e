/* New inputs in batches.
 *
 * On a processor a slot may end with two batches that are not kept: before each iteration of one the inputs become
 * others that the variant has not met, before each of the other they are written again as they are. What writing takes
 * is not in the time. On a GPU, where it would be, the slot is one of other inputs from its first sample to its last.
 */
#ifndef MEASURE_ROTATED_BATCH_H
#define MEASURE_ROTATED_BATCH_H

#include "measure/measurement.h"

/* Before the samples of a slot, behind all else; the caller puts the inputs back behind the slot. -1: the device
 * failed. */
int rotated_batch_begin(struct measurement *m, struct contestant *k, const struct trial *trial, struct turn *turn,
                        struct err *err);

/* Keeps the times of such batches: in `turn->ns` from this place on. */
void rotated_batch_note(struct contestant *k, const struct turn *turn, uint32_t at);

#endif
