/* Slots and rounds. */
#ifndef MEASURE_SAMPLING_H
#define MEASURE_SAMPLING_H

#include "measure/measurement.h"

/* -1 only when the device failed. */
int sampling_warm_up(struct measurement *m, double least_s, struct err *err); /* sizes the slots by the way */
int sampling_probe(struct measurement *m, struct err *err);                   /* alone and in turns; nothing is kept */
int sampling_rounds(struct measurement *m, struct err *err);                  /* until precise, or out of time */

#endif
