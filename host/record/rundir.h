/* RECORD: the run directory. Rows are appended as they become known, samples round by round; what cannot be written
 * whole is taken back, so that every file ends with a complete row. */
#ifndef RECORD_RUNDIR_H
#define RECORD_RUNDIR_H

#include <stdio.h>

#include "base/file_hash.h"
#include "base/pairs.h"
#include "model/result.h"
#include "record/csv/csv.h"
#include "record/record.h"

enum run_file { FILE_RESULTS, FILE_SAMPLES, FILE_SLOTS, FILE_GRAPH, FILE_METRICS, FILE_SPANS, RUN_FILE_COUNT };

struct rundir {
  char path[4096];   /* as the user sees it */
  char run_id[256];  /* its last component */
  char parent[4096]; /* holds `latest`; empty with --out and with --no-save */
  bool temporary;
  bool open;
  int fd; /* of the directory: locked while a run writes to it */
  struct {
    int fd;          /* -1: not there; from FILE_GRAPH on they are made with their first row */
    int64_t end;     /* behind the last complete row */
    int64_t settled; /* what of it is on the disk */
  } files[RUN_FILE_COUNT];
  struct file_hashes hashes; /* of all that this process wrote here */
};

struct rundir_options {
  const char *out;  /* exactly this directory, or NULL */
  const char *name; /* of the run */
  bool temporary;   /* removed at the end */
};

/* Makes the directory, which must not exist, and writes the headers. Exit 2: it exists; 3: it cannot be made. */
int rundir_create(const struct rundir_options *options, struct rundir *dir, struct err *err);
/* Its two steps: the directory alone, and the files in one that was made or opened. */
int rundir_place(const struct rundir_options *options, struct rundir *dir, struct err *err);
int rundir_begin(struct rundir *dir, struct err *err);

/* What rundir_create() would say, as far as that can be known without making anything. */
int rundir_check(const struct rundir_options *options, struct err *err);

/* Takes a directory up where another process left it. Exit 2: it is none; 3: a process still writes to it. Nothing in
 * it changes yet. */
int rundir_open(const char *path, struct rundir *dir, struct err *err);

/* "results.csv"; and its columns, but for those of results.csv itself, which are a record's. */
const char *rundir_file_name(enum run_file which);
const struct csv_table *rundir_table(enum run_file which);

/* Opens a file that is there and cuts it off at `end`, behind a complete row; or makes it anew with its header. */
int rundir_attach(struct rundir *dir, enum run_file which, int64_t end, struct err *err);
int rundir_make(struct rundir *dir, enum run_file which, struct err *err);

/* Puts this text into a file of the directory, whole or not at all. */
int rundir_put(struct rundir *dir, const char *name, const char *text, size_t size, struct err *err);

/* Appends the samples and the state of a slot, as soon as it is known. */
int rundir_add_slot(struct rundir *dir, const char *case_key, const char *variant, const char *mode,
                    const struct slot *slot, struct err *err);

/* Appends a case when it is over: a row per variant and its graph. With what was appended before it is on the disk when
 * this returns. */
int rundir_add(struct rundir *dir, const struct record *records, size_t count, const struct case_result *result,
               struct err *err);

/* Compares the files with what was written to them. Exit 3: somebody else has rewritten, cut off or removed one. To be
 * asked when all workers are gone, for until then a plugin may. */
int rundir_unchanged(const struct rundir *dir, struct err *err);

/* Closes the files; points `latest` here, unless under CI. */
int rundir_close(struct rundir *dir, struct err *err);

/* Removes a temporary one. */
void rundir_discard(struct rundir *dir);

#endif
