/* Detects writes outside memory from gb.mem and decides which variant is responsible for them. */
#pragma once

#include "case/memory.h"
#include "measure/measurement.h"

/* Checks the guards (known bytes around each allocation). `only`: the only variant that ran since the last check; NULL:
 * several may have run, so an overrun is charged to the owner of the memory. All enqueued work must be complete. -1:
 * the device failed. */
int overruns_look(struct measurement *m, struct contestant *only, enum guards_reach reach, struct err *err);
