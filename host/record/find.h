/* Stored runs by what people call them. */
#ifndef RECORD_FIND_H
#define RECORD_FIND_H

#include <stdbool.h>

#include "base/err.h"
#include "base/map.h"
#include "base/text.h"
#include "record/run_data.h"

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

/* The stored run with which another is compared: finding and reading it. */

/* What is to be compared: `last` means the newest run that has any of it. */
struct base_wish {
  struct map rows;    /* case, variant, mode: see base_wish_add() */
  const char *device; /* its model; NULL: any */
  const char *self;   /* the run's own directory, which is not looked at; NULL: it is not known */
  const char *before; /* runs that began later are not looked at (see find_newest()); NULL: none did */
};

void base_wish_add(struct base_wish *wish, const char *case_key, const char *variant, const char *mode);
void base_wish_free(struct base_wish *wish);

/* The run with which another is compared. */
struct base_run {
  char *asked, *path; /* as the user called it; where it is, absolute */
  struct run_data data;
  bool loaded;
};

/* Finds and reads it. Exit 2: there is none, or it is no run; 3: it is damaged. For `last` there may be none without an
 * error: `loaded` tells. */
int base_run_load(const char *what, const struct base_wish *wish, struct base_run *base, struct err *err);
/* Exit 2 where the base is the run in this directory, which may be NULL. */
int base_run_check_other(const struct base_run *base, const char *dir, struct err *err);
/* Exit 2 where the base has nothing that is wished for. */
int base_run_check_common(const struct base_run *base, const struct base_wish *wish, struct err *err);
void base_run_free(struct base_run *base);

#endif
