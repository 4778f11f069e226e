/* Measures the devices of a run one after the other. Between device_loop_plan() and device_loop_next() one device is
 * measured: the plan is made for it, then its lock is taken. */
#pragma once

#include "run/state.h"

/* Finds the devices that the options name. */
int device_loop_find(struct run_devices *devices, const struct options *options, struct err *err);
int device_loop_plan(struct run_state *run, struct err *err);
/* Checks that the run that --resume names can be continued on these devices with this plan. */
int run_resume_check(struct run_state *run, struct err *err);
int device_loop_lock(struct run_state *run, struct err *err);
int device_loop_next(struct run_state *run, bool *more, struct err *err);
/* Add facts about the present device to those for run.ini, and write run.ini. */
void device_loop_note(const struct run_devices *devices, const struct planning *planning);
int device_loop_write_ini(const struct run_devices *devices, struct recording *recording,
                          const struct planning *planning, struct err *err);
