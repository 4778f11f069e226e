/* Joules of each variant. */
#ifndef MEASURE_ENERGY_H
#define MEASURE_ENERGY_H

#include "measure/measurement.h"

/* After the samples; what cannot be had says why. -1: the device failed. */
int measure_energy(struct measurement *m, struct err *err);

#endif
