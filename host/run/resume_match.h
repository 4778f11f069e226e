/* What of the plan an interrupted run has done. */
#ifndef RUN_RESUME_MATCH_H
#define RUN_RESUME_MATCH_H

#include "plan/plan.h"
#include "run/resume_check.h"

/* Which cases of the plan are complete, on each device. Exit 2: the rows are of another plan. */
int resume_match(struct resume *resume, const struct rundir *dir, const struct plan *plan,
                 const struct resume_device *devices, size_t device_count, struct err *err);

#endif
