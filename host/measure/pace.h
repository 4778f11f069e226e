/* Rest between slots, so that what is timed has the clock that a rested device gives, and not the one that its power
 * limit leaves to work without a pause. Only devices with such a limit need any. */
#ifndef MEASURE_PACE_H
#define MEASURE_PACE_H

#include "measure/measurement.h"

void pace_begin(struct measurement *m);

/* Before a slot: for as long as what came before it asks for, less the time that the device had nothing to do since. */
void pace_rest(struct measurement *m);

/* It was at work for so long, and drew so much by the latest reading; NaN: not known. */
void pace_worked(struct measurement *m, int64_t ns, double power_w);

#endif
