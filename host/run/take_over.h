/* Jobs that run at the same time. Each claims its cases before it begins them, and a job that has finished takes over
 * cases that others have not begun. */
#pragma once

#include "run/state.h"

/* Finds the folder of claims if this run is such a job. */
void run_jobs_find(struct planning *planning, const struct options *options, const struct recording *recording);
/* Marks its cases that others have claimed by now as `gone`. */
void run_jobs_look(struct planning *planning, struct progress *progress);
/* Claims a case before it is begun. Afterwards it may be `gone`. */
int run_jobs_claim(struct planning *planning, struct plan_case *plan_case, struct progress *progress, struct err *err);
/* Takes over a case of another job and appends it to the plan. `*taken` NULL: there is none, or no time for it. */
int run_jobs_take_over(struct run_state *run, struct plan_case **taken, struct err *err);
