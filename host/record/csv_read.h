/* Reading any CSV with a header row, with libcsv. Positions in messages are lines of the file. */
#ifndef RECORD_CSV_READ_H
#define RECORD_CSV_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"

struct csv_handler {
  /* Column names. Fields are the handler's to change, not to keep. */
  int (*header)(void *user, char **fields, size_t count, struct err *err);
  /* One row with as many fields as the header has. `complete`: a line end follows it. */
  int (*row)(void *user, char **fields, size_t count, bool complete, struct err *err);
  void *user;
};

/* A last row without line end that has too few fields, or an open quote, was cut off by a kill: `*torn` is set and the
 * row is left out. Any other defect is an error that names path and line. */
int csv_read(const char *path, const struct csv_handler *handler, bool *torn, struct err *err);

/* The same of an open stream; `name` is what messages call it. */
int csv_read_stream(FILE *in, const char *name, const struct csv_handler *handler, bool *torn, struct err *err);

#endif
