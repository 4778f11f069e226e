/* The run directory, which contains the files of a run. Rows are appended when their case is finished, samples while it
 * is measured. If a write fails, the file is truncated to its former end, so that every file ends with a complete row.
 */
#pragma once

#include "base/file_hash.h"
#include "base/pairs.h"
#include "model/result.h"
#include "record/csv/csv.h"
#include "record/record.h"

enum run_file { FILE_RESULTS, FILE_SAMPLES, FILE_SLOTS, FILE_GRAPH, FILE_METRICS, FILE_SPANS, RUN_FILE_COUNT };

struct rundir {
  char path[4096];   /* path of the directory, as shown to the user */
  char run_id[256];  /* the last component of `path` */
  char parent[4096]; /* the folder that contains the link `latest`; empty with --out and --no-save */
  bool temporary;
  bool open;
  int fd; /* descriptor of the directory; locked while a run writes to it */
  struct {
    int fd;          /* -1: not open; the files from FILE_GRAPH on are only made when their first row is written */
    int64_t end;     /* offset at which the last complete row ends */
    int64_t settled; /* the file is synced to the disk up to this offset */
  } files[RUN_FILE_COUNT];
  struct file_hashes hashes; /* hashes of everything that this process wrote to the directory */
};

struct rundir_options {
  const char *out;  /* NULL, or the exact path of the directory */
  const char *name; /* name of the run */
  bool temporary;   /* true if the directory is removed when the run ends */
};

/* Makes the directory and, in each of its CSV files, the line of column names. Fails with exit code 2 if the directory
 * exists, and with 3 if it cannot be made. */
int rundir_create(const struct rundir_options *options, struct rundir *dir, struct err *err);
/* rundir_place() and rundir_begin() together do what rundir_create() does. rundir_place() makes only the directory.
 * rundir_begin() makes the files, in a directory that was made or opened before. */
int rundir_place(const struct rundir_options *options, struct rundir *dir, struct err *err);
int rundir_begin(struct rundir *dir, struct err *err);

/* Fails with the error that rundir_create() would report, as far as that can be found out without leaving anything on
 * the disk. */
int rundir_check(const struct rundir_options *options, struct err *err);

/* Opens a directory that another process left, without changing it. Exit code 2: it is no run directory; 3: a process
 * still writes to it. */
int rundir_open(const char *path, struct rundir *dir, struct err *err);

/* rundir_file_name() returns the name of a file ("results.csv", ...). rundir_table() returns its columns; NULL for
 * results.csv, whose columns are those of struct record. */
const char *rundir_file_name(enum run_file which);
const struct csv_table *rundir_table(enum run_file which);

/* rundir_attach() opens an existing file and truncates it at offset `end`, the end of a complete row. rundir_make()
 * makes a new file and writes its header. */
int rundir_attach(struct rundir *dir, enum run_file which, int64_t end, struct err *err);
int rundir_make(struct rundir *dir, enum run_file which, struct err *err);

/* Writes this text to a file of the directory, completely or not at all. */
int rundir_put(struct rundir *dir, const char *name, const char *text, size_t size, struct err *err);

/* Appends a slot: consecutive samples of one variant, and the state of the device meanwhile. */
int rundir_add_slot(struct rundir *dir, const char *case_key, const char *variant, const char *mode,
                    const struct slot *slot, struct err *err);

/* Appends a finished case: a row for each variant, and the case's graphs, metrics and spans. When it returns,
 * everything that was appended so far is on the disk. */
int rundir_add(struct rundir *dir, const struct record *records, size_t count, const struct case_result *result,
               struct err *err);

/* Compares the files of the directory with what this process wrote to them. Exit code 3: another process changed,
 * truncated or removed a file. Call it when all workers have ended, because plugins in them can change files. */
int rundir_unchanged(const struct rundir *dir, struct err *err);

/* Closes the files; sets the link `latest` to this run, except under CI. */
int rundir_close(struct rundir *dir, struct err *err);

/* Removes the directory if it is temporary. */
void rundir_discard(struct rundir *dir);
