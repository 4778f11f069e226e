/* Measures the cases of the present device and records them in the plan's order: first those that measure ceilings (the
 * device's highest rates), then those that were asked for. Some verdicts need more processes. One such process is
 * started for up to CASES_HELD consecutive cases and measures them one after the other. So no case gets the same
 * process twice, and only one worker lives at a time. The rows of these cases are recorded after that. */
#pragma once

#include "run/state.h"

enum { CASES_HELD = 16 };

/* run_cases_yardsticks() measures the ceilings (the device's highest rates), except those remembered from earlier runs
 * that still hold. run_cases_asked() measures the cases that the user asked for. */
int run_cases_yardsticks(struct run_state *run, struct err *err);
int run_cases_asked(struct run_state *run, struct err *err);

/* Launches each variant for a profiler. Records nothing, because times under a profiler mean nothing. */
void run_cases_profile(struct run_state *run);
