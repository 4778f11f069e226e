/* Limits on calls that hang, and the variants that are left out because of them. */
#pragma once

#include "budget/budget.h"

/* Sets in the pool until when calls of this case may run (`calls_end_ns`), so that a call that hangs leaves later cases
 * the time that they need at least. */
void hangs_limit_calls(struct time_budget *budget, const struct plan_case *plan_case);
/* Returns until when suspects of the case may be measured alone; a suspect is a variant that may have caused a failure.
 * That is `suspects_ns` or, if it is later, the end that hangs_limit_calls() has set. Returns 0 (no limit) if
 * `suspects_ns` is 0. */
int64_t hangs_suspects_until(const struct time_budget *budget, int64_t suspects_ns);
/* Returns how many seconds a run with --verify-only may take. */
double hangs_verifying_s(const struct time_budget *budget);
/* Notes the variants that did not return in this case; those that hung often enough are left out of later cases. */
void hangs_note(const struct plan *plan, const struct plan_case *plan_case, const struct case_result *result);
