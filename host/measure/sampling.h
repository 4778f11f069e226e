/* What comes before samples that count. */
#ifndef MEASURE_SAMPLING_H
#define MEASURE_SAMPLING_H

#include "measure/measurement.h"

enum { SLOT_MOST = 50 };

/* -1 only when the device failed. */
int sampling_warm_up(struct measurement *m, double least_s, struct err *err); /* sizes the slots by the way */

/* What has to go before a slot's samples, apart from the one that is always dropped. */
int sampling_lead_in(struct measurement *m, struct contestant *k, struct err *err);

/* Is a slot's first sample dropped, as what a switch of variants may have made longer? */
bool sampling_drops_first(const struct measurement *m, const struct contestant *k);

/* After all variants have been verified: makes room for other inputs (measure/audit/sample_inputs.h), and finds out
 * what they cost. -1: the device failed. */
int sampling_open_inputs(struct measurement *m, struct err *err);

/* Returns whether this one has had fewer calls with new inputs than say anything. */
bool sampling_needs_new(const struct measurement *m, const struct contestant *k);

/* Draws whether the inputs of the next slot are rotated: always where that is needed, and else of three in four, where
 * it is possible. One in four is left alone, for surprises are held against such ones (measure/audit/surprise.h). */
bool sampling_rotates(struct measurement *m, const struct contestant *k, const struct trial *trial);

/* Are more calls with new inputs wanted of this one, whatever these take? */
bool sampling_lacks_new(const struct measurement *m, const struct contestant *k);

/* Else inputs are written so often, where that takes so long and may be done each `of_s`; 1: each time. */
double sampling_writes_share(double seconds, double of_s);

/* How the inputs of that slot are rotated; in batches there is no sample that is a call
 * (measure/audit/sample_inputs.h). */
struct rotation sampling_rotation(struct measurement *m, const struct contestant *k, const struct trial *trial);

/* Draws which of `count` samples of a rotated slot, or iterations of a batch with new inputs, is watched for what
 * others do ahead of it (measure/audit/untimed.h), from 1; 0: none is, as in most slots. It is one of new inputs and is
 * not kept. Only where all that takes part is one plugin's, for threads have no name. */
uint32_t sampling_watches(struct measurement *m, struct contestant *k, uint32_t count);

/* Before the samples of a slot, behind all else; the caller puts the inputs back behind the slot. -1: the device
 * failed. */
int rotated_batch_begin(struct measurement *m, struct contestant *k, const struct trial *trial, struct turn *turn,
                        struct err *err);
/* Keeps the times of such batches: in `turn->ns` from this place on. */
void rotated_batch_note(struct contestant *k, const struct turn *turn, uint32_t at);

#endif
