/* The run directory. Rows are appended when they are known, samples after each round. A write that fails is undone, so
 * that every file ends with a complete row. */
#pragma once

#include <stdio.h>

#include "base/file_hash.h"
#include "base/pairs.h"
#include "model/result.h"
#include "record/csv/csv.h"
#include "record/record.h"

enum run_file { FILE_RESULTS, FILE_SAMPLES, FILE_SLOTS, FILE_GRAPH, FILE_METRICS, FILE_SPANS, RUN_FILE_COUNT };

struct rundir {
  char path[4096];   /* as shown to the user */
  char run_id[256];  /* its last component */
  char parent[4096]; /* the folder with the link `latest`; empty with --out and --no-save */
  bool temporary;
  bool open;
  int fd; /* of the directory; locked while a run writes to it */
  struct {
    int fd;          /* -1: not open; files from FILE_GRAPH on are made with their first row */
    int64_t end;     /* end of the last complete row */
    int64_t settled; /* up to here it was synced to the disk */
  } files[RUN_FILE_COUNT];
  struct file_hashes hashes; /* of everything that this process wrote here */
};

struct rundir_options {
  const char *out;  /* exactly this directory, or NULL */
  const char *name; /* of the run */
  bool temporary;   /* the directory is removed at the end */
};

/* Makes the directory, which must not exist, and writes the headers. Exit code 2: it exists; 3: it cannot be made. */
int rundir_create(const struct rundir_options *options, struct rundir *dir, struct err *err);
/* The two steps of rundir_create(): the directory alone, and the files in a directory that was made or opened. */
int rundir_place(const struct rundir_options *options, struct rundir *dir, struct err *err);
int rundir_begin(struct rundir *dir, struct err *err);

/* Predicts the result of rundir_create() as far as that is possible without leaving anything. */
int rundir_check(const struct rundir_options *options, struct err *err);

/* Opens a directory that another process left, without changing it. Exit code 2: it is no run directory; 3: a process
 * still writes to it. */
int rundir_open(const char *path, struct rundir *dir, struct err *err);

/* Returns "results.csv", ...; and the file's columns, NULL for results.csv, which has those of struct record. */
const char *rundir_file_name(enum run_file which);
const struct csv_table *rundir_table(enum run_file which);

/* rundir_attach() opens an existing file and truncates it at `end`, the end of a complete row; rundir_make() makes it
 * with its header. */
int rundir_attach(struct rundir *dir, enum run_file which, int64_t end, struct err *err);
int rundir_make(struct rundir *dir, enum run_file which, struct err *err);

/* Writes this text to a file of the directory, completely or not at all. */
int rundir_put(struct rundir *dir, const char *name, const char *text, size_t size, struct err *err);

/* Appends the samples and the state of a slot. */
int rundir_add_slot(struct rundir *dir, const char *case_key, const char *variant, const char *mode,
                    const struct slot *slot, struct err *err);

/* Appends a finished case: a row per variant, and graphs, metrics and spans. All that was appended so far is on the
 * disk when it returns. */
int rundir_add(struct rundir *dir, const struct record *records, size_t count, const struct case_result *result,
               struct err *err);

/* Compares the files with the contents that were written to them. Exit code 3: one was changed, truncated or removed by
 * another process. Call it when all workers have ended, because plugins could still do so. */
int rundir_unchanged(const struct rundir *dir, struct err *err);

/* Closes the files; sets the link `latest` to this run, except under CI. */
int rundir_close(struct rundir *dir, struct err *err);

/* Removes a temporary directory. */
void rundir_discard(struct rundir *dir);
