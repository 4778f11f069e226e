/* From a case to variants that can run: the bench's setup, tensors and their inputs, each variant's prepare. */
#ifndef MEASURE_SET_UP_H
#define MEASURE_SET_UP_H

#include "measure/measurement.h"

/* -1: the device failed. */
int measure_set_up(struct measurement *m, struct err *err);
int measure_prepare(struct measurement *m, struct contestant *k,
                    struct err *err); /* it is dropped where it cannot be */

#endif
