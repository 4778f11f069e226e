/* Makes the plan of a run for one device. */
#pragma once

#include "run/state.h"

/* Plans the cases of the device and asks the `supports` callbacks which variants run. */
int run_plan_cases(struct run_state *run, struct err *err);
/* Returns the largest number of processes that verdicts of the case may need. */
uint32_t run_restarts_most(const struct plan_case *plan_case);
