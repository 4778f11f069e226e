/* What run.ini says of a run. */
#ifndef RUN_RUN_FACTS_H
#define RUN_RUN_FACTS_H

#include "run/state.h"

/* Of the run as a whole, before anything is measured. */
void run_note(struct run_state *run, const char *name, int argc, char **argv);
/* The floors of a device. */
void run_note_floors(const struct plan *plan, const struct launch_floor *floors, struct pairs *device);
/* For how many words a case of a shard is the evidence; what a former run.ini says of that, nothing if it does not. */
void run_note_words(const struct plan_case *plan_case, struct pairs *environment);
int run_noted_words(const struct resume *former, const struct plan_case *plan_case, uint32_t *words, struct err *err);

#endif
