/* PLAN of a run on one device. */
#ifndef RUN_PLAN_CASES_H
#define RUN_PLAN_CASES_H

#include "run/state.h"

/* The cases of a device; asks every `supports`. */
int run_plan_cases(struct run_state *run, struct err *err);
/* Where words lack processes. */
uint32_t run_restarts_most(const struct plan_case *plan_case);

#endif
