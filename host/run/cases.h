/* The cases of the device whose turn it is, measured and recorded in the plan's order: ceilings, then those that were
 * asked for. Words of some lack processes. Such a process is started for up to CASES_HELD cases that follow each other,
 * and serves one after the other: no case has it twice, and no second one lives beside it. Their rows wait for it. */
#ifndef RUN_CASES_H
#define RUN_CASES_H

#include "run/state.h"

enum { CASES_HELD = 16 };

/* Those that are remembered, and hold, are not measured. */
int run_cases_yardsticks(struct run_state *run, struct err *err);
int run_cases_asked(struct run_state *run, struct err *err);

/* Nothing is recorded: under a profiler no time means anything. */
void run_cases_profile(struct run_state *run);

#endif
