/* The files of a run that a history (a folder of nightly runs) keeps: its results, a description of it and of the
 * machine (run.ini), its comparison with an earlier run (against.csv), and decisions on it (decided.csv). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "record/run_data.h"

#define HISTORY_DECIDED_FILE "decided.csv"

struct copy { /* the contents of the files; NULL: the run has no such file */
  char *results, *ini, *against, *decided;
  size_t results_size, ini_size, against_size, decided_size;
};

/* Reads the files of a run that has been loaded from the path `run`. */
int copy_read(const char *run, const struct run_data *data, const char *decided, struct copy *copy, struct err *err);
int copy_write(const struct copy *copy, const char *folder, struct err *err);
/* Returns true if the file, or its compressed form, contains exactly these bytes. */
bool copy_is(const char *path, const char *text, size_t size);
void copy_free(struct copy *copy);
