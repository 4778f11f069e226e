/* Limits on calls that hang, and the variants that are left out because of them. */
#pragma once

#include "budget/budget.h"

/* Sets in the pool until when calls of this case may run. Returns until when variants suspected of a failure may be
 * measured alone: the end of the case's calls, or `suspects_ns` if that is later; 0 (no limit) if `suspects_ns` is 0.
 */
int64_t hangs_bound(struct time_budget *budget, const struct plan_case *plan_case, int64_t suspects_ns);
/* Returns how many seconds a run with --verify-only may take. */
double hangs_verifying_s(const struct time_budget *budget);
/* Notes the variants that did not return in this case; those that hung often enough are left out of later cases. */
void hangs_note(const struct plan *plan, const struct plan_case *plan_case, const struct case_result *result);
