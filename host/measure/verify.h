/* Are the variants right, on which inputs, and do they do the work each time? */
#ifndef MEASURE_VERIFY_H
#define MEASURE_VERIFY_H

#include "measure/measurement.h"

/* Refills the inputs, computes the reference, and judges every variant on them; an audit of times
 * follows each pass but the first. -1: the device failed. */
int measure_verify(struct measurement *m, struct err *err);
/* As many more runs on new inputs as it takes to tell who remembers old ones, unless filling them takes too long and
 * nobody seems to. -1: the device failed. */
int measure_audit(struct measurement *m, struct err *err);
/* A processor learns the branches of short work by heart, and no variant is to blame for that: how short. */
double measure_learned_ns(const struct measurement *m);

#endif
