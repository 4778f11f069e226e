/* Finds stored runs by the names that users give. */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/map.h"
#include "base/text.h"
#include "record/run_data.h"

/* Returns the path of a run: an existing file or run directory; or, in $GPUBENCH_OUT or gpubench-out, the run directory
 * of this name; for `latest` and `last` the target of the link `latest`, or the newest run if the link is broken; or
 * the newest run with this --name. NULL with exit code 2 and the nearest name. The caller frees it. */
char *find_run(const char *what, struct err *err);

/* Finds all of them. Exit code 2 also if two are the same run. */
int find_runs(const struct strings *names, struct strings *paths, struct err *err);

/* Returns the newest run that fits, among those before `before` (a directory's name TIME-NAME, or a TIME; NULL: all)
 * and without those that a process still writes to; NULL: none. The caller frees it. */
char *find_newest(const char *before, bool (*fits)(const char *path, void *user), void *user);

/* Returns true if a process still writes to this run directory. */
bool find_is_written(const char *path);

/* Returns true for `last` and `latest`, which mean the same, unless the current directory has a run of this name. */
bool find_is_last(const char *what);

/* Lists the paths of the stored runs, the newest first. */
void find_all(struct strings *paths);

/* Returns true if this is the name of a directory that a run chose itself: 20261121T071503Z-NAME. */
bool find_is_dated(const char *name);

/* Returns the folder in which runs are stored. */
const char *find_parent(void);

/* ---- The baseline run ---- */

/* The rows to compare: `last` means the newest run that has any of them. */
struct base_wish {
  struct map rows;    /* by case, variant, mode: see base_wish_add() */
  const char *device; /* the model; NULL: any */
  const char *self;   /* the run's own directory, which is skipped; NULL: not known */
  const char *before; /* later runs are skipped (see find_newest()); NULL: none are */
};

void base_wish_add(struct base_wish *wish, const char *case_key, const char *variant, const char *mode);
void base_wish_free(struct base_wish *wish);

/* The baseline run. */
struct base_run {
  char *asked, *path; /* the user's name for it; its absolute path */
  struct run_data data;
  bool loaded;
};

/* Finds and reads it. Exit code 2: there is none, or it is no run; 3: it is damaged. With `last` there may be none
 * without an error: see `loaded`. */
int base_run_load(const char *what, const struct base_wish *wish, struct base_run *base, struct err *err);
/* Exit code 2 if the baseline run is the run in this directory, which may be NULL. */
int base_run_check_other(const struct base_run *base, const char *dir, struct err *err);
/* Exit code 2 if the baseline run has none of the wished rows. */
int base_run_check_common(const struct base_run *base, const struct base_wish *wish, struct err *err);
void base_run_free(struct base_run *base);
