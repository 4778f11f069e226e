/* --jobs: divides the cases of a run among several GPUs of this host. One process for each GPU measures a shard; the
 * shards are merged here. */
#pragma once

#include "base/err.h"
#include "options/options.h"
#include "record/rundir.h"

/* Returns true if the command line asks for jobs, or resumes a run with jobs. */
bool jobs_are_asked(const struct options *options);

/* Runs all jobs and merges their shards in `dir`. Returns 0 if that is a complete run; `code` is the worst exit code of
 * a job. Returns -1 if something is missing, which `err` names; measured results stay, for --resume. */
int jobs_run(const struct options *options, struct rundir *dir, int *code, struct err *err);
