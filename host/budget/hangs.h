/* What calls may take of a case's time, and who is left out for not having returned. */
#ifndef BUDGET_HANGS_H
#define BUDGET_HANGS_H

#include "budget/budget.h"

/* Sets when what is left to a case's calls is over; until then, or `trials_ns`, variants may be tried apart. */
int64_t hangs_bound(struct time_budget *budget, const struct plan_case *plan_case, int64_t trials_ns);
/* How long a run that times nothing may take. */
double hangs_verifying_s(const struct time_budget *budget);
/* Takes who did not return in it, who is left out of later cases when it has been enough. */
void hangs_note(const struct plan *plan, const struct plan_case *plan_case, const struct case_result *result);

#endif
