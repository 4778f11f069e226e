/* Writes results.csv, and has the functions for all CSV files: RFC 4180, rows end in CRLF. libcsv quotes texts; numbers
 * are not quoted. A text that a spreadsheet would take for a formula gets a leading apostrophe, which reading removes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "record/record.h"

/* The series that samples belong to. */
struct csv_series {
  const char *case_key, *variant, *mode;
};

/* Each call flushes, so that the data survives a kill, and reports errors of the stream. */
int csv_write_header(FILE *out, struct err *err);
int csv_write_record(FILE *out, const struct record *record, struct err *err);

/* Used for the other files of a run: write a text field, guarded and quoted; a field of a record; and finish one row or
 * more. */
void csv_write_text(FILE *out, const char *text);
void csv_write_field(FILE *out, const struct record *record, const struct record_field *field);
int csv_finish(FILE *out, const char *what, struct err *err);

/* Removes the apostrophe in place. */
void csv_unguard(char *text);

/* ---- Reading any CSV with a header row; positions in messages are lines of the file ---- */

struct csv_handler {
  /* Receives the column names. It may change the fields, but must not keep them. */
  int (*header)(void *user, char **fields, size_t count, struct err *err);
  /* Receives one row with as many fields as the header. `complete`: a line end follows. */
  int (*row)(void *user, char **fields, size_t count, bool complete, struct err *err);
  void *user;
};

/* A last row without a line end that has too few fields or an open quote was truncated by a kill: `*torn` is set, and
 * the row is left out. Any other defect is an error that names the line, and the file as `name`. */
int csv_read_stream(FILE *in, const char *name, const struct csv_handler *handler, bool *torn, struct err *err);

/* ---- CSV files with fixed columns ----
 *
 * Each is described by a list of its columns: names and types. The list defines the struct of a row, the numbers of the
 * columns, and the table for writing and reading rows. */

/* The type of a field, and how it is empty in the file. Texts first, then integers, then reals. */
enum column_kind {
  COLUMN_TEXT,    /* any */
  COLUMN_NUMBER,  /* 32-bit integer: a process or a round */
  COLUMN_WHOLE,   /* 63-bit integer */
  COLUMN_COUNT,   /* integer; 0 is written empty */
  COLUMN_SIGNED,  /* signed integer */
  COLUMN_REAL,    /* finite */
  COLUMN_KNOWN,   /* finite; NaN is written empty, also for the following kinds */
  COLUMN_ABOVE,   /* above 0 */
  COLUMN_DECIMAL, /* only decimal notation, without the other forms that strtod() accepts */
};

struct csv_column {
  const char *name;
  enum column_kind kind;
  size_t at;          /* offset in the row */
  bool needed;        /* must not be empty, whatever its kind */
  double least, most; /* limits of a number; `most` bytes of a text; 0: no limit */
};

struct csv_table {
  const struct csv_column *items;
  size_t count;
  const char *what; /* the rows, in messages: "spans" */
  size_t added;     /* how many of the last columns older files lack; their fields are empty then */
};

#define COLUMN_MEMBER(kind, name) COLUMN_MEMBER_##kind name;
#define COLUMN_PLACE(kind, name) AT_##name,
#define COLUMN_ENTRY(kind_, name_) {.name = #name_, .kind = COLUMN_##kind_, .at = offsetof(struct row, name_)},
#define COLUMN_MEMBER_TEXT const char *
#define COLUMN_MEMBER_NUMBER uint64_t
#define COLUMN_MEMBER_WHOLE uint64_t
#define COLUMN_MEMBER_COUNT uint64_t
#define COLUMN_MEMBER_SIGNED int64_t
#define COLUMN_MEMBER_REAL double
#define COLUMN_MEMBER_KNOWN double
#define COLUMN_MEMBER_ABOVE double

/* A list is a macro of X, with X(KIND, NAME) for each column. It defines `struct row`, `AT_NAME` as the number of a
 * column, and the table, named after the file. */
#define CSV_TABLE(file, LIST, what) CSV_TABLE_ADDED(file, LIST, what, 0)
#define CSV_TABLE_ADDED(file, LIST, what, added)                   \
  struct row {                                                     \
    LIST(COLUMN_MEMBER)                                            \
  };                                                               \
  enum { LIST(COLUMN_PLACE) COLUMNS };                             \
  static const struct csv_column columns[] = {LIST(COLUMN_ENTRY)}; \
  const struct csv_table file = {columns, COLUMNS, what, added}

/* Write the names, and a row; call csv_finish() when enough rows are written. */
int csv_table_write_header(FILE *out, const struct csv_table *table, struct err *err);
void csv_table_write(FILE *out, const struct csv_table *table, const void *row);

/* Reads a file that has these columns in this order, except those that older files lack. `take` is called for each row
 * with a line end, because a truncated number would be read as another one. `torn` may be NULL. */
int csv_table_read(FILE *in, const char *name, const struct csv_table *table,
                   int (*take)(void *user, char **fields, struct err *err), void *user, bool *torn, struct err *err);

/* Fills a zeroed row from fields, whose texts it points into. Returns the columns with invalid fields as bits; the
 * caller decides which of them matter. */
uint32_t csv_table_parse(const struct csv_table *table, char **fields, void *row);
#define COLUMN_BIT(place) (UINT32_C(1) << (place))
/* Fails with the first invalid field: "'x' is not a whole number"; 0 if there is none. */
int csv_table_check(const struct csv_table *table, uint32_t wrong, char **fields, struct err *err);
