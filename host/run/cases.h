/* The cases of the present device, measured and recorded in the plan's order: first ceilings, then those that were
 * asked for. Verdicts of some cases need more processes. Such a process is started for up to CASES_HELD consecutive
 * cases and serves one after the other, so that no case gets the same process twice and no other worker lives at the
 * same time. The rows of these cases wait for it. */
#pragma once

#include "run/state.h"

enum { CASES_HELD = 16 };

/* Measures the ceilings, except those that are remembered and still hold. */
int run_cases_yardsticks(struct run_state *run, struct err *err);
int run_cases_asked(struct run_state *run, struct err *err);

/* Launches each variant for a profiler. Records nothing, because times under a profiler mean nothing. */
void run_cases_profile(struct run_state *run);
