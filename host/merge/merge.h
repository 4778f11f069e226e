/* Merges the runs of all shards of a plan into one run; used by `gpubench report` and --jobs. */
#pragma once

#include "base/err.h"
#include "base/text.h"
#include "record/rundir.h"

/* Returns true if there are several paths and each is the run of a shard. */
bool merge_are_shards(const struct strings *paths);

/* Merges the shards into a new run directory as `where` describes. Creates nothing unless the paths are all shards of
 * one plan, each once: exit 2 if one is no shard, belongs to another plan or occurs twice; exit 3 if one is missing or
 * was interrupted. The shards are only read. */
int merge_runs(const struct strings *paths, const struct rundir_options *where, struct rundir *made, struct err *err);

/* Merges into an existing directory without a run. `more`, or NULL, is added to its run.ini. `ok` gets the number of
 * rows that are ok. */
int merge_into(const struct strings *paths, const struct pairs *more, struct rundir *dir, size_t *ok, struct err *err);
