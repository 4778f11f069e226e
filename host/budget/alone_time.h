/* What looking at the words of a case alone takes (run/alone.c), by its plan. */
#ifndef BUDGET_ALONE_TIME_H
#define BUDGET_ALONE_TIME_H

#include "options/options.h"
#include "plan/plan.h"

/* Seconds that the case is promised for this; 0: no word of it can be between providers, or none is said. */
double alone_promised_s(const struct options *options, const struct plan_case *plan_case);
/* Samples of a variant in a look. */
double alone_look_s(bool quick);

/* Are these two variants of different providers, or builds? */
static inline bool alone_is_between(const struct plan_case *p, size_t i, size_t j) {
  return p->variants[i].plugin != p->variants[j].plugin;
}

#endif
