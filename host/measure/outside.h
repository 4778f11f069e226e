/* Batches of iterations whose begin and end the parent sees by its own clock, which nothing in this process can change:
 * claimed times may not be below what passed there. */
#ifndef MEASURE_OUTSIDE_H
#define MEASURE_OUTSIDE_H

#include "measure/measurement.h"

/* For each variant some batches of 20 ms together, back to back as in hot mode; of a graph as many as it holds. Not on
 * a scripted device. -1: the device failed. */
int outside_measure(struct measurement *m, struct err *err);

#endif
