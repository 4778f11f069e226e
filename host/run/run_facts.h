/* Facts about a run for run.ini. */
#pragma once

#include "run/state.h"

/* Notes the run as a whole, before anything is measured. */
void run_note(struct run_state *run, const char *name, int argc, char **argv);
/* Notes the launch overheads of a device. */
void run_note_floors(const struct plan *plan, const struct launch_floor *floors, struct pairs *device);
/* Write, and read back from an earlier run.ini, the number of verdicts that a shard's case belongs to. Reading leaves
 * `words` unchanged if it is not there. */
void run_note_words(const struct plan_case *plan_case, struct pairs *environment);
int run_noted_words(const struct resume *former, const struct plan_case *plan_case, uint32_t *words, struct err *err);
