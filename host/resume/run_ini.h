/* run.ini: what a run keeps beside its figures, and the suite that repeats it. */
#ifndef RESUME_RUN_INI_H
#define RESUME_RUN_INI_H

#include "plan/plan.h"
#include "record/rundir.h"

/* Writes run.ini anew: facts, tags, and a section per case, which makes it a suite that repeats the run. */
int run_ini_write(struct rundir *dir, const struct pairs *environment, const struct pairs *tags,
                  const struct plan *plan, const struct catalog *catalog, struct err *err);

/* "[SECTION]" and its keys, as run.ini has them. */
void run_ini_write_pairs(FILE *file, const char *section, const struct pairs *pairs);

#endif
