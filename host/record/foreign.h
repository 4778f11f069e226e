/* Foreign rows, that is times that programs other than gpubench have measured, from foreign.csv and the files of
 * --foreign. This file reads, stores and writes them; record/foreign_match.c assigns them to cases. Their contents are
 * not trusted. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "base/map.h"
#include "base/text.h"

enum {
  FOREIGN_ROWS_MAX = 200000, /* most rows in one file */
  FOREIGN_TEXT_MAX = 128,    /* most bytes in the name of a variant, source, mode, device or math mode */
  FOREIGN_NOTE_MAX = 512,
};

#define FOREIGN_ANY_RUN SIZE_MAX
#define FOREIGN_FILE "foreign.csv"

/* Tells whether a run has the case of a foreign row (timed by another program), and if not, what differs. */
enum foreign_place { FOREIGN_MATCHED, FOREIGN_NO_CASE, FOREIGN_OTHER_MODE, FOREIGN_OTHER_DEVICE };

struct foreign_row {
  char *case_key, *variant, *mode, *source;
  char *device, *math, *note; /* model of the device, math mode and note; each may be empty */
  double median_ns;
  double lo_ns, hi_ns; /* 95% interval of the median; NaN: not known */
  double verify_error; /* norm-relative error against float64; NaN: not known */
  int64_t samples;     /* number of samples; 0: not known */
  size_t run; /* index of the run whose cases the row belongs to; FOREIGN_ANY_RUN: it belongs to cases of any run */
  enum foreign_place place;
};

/* A column for foreign rows in the tables of a bench: a variant and the program that timed it (`source`). */
struct foreign_column {
  const char *variant, *source;
};

struct foreign_rows {
  struct foreign_row *items;
  size_t count;
  struct map places; /* index of the rows by run and all names of a row */
};

/* Reads the rows of a file. With `strict`, for files written by people and scripts, an unknown column is an error;
 * otherwise it is ignored, because it may come from a newer version. A repeated row, an invalid number or a truncated
 * row is an error that names file and line, and leaves `rows` empty. */
int foreign_read(FILE *in, const char *name, bool strict, struct foreign_rows *rows, struct err *err);
/* Reads all these files into `rows`. If several files have the same row, the last one counts. */
int foreign_load_all(const struct strings *files, struct foreign_rows *rows, struct err *err);

int foreign_write_header(FILE *out, struct err *err);
int foreign_write_row(FILE *out, const struct foreign_row *row, struct err *err);
/* Write all rows: foreign_write() to a file (`rows` is a struct foreign_rows), foreign_text() to a text that the caller
 * frees. */
int foreign_write(const void *rows, FILE *out, struct err *err);
int foreign_text(const struct foreign_rows *rows, char **text, size_t *size, struct err *err);

/* Moves the rows of `from` to the end of `into`, as rows of run number `run`. A row of `from` replaces a row of `into`
 * with the same names. Leaves `from` empty. */
void foreign_merge(struct foreign_rows *into, struct foreign_rows *from, size_t run);
/* Moves the rows of `from` as foreign_merge() does, but `from` may have rows of several runs. `first_run` is added to
 * their run numbers. */
void foreign_merge_runs(struct foreign_rows *into, struct foreign_rows *from, size_t first_run);
void foreign_free(struct foreign_rows *rows);
