/* The runs of all shards of a plan, put together as one run: what `gpubench report` makes of them. */
#ifndef MERGE_MERGE_H
#define MERGE_MERGE_H

#include "base/err.h"
#include "base/text.h"
#include "record/rundir.h"

/* Are there several directories, each the run of a shard? */
bool merge_are_shards(const struct strings *paths);

/* Makes a run directory of them, as `where` has it. Nothing is made where they are not all shards of one plan, each
 * once: exit 2 where one is no shard, is of another plan or is there twice; exit 3 where one is missing or was
 * interrupted. The shards are only read. */
int merge_runs(const struct strings *paths, const struct rundir_options *where, struct rundir *made, struct err *err);

/* The same in a directory that is there and has no run yet. `more`, or NULL, is said in its run.ini too; `ok`: so many
 * rows are. */
int merge_into(const struct strings *paths, const struct pairs *more, struct rundir *dir, size_t *ok, struct err *err);

#endif
