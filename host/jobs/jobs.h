/* --jobs: a run whose cases several GPUs of this host share, each in a process of its own: shards, made and put
 * together here. */
#ifndef JOBS_JOBS_H
#define JOBS_JOBS_H

#include "base/err.h"
#include "options/options.h"
#include "record/rundir.h"

/* Does the command line ask for that, or for going on with such a run? */
bool jobs_are_asked(const struct options *options);

/* Runs all jobs and puts them together in `dir`. Returns 0 where it is a whole run then; `code` is what the worst of
 * them has exited with. -1: something is missing, which `err` names; what was measured stays, for --resume. */
int jobs_run(const struct options *options, struct rundir *dir, int *code, struct err *err);

#endif
