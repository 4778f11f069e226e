/* The files of an interrupted run, made ready to be written on. */
#ifndef RUN_RESUME_REPAIR_H
#define RUN_RESUME_REPAIR_H

#include "plan/plan.h"
#include "run/resume.h"

/* Cuts off what was torn, drops the rows of cases that are not complete, and opens the files to go on. Samples stay:
 * their epochs are not used again. */
int resume_repair(const struct resume *resume, struct rundir *dir, const struct plan *plan, struct err *err);

#endif
