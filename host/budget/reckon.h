/* What a case is reckoned to take. */
#ifndef BUDGET_RECKON_H
#define BUDGET_RECKON_H

#include "budget/budget.h"

/* By nothing but the plan, as long on every machine. */
double reckon_idle_s(const struct time_budget *budget, const struct plan_case *plan_case);
/* On this machine now: what it is promised; without which its rows cannot stand; and, of what comes after its samples,
 * for its joules. */
double reckon_promised_s(const struct time_budget *budget, const struct plan_case *plan_case);
double reckon_least_s(const struct time_budget *budget, const struct plan_case *plan_case);
double reckon_energy_s(const struct time_budget *budget, const struct plan_case *plan_case);

/* So many times as long as on an idle machine do things take, as was looked at before the plan was announced. */
void reckon_look_busy(struct time_budget *budget);
double reckon_busy(const struct time_budget *budget);
/* Does the device rest between slots? */
bool reckon_rests(const struct time_budget *budget);

#endif
