/* Cases that move between the jobs of a run. A job is a run that measures one part of a plan while other jobs measure
 * the other parts. Each job claims a case before it begins it, and a job that has finished takes over cases that other
 * jobs have not begun. */
#pragma once

#include "run/state.h"

/* Sets the folder in which jobs claim cases, if this run is a job whose cases other jobs may take over. */
void run_jobs_find(struct planning *planning, const struct options *options, const struct recording *recording);
/* Sets `gone` in those cases of this job that other jobs have claimed. */
void run_jobs_look(struct planning *planning, struct progress *progress);
/* Claims a case before it is begun. The case is `gone` afterwards if another job has claimed it. */
int run_jobs_claim(struct planning *planning, struct plan_case *plan_case, struct progress *progress, struct err *err);
/* Takes over a case of another job and appends it to the plan. `*taken` becomes that case; NULL: there is no such case,
 * or no time for one. */
int run_jobs_take_over(struct run_state *run, struct plan_case **taken, struct err *err);
