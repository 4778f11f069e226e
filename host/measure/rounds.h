/* Slots and rounds. */
#ifndef MEASURE_ROUNDS_H
#define MEASURE_ROUNDS_H

#include "measure/measurement.h"

/* Until times are precise, or the time is over; and some of it is verified. -1 only when the device failed. */
int rounds_sample(struct measurement *m, struct err *err);

#endif
