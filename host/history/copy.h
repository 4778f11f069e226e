/* What a history keeps of a run: its results, run.ini, against.csv, and what was decided. */
#ifndef HISTORY_COPY_H
#define HISTORY_COPY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "record/run_data.h"

#define HISTORY_DECIDED_FILE "decided.csv"

struct copy { /* texts; NULL: there is none */
  char *results, *ini, *against, *decided;
  size_t results_size, ini_size, against_size, decided_size;
};

/* Of a run that has been loaded from `run`. */
int copy_read(const char *run, const struct run_data *data, const char *decided, struct copy *copy, struct err *err);
int copy_write(const struct copy *copy, const char *folder, struct err *err);
/* Does the file, or what it holds compressed, hold just these bytes? */
bool copy_is(const char *path, const char *text, size_t size);
void copy_free(struct copy *copy);

#endif
