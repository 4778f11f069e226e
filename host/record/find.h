/* Stored runs by what people call them. */
#ifndef RECORD_FIND_H
#define RECORD_FIND_H

#include <stdbool.h>

#include "base/err.h"
#include "base/text.h"

/* The path of a run: a file or a run directory that is there; else, in $GPUBENCH_OUT or gpubench-out, a run directory
 * of this name, what the link `latest` stands for (where it leads nowhere: the newest run) for `latest` and for `last`,
 * or the newest that was given this --name. NULL with an error of exit code 2, which names the nearest. The caller
 * frees it. */
char *find_run(const char *what, struct err *err);

/* The paths of all of them. Exit 2 also where two are the same run. */
int find_runs(const struct strings *names, struct strings *paths, struct err *err);

/* The newest run that fits, of those made before `before` (a directory's name: TIME-NAME, or its TIME; NULL: of all)
 * and that no process still writes to; NULL: none. The caller frees it. */
char *find_newest(const char *before, bool (*fits)(const char *path, void *user), void *user);

/* Does a process still write to this run directory? */
bool find_is_written(const char *path);

/* Is it `last` or `latest`, which are one thing, and no run of this name in the current directory? */
bool find_is_last(const char *what);

/* The paths of the runs that are kept, the newest first. */
void find_all(struct strings *paths);

/* Is this the name of a directory that a run made for itself: 20261121T071503Z-NAME? */
bool find_is_dated(const char *name);

/* Where runs are kept. */
const char *find_parent(void);

#endif
