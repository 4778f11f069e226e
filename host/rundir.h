/* RECORD: the run directory. Rows are appended as they become known. */
#ifndef RUNDIR_H
#define RUNDIR_H

#include <stdio.h>

#include "conduct.h"
#include "environment.h"
#include "record.h"

struct rundir {
  char path[4096];   /* as the user sees it */
  char run_id[256];  /* its last component */
  char parent[4096]; /* holds `latest`; empty with --out and with --no-save */
  bool temporary;
  FILE *results, *samples, *slots;
};

struct rundir_options {
  const char *out;  /* exactly this directory, or NULL */
  const char *name; /* of the run */
  bool temporary;   /* removed at the end */
};

/* Makes the directory, which must not exist, and writes the headers. Exit 2: it exists; 3: it cannot be made. */
int rundir_create(const struct rundir_options *options, struct rundir *dir, struct err *err);

/* Appends a case: a row per variant and its samples. */
int rundir_add(struct rundir *dir, const struct record *records, size_t count, const struct case_result *result,
               struct err *err);

/* Writes run.ini anew: facts, tags, and a section per case, which makes it a suite that repeats the run. */
int rundir_write_ini(struct rundir *dir, const struct pairs *environment, const struct pairs *tags,
                     const struct plan *plan, const struct catalog *catalog, struct err *err);

/* Closes the files; points `latest` here, unless under CI. */
int rundir_close(struct rundir *dir, struct err *err);

/* Removes a temporary one. */
void rundir_discard(struct rundir *dir);

#endif
