/* What a case is reckoned to take. */
#ifndef BUDGET_RECKON_H
#define BUDGET_RECKON_H

#include "budget/budget.h"
#include "options/options.h"
#include "plan/plan.h"

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

/* ---- Looking at the words of a case alone (run/alone.c) ---- */

/* Seconds that the case is promised for this; 0: no word of it can be between providers, or none is said. */
double alone_promised_s(const struct options *options, const struct plan_case *plan_case);
/* Samples of a variant in a look. */
double alone_look_s(bool quick);

/* Are these two variants of different providers, or builds? */
static inline bool alone_is_between(const struct plan_case *p, size_t i, size_t j) {
  return p->variants[i].plugin != p->variants[j].plugin;
}

#endif
