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

/* After all variants have been verified: makes room for other inputs (measure/sample_inputs.h), and finds out what they
 * cost. -1: the device failed. */
int sampling_open_inputs(struct measurement *m, struct err *err);

/* Draws whether the inputs of the next slot are rotated: of three in four, where that is possible. One in four is left
 * alone, for surprises are held against such ones (measure/surprise.h). */
bool sampling_rotates(struct measurement *m, const struct contestant *k, const struct trial *trial);

/* How the inputs of that slot are rotated. */
struct rotation sampling_rotation(struct measurement *m, const struct contestant *k, const struct trial *trial);

#endif
