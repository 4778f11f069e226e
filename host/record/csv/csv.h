/* Writes results.csv, and has the functions for all CSV files: RFC 4180, rows end in CRLF. libcsv quotes texts; numbers
 * are not quoted. A text that a spreadsheet would take for a formula gets a leading apostrophe, which reading removes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/output.h"
#include "record/record.h"

/* The case, variant and mode that samples belong to. */
struct csv_series {
  const char *case_key, *variant, *mode;
};

/* Write the header and one row of results.csv. Each call flushes, so that the data survives a kill, and reports errors
 * of the stream. */
int csv_write_header(FILE *out, struct err *err);
int csv_write_record(FILE *out, const struct record *record, struct err *err);

/* For the other files of a run: csv_write_text() writes a text with the apostrophe and the quotes that it needs,
 * csv_write_field() a field of a record. output_end() then ends one or more rows: it flushes and reports errors of the
 * stream. */
void csv_write_text(FILE *out, const char *text);
void csv_write_field(FILE *out, const struct record *record, const struct record_field *field);

/* Removes, in place, the apostrophe that csv_write_text() put before a text that looks like a formula. */
void csv_unguard(char *text);

/* ---- Reading any CSV with a header row; positions in messages are lines of the file ---- */

struct csv_handler {
  /* Receives the column names. It may change the fields, but must not keep them. */
  int (*header)(void *user, char **fields, size_t count, struct err *err);
  /* Receives one row with as many fields as the header. `complete` is false for a last row without a line end. */
  int (*row)(void *user, char **fields, size_t count, bool complete, struct err *err);
  void *user;
};

/* Reads a file and calls the handler for each row. A last row without a line end that has too few fields or an open
 * quote was truncated by a kill: the function sets `*torn` and leaves the row out. Any other defect is an error that
 * names the line, and the file as `name`. */
int csv_read_stream(FILE *in, const char *name, const struct csv_handler *handler, bool *torn, struct err *err);

/* ---- CSV files with fixed columns ----
 *
 * A list of columns (name and type of each) describes such a file. Macros make from it the struct of a row, the numbers
 * of the columns, and the table for writing and reading rows. */

/* The type of a column. It determines which values are valid and what an empty field means. The order is: texts, then
 * integers, then reals. The last three types allow NaN, which is written as an empty field. */
enum column_kind {
  COLUMN_TEXT,    /* any text */
  COLUMN_NUMBER,  /* 32-bit integer, for the number of a process or a round */
  COLUMN_WHOLE,   /* integer of up to 63 bits */
  COLUMN_COUNT,   /* integer; 0 is written as an empty field */
  COLUMN_SIGNED,  /* signed integer */
  COLUMN_REAL,    /* finite number */
  COLUMN_KNOWN,   /* finite number or NaN */
  COLUMN_ABOVE,   /* number above 0, or NaN */
  COLUMN_DECIMAL, /* number in decimal notation, without the other forms that strtod() accepts; or NaN */
};

struct csv_column {
  const char *name;
  enum column_kind kind;
  size_t at; /* offset of the member in the struct of a row */
  /* true if the field must not be empty, even if its type allows that */
  bool needed;
  /* smallest and largest valid number; for a text, `most` is the largest length in bytes; if `most` is 0, there are no
   * limits */
  double least, most;
};

struct csv_table {
  const struct csv_column *items;
  size_t count;
  const char *what; /* what messages call the rows, such as "spans" */
  /* number of columns at the end that files of older versions lack; their fields are read as empty */
  size_t added;
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

/* Defines the table of a file from LIST, a macro that calls X(KIND, NAME) for each column. Also defines `struct row`
 * with a member for each column, and `AT_NAME` as the number of each column. */
#define CSV_TABLE(file, LIST, what) CSV_TABLE_ADDED(file, LIST, what, 0)
#define CSV_TABLE_ADDED(file, LIST, what, added)                   \
  struct row {                                                     \
    LIST(COLUMN_MEMBER)                                            \
  };                                                               \
  enum { LIST(COLUMN_PLACE) COLUMNS };                             \
  static const struct csv_column columns[] = {LIST(COLUMN_ENTRY)}; \
  const struct csv_table file = {columns, COLUMNS, what, added}

/* Write the names of the columns, and one row. Call output_end() when enough rows are written. */
int csv_table_write_header(FILE *out, const struct csv_table *table, struct err *err);
void csv_table_write(FILE *out, const struct csv_table *table, const void *row);

/* Reads a file that has the columns of the table in the same order; columns that older versions did not write may be
 * missing. Calls `take` for each row that has a line end; a last row without one is left out, because its last number
 * may be truncated. `torn` may be NULL. */
int csv_table_read(FILE *in, const char *name, const struct csv_table *table,
                   int (*take)(void *user, char **fields, struct err *err), void *user, bool *torn, struct err *err);

/* Fills a zeroed row from the fields of a line. Texts in the row point into the fields. Returns a mask with a bit for
 * each column whose field is invalid; the caller decides which of them matter. */
uint32_t csv_table_parse(const struct csv_table *table, char **fields, void *row);
#define COLUMN_BIT(place) (UINT32_C(1) << (place))
/* Fails with a message about the first invalid field: "'x' is not a whole number". Returns 0 if no field is invalid. */
int csv_table_check(const struct csv_table *table, uint32_t wrong, char **fields, struct err *err);
