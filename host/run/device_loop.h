/* The devices of a run, one after the other. From run_turns_plan() to run_turns_next() it is one device's turn: the
 * plan is made for it, then its lock is held. */
#pragma once

#include "run/state.h"

/* Finds the devices. */
int run_turns_find(struct run_devices *devices, const struct options *options, struct err *err);
int run_turns_plan(struct run_state *run, struct err *err);
/* Checks that the run of --resume can be continued on these devices with this plan. */
int run_resume_check(struct run_state *run, struct err *err);
int run_turns_lock(struct run_state *run, struct err *err);
int run_turns_next(struct run_state *run, bool *more, struct err *err);
/* Note the present device for run.ini, and write run.ini. */
void run_turns_note(const struct run_devices *devices, const struct planning *planning);
int run_turns_write_ini(const struct run_devices *devices, struct recording *recording, const struct planning *planning,
                        struct err *err);
