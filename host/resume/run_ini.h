/* run.ini: the facts of a run, and a suite that repeats it. */
#pragma once

#include "plan/plan.h"
#include "record/rundir.h"

/* Writes run.ini from scratch: facts, tags, and a section per case, which make it a suite that repeats the run. */
int run_ini_write(struct rundir *dir, const struct pairs *environment, const struct pairs *tags,
                  const struct plan *plan, const struct catalog *catalog, struct err *err);

/* Writes "[SECTION]" and its keys in the format of run.ini. */
void run_ini_write_pairs(FILE *file, const char *section, const struct pairs *pairs);
