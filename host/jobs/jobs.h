/* --jobs: divides the cases of a run among several GPUs of this host. For each GPU one process measures a part of the
 * cases (a shard). The results of the shards are merged here. */
#pragma once

#include "base/err.h"
#include "options/options.h"
#include "record/rundir.h"

/* Returns true if the command line asks for jobs, or resumes a run with jobs. */
bool jobs_are_asked(const struct options *options);

/* Runs all jobs and merges their shards in `dir`. Returns 0 if the result is a complete run; `code` becomes the worst
 * exit code of a job. Returns -1 if the run is not complete, for example because a job failed or was interrupted; `err`
 * says why. The rows that were measured are kept, so that --resume can continue the run. */
int jobs_run(const struct options *options, struct rundir *dir, int *code, struct err *err);
