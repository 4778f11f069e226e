/* Rows that other programs timed: foreign.csv, and what --foreign names. Read, kept and written here; which cases they
 * are of is record/foreign_match.c's. Everything in them is untrusted. */
#ifndef RECORD_FOREIGN_H
#define RECORD_FOREIGN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "base/map.h"
#include "base/text.h"

enum {
  FOREIGN_ROWS_MAX = 200000, /* of one file */
  FOREIGN_TEXT_MAX = 128,    /* bytes of a variant, source, mode, device, math */
  FOREIGN_NOTE_MAX = 512,
};

#define FOREIGN_ANY_RUN SIZE_MAX
#define FOREIGN_FILE "foreign.csv"

/* Whether there is a case to put it beside. */
enum foreign_fate { FOREIGN_MATCHED, FOREIGN_NO_CASE, FOREIGN_OTHER_MODE, FOREIGN_OTHER_DEVICE };

struct foreign_row {
  char *case_key, *variant, *mode, *source;
  char *device, *math, *note; /* may be empty */
  double median_ns;
  double lo_ns, hi_ns; /* 95% interval of the median; NaN: not known */
  double verify_error; /* norm-relative, against float64; NaN: not known */
  int64_t samples;     /* 0: not known */
  size_t run;          /* whose cases it is put beside; FOREIGN_ANY_RUN: those of all */
  enum foreign_fate fate;
};

/* A column of a bench's tables: who timed what. */
struct foreign_column {
  const char *variant, *source;
};

struct foreign_rows {
  struct foreign_row *items;
  size_t count;
  struct map places; /* by run and by all that names a row */
};

/* Appends the rows of a file. Strict: for what people and scripts write, where a column that we do not know is an
 * error; otherwise one of a newer version is ignored. A row that is there twice, a number that is none, or a row that
 * is cut off is an error that names file and line; then `rows` is left empty. */
int foreign_read(FILE *in, const char *name, bool strict, struct foreign_rows *rows, struct err *err);
/* All that it names; of a row that several have the last one's counts. */
int foreign_load_all(const struct strings *files, struct foreign_rows *rows, struct err *err);

int foreign_write_header(FILE *out, struct err *err);
int foreign_write_row(FILE *out, const struct foreign_row *row, struct err *err);
/* The whole file of a struct foreign_rows; the same as a text, to be freed. */
int foreign_write(const void *rows, FILE *out, struct err *err);
int foreign_text(const struct foreign_rows *rows, char **text, size_t *size, struct err *err);

/* Moves the rows of `from` behind those of `into`, as rows of the run; of a row that is in both that of `from` stays.
 * Nothing is left of `from`. */
void foreign_merge(struct foreign_rows *into, struct foreign_rows *from, size_t run);
/* The same of runs: theirs become those from `first_run` on. */
void foreign_merge_runs(struct foreign_rows *into, struct foreign_rows *from, size_t first_run);
void foreign_free(struct foreign_rows *rows);

#endif
