/* Finds stored runs by the names that users give. */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/map.h"
#include "base/text.h"
#include "record/run_data.h"

/* Returns the path of the run that the user means by `what`; the caller frees it. `what` may be: an existing file or
 * run directory; the name of a run directory in $GPUBENCH_OUT or gpubench-out; `latest` or `last`, which mean the
 * target of the link `latest` or, if that is broken, the newest run; or the --name of a run, of which the newest is
 * taken. If there is no such run, returns NULL with exit code 2 and a message that suggests the most similar name. */
char *find_run(const char *what, struct err *err);

/* Finds the runs of all these names and adds their paths to `paths`. Exit code 2 if a name is unknown, or if two names
 * mean the same run. */
int find_runs(const struct strings *names, struct strings *paths, struct err *err);

/* Returns the path of the newest run for which `fits` returns true; NULL if there is none. Considers only runs older
 * than `before` (a directory name TIME-NAME or a TIME; NULL: all runs), and skips runs that a process still writes to.
 * The caller frees the path. */
char *find_newest(const char *before, bool (*fits)(const char *path, void *user), void *user);

/* Returns true if a process still writes to this run directory. */
bool find_is_written(const char *path);

/* Returns true if `what` is `last` or its synonym `latest`, unless the current directory has a run of this name. */
bool find_is_last(const char *what);

/* Lists the paths of all stored runs, the newest first. */
void find_all(struct strings *paths);

/* Returns true if the name has the form of the directory names that gpubench chooses: 20261121T071503Z-NAME. */
bool find_is_dated(const char *name);

/* Returns the folder in which runs are stored. */
const char *find_parent(void);

/* ---- The baseline run ---- */

/* Describes the baseline run that is sought for another run. The baseline run must have at least one of these rows. The
 * name `last` stands for the newest run that has one of them. */
struct base_wish {
  struct map rows;    /* index of the rows by case, variant, mode: see base_wish_add() */
  const char *device; /* device model that the rows must be from; NULL: any */
  const char *self;   /* the run's own directory, which is skipped; NULL: not known */
  /* a time or the name of a run directory: only older runs are considered (see find_newest()); NULL: all runs */
  const char *before;
};

void base_wish_add(struct base_wish *wish, const char *case_key, const char *variant, const char *mode);
void base_wish_free(struct base_wish *wish);

/* The baseline run, found by the name that the user gave. */
struct base_run {
  char *asked, *path; /* the name that the user gave; the run's absolute path */
  struct run_data data;
  bool loaded;
};

/* Finds and reads the baseline run. Exit code 2: there is no such run, or the file is not a run; 3: the run is damaged.
 * If the name is `last` and there is no run, that is no error; `base->loaded` is then false. */
int base_run_load(const char *what, const struct base_wish *wish, struct base_run *base, struct err *err);
/* Fails with exit code 2 if the baseline run is the run in directory `dir`, which may be NULL. */
int base_run_check_other(const struct base_run *base, const char *dir, struct err *err);
/* Fails with exit code 2 if the baseline run has none of the rows in `wish`. */
int base_run_check_common(const struct base_run *base, const struct base_wish *wish, struct err *err);
void base_run_free(struct base_run *base);
