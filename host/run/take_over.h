/* Jobs that run at the same time. Each claims its cases before it begins them, and one that is done takes over what
 * others have not begun. */
#ifndef RUN_TAKE_OVER_H
#define RUN_TAKE_OVER_H

#include "run/state.h"

/* Is this run one of them? */
void run_jobs_find(struct planning *planning, const struct options *options, const struct recording *recording);
/* Which of its cases others have by now: they are `gone` then. */
void run_jobs_look(struct planning *planning, struct progress *progress);
/* Before a case is begun. It may be gone then. */
int run_jobs_claim(struct planning *planning, struct plan_case *plan_case, struct progress *progress, struct err *err);
/* A case of another job, which is the last of the plan from now on; NULL: there is none, or no time for it. */
int run_jobs_take_over(struct run_state *run, struct plan_case **taken, struct err *err);

#endif
