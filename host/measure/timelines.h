/* The spans of one iteration of each variant that wants it; untimed, after the samples. */
#ifndef MEASURE_TIMELINES_H
#define MEASURE_TIMELINES_H

#include "measure/measurement.h"

/* -1 only when the device failed. */
int measure_timelines(struct measurement *m, struct err *err);

#endif
