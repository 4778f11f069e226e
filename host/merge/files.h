/* The files of a merged run. */
#ifndef MERGE_FILES_H
#define MERGE_FILES_H

#include "merge/rows.h"
#include "record/rundir.h"

/* Fills the directory, which has been made: all but run.ini. Rows get its run_id and the ids of the merged devices. */
int files_write(const struct shard_runs *runs, const struct merged_devices *devices, struct merged_rows *rows,
                const struct rundir *dir, struct err *err);

/* run.ini: `environment`, `tags`, and the cases as they stand in the shards, in the plan's order. */
int files_write_ini(const struct shard_runs *runs, const struct pairs *environment, const struct pairs *tags,
                    struct rundir *dir, struct err *err);

#endif
