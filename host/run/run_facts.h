/* Collects facts about a run for run.ini, the file in the run directory that describes the run. */
#pragma once

#include "run/state.h"

/* Notes the facts about the run as a whole, before anything is measured. */
void run_note(struct run_state *run, const char *name, int argc, char **argv);
/* Notes the launch overheads of a device. */
void run_note_overheads(const struct plan *plan, const struct mode_overhead *overheads, struct pairs *device);
/* Write to run.ini, and read back from an earlier run.ini, how many verdicts the whole plan has for the bench and mode
 * of a case. A shard (part of a plan) cannot count them itself. Reading leaves `*verdicts` unchanged if run.ini does
 * not have the number. */
void run_note_verdicts(const struct plan_case *plan_case, struct pairs *environment);
int run_noted_verdicts(const struct resume *former, const struct plan_case *plan_case, uint32_t *verdicts,
                       struct err *err);
