/* Measures the cases of the present device and records them in the plan's order: first those that measure ceilings (the
 * device's highest rates), then those that were asked for. If verdicts need a further process, one new process measures
 * up to CASES_HELD consecutive cases, one after the other; their rows are recorded after that. Each case thus gets a
 * process that has not measured it before, and only one worker lives at a time. */
#pragma once

#include "run/state.h"

enum { CASES_HELD = 16 };

/* run_cases_yardsticks() measures the ceilings (the device's highest rates), except those remembered from earlier runs
 * that still hold. run_cases_asked() measures the cases that the user asked for. */
int run_cases_yardsticks(struct run_state *run, struct err *err);
int run_cases_asked(struct run_state *run, struct err *err);

/* Launches each variant for a profiler. Records nothing, because times under a profiler mean nothing. */
void run_cases_profile(struct run_state *run);
