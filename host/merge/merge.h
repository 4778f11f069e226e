/* Merges the runs of all shards (parts) of a plan into one run; `gpubench report` and --jobs use it. */
#pragma once

#include "base/err.h"
#include "base/text.h"
#include "record/rundir.h"

/* Returns true if there are several paths and each is the run of a shard. */
bool merge_are_shards(const struct strings *paths);

/* Merges the shards into a new run directory, which `where` describes. The paths must be all shards of one plan, each
 * once; otherwise nothing is created. Fails with exit code 2 if a path is not a shard, is of another plan, or occurs
 * twice, and with exit code 3 if a shard is missing or was interrupted. The shards themselves are not changed. */
int merge_runs(const struct strings *paths, const struct rundir_options *where, struct rundir *made, struct err *err);

/* Merges the shards into an existing directory that has no run yet. The pairs `more` (or NULL) are added to its
 * run.ini. `ok` becomes the number of rows that are ok. */
int merge_into(const struct strings *paths, const struct pairs *more, struct rundir *dir, size_t *ok, struct err *err);
