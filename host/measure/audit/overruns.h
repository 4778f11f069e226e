/* Writes beside memory of gb.mem, and who is held responsible for them. */
#ifndef MEASURE_AUDIT_OVERRUNS_H
#define MEASURE_AUDIT_OVERRUNS_H

#include "case/memory.h"
#include "measure/measurement.h"

/* Looks at the guards. `turn`: the variant that has run since they were looked at last; NULL: several may have, and an
 * overrun is its owner's. What was enqueued must be complete. -1: the device failed. */
int overruns_look(struct measurement *m, struct contestant *turn, enum guards_reach reach, struct err *err);

#endif
