/* Measures the cases of the present device and records them in the plan's order: first ceilings, then the cases that
 * were asked for. Some verdicts need more processes. Such a process is started for up to CASES_HELD consecutive cases
 * and measures one after the other, so that no case gets the same process twice and no other worker lives at the same
 * time. The rows of these cases are recorded after that. */
#pragma once

#include "run/state.h"

enum { CASES_HELD = 16 };

/* Measure the ceilings, except those remembered from earlier runs that still hold; and the cases that were asked
 * for. */
int run_cases_yardsticks(struct run_state *run, struct err *err);
int run_cases_asked(struct run_state *run, struct err *err);

/* Launches each variant for a profiler. Records nothing, because times under a profiler mean nothing. */
void run_cases_profile(struct run_state *run);
