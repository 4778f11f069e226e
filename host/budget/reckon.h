/* Estimates the time that a case takes. */
#pragma once

#include "budget/budget.h"
#include "options/options.h"
#include "plan/plan.h"

/* Returns the seconds that the case takes on an idle machine. They follow from the plan alone and are the same on every
 * machine. */
double reckon_idle_s(const struct time_budget *budget, const struct plan_case *plan_case);
/* These functions return seconds on this machine, as busy as it is now. reckon_promised_s(): the time planned for the
 * case; reckon_least_s(): the least time without which its rows are useless; reckon_energy_s(): what the measurement of
 * energy takes after the samples. */
double reckon_promised_s(const struct time_budget *budget, const struct plan_case *plan_case);
double reckon_least_s(const struct time_budget *budget, const struct plan_case *plan_case);
double reckon_energy_s(const struct time_budget *budget, const struct plan_case *plan_case);

/* reckon_look_busy() measures by which factor everything takes longer than on an idle machine, before the user is told
 * how long the run will take; reckon_busy() returns the factor. */
void reckon_look_busy(struct time_budget *budget);
double reckon_busy(const struct time_budget *budget);
/* Returns true if the device gets cooldowns (pauses in which it does not work) between series of samples. */
bool reckon_rests(const struct time_budget *budget);

/* ---- Checking a case's verdicts by measuring variants alone (run/alone.c) ---- */

/* Returns the seconds that are planned for measuring the case's variants alone; 0: no verdict of the case needs that,
 * for example because all variants are from one provider (plugin). */
double alone_promised_s(const struct options *options, const struct plan_case *plan_case);
/* Returns the seconds of sampling for one variant measured alone. */
double alone_look_s(bool quick);

/* Returns true if the two variants belong to different providers or builds. */
static inline bool alone_is_between(const struct plan_case *p, size_t i, size_t j) {
  return p->variants[i].plugin != p->variants[j].plugin;
}
