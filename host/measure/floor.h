/* What a launch costs that does nothing. */
#ifndef MEASURE_FLOOR_H
#define MEASURE_FLOOR_H

#include "measure/measurement.h"

/* In this mode. -1: the device failed. */
int floor_measure(struct measurement *m, struct err *err);

#endif
