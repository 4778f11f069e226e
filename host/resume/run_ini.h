/* Writes run.ini, the file of a run directory with the facts of the run. It can also be used as a suite file, which
 * says what to measure; a run of that suite repeats the run. */
#pragma once

#include "plan/plan.h"
#include "record/rundir.h"

/* Writes the whole of run.ini: facts, tags, and a section for each case, by which the run can be repeated. */
int run_ini_write(struct rundir *dir, const struct pairs *environment, const struct pairs *tags,
                  const struct plan *plan, const struct catalog *catalog, struct err *err);

/* Writes "[SECTION]" and its keys in the format of run.ini. */
void run_ini_write_pairs(FILE *file, const char *section, const struct pairs *pairs);
