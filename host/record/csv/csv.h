/* Writing results.csv, and what all CSV files are written with: RFC 4180, rows end in CRLF. Text is quoted by libcsv,
 * numbers are bare. A text that a spreadsheet would take for a formula gets a leading apostrophe, which reading takes
 * away again.
 */
#ifndef RECORD_CSV_CSV_H
#define RECORD_CSV_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "record/record.h"

/* Whose samples. */
struct csv_series {
  const char *case_key, *variant, *mode;
};

/* Each call flushes, so that what is known survives a kill, and reports what the stream says. */
int csv_write_header(FILE *out, struct err *err);
int csv_write_record(FILE *out, const struct record *record, struct err *err);

/* What other files of a run are written with: a text field, guarded and quoted; one of a record; and the end of a row
 * or more. */
void csv_write_text(FILE *out, const char *text);
void csv_write_field(FILE *out, const struct record *record, const struct record_field *field);
int csv_finish(FILE *out, const char *what, struct err *err);

/* Takes the apostrophe away, in place. */
void csv_unguard(char *text);

/* Reading any CSV with a header row, with libcsv. Positions in messages are lines of the file. */

struct csv_handler {
  /* Column names. Fields are the handler's to change, not to keep. */
  int (*header)(void *user, char **fields, size_t count, struct err *err);
  /* One row with as many fields as the header has. `complete`: a line end follows it. */
  int (*row)(void *user, char **fields, size_t count, bool complete, struct err *err);
  void *user;
};

/* A last row without line end that has too few fields, or an open quote, was cut off by a kill: `*torn` is set and the
 * row is left out. Any other defect is an error that names the line, and the file as `name`. */
int csv_read_stream(FILE *in, const char *name, const struct csv_handler *handler, bool *torn, struct err *err);

/* CSV files whose columns are fixed, each described by a list: what a column is called and what its fields hold. The
 * list makes the struct of a row, the numbers of its table, and the table by which rows are written and read. */

/* What a field holds, and what is empty in the file. Texts, whole numbers, then others. */
enum column_kind {
  COLUMN_TEXT,    /* any */
  COLUMN_NUMBER,  /* whole, of 32 bits: of a process, of a round */
  COLUMN_WHOLE,   /* whole, of 63 bits */
  COLUMN_COUNT,   /* whole; 0 is empty */
  COLUMN_SIGNED,  /* whole */
  COLUMN_REAL,    /* finite */
  COLUMN_KNOWN,   /* finite; NaN is empty: so it is of those that follow */
  COLUMN_ABOVE,   /* above 0 */
  COLUMN_DECIMAL, /* as people write it: what else strtod() would take is wrong */
};

struct csv_column {
  const char *name;
  enum column_kind kind;
  size_t at;          /* in the row */
  bool needed;        /* may not be empty, whatever its kind */
  double least, most; /* of a number; `most` bytes of a text; 0: any */
};

struct csv_table {
  const struct csv_column *items;
  size_t count;
  const char *what; /* is written: "spans" */
  size_t added;     /* of the last columns so many are missing in older files: their fields are empty there */
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

/* A list is a macro of X: X(KIND, NAME) for each column. It makes `struct row`, `AT_NAME` for the number of a column,
 * and the table, whose name is the file's. */
#define CSV_TABLE(file, LIST, what) CSV_TABLE_ADDED(file, LIST, what, 0)
#define CSV_TABLE_ADDED(file, LIST, what, added)                   \
  struct row {                                                     \
    LIST(COLUMN_MEMBER)                                            \
  };                                                               \
  enum { LIST(COLUMN_PLACE) COLUMNS };                             \
  static const struct csv_column columns[] = {LIST(COLUMN_ENTRY)}; \
  const struct csv_table file = {columns, COLUMNS, what, added}

/* The names, then a row; csv_finish() is for when enough of them are written. */
int csv_table_write_header(FILE *out, const struct csv_table *table, struct err *err);
void csv_table_write(FILE *out, const struct csv_table *table, const void *row);

/* Reads a file that has these columns in this order, all but those that older files lack. `take` is called for each row
 * that has its line end: a number that was cut off would read as another one. `torn` may be NULL. */
int csv_table_read(FILE *in, const char *name, const struct csv_table *table,
                   int (*take)(void *user, char **fields, struct err *err), void *user, bool *torn, struct err *err);

/* Fills a row of zeroes from fields, whose texts it points into. What is wrong in them comes back by column: whether it
 * matters is up to the file. */
uint32_t csv_table_parse(const struct csv_table *table, char **fields, void *row);
#define COLUMN_BIT(place) (UINT32_C(1) << (place))
/* Says which is the first: "'x' is not a whole number"; 0 where none is. */
int csv_table_check(const struct csv_table *table, uint32_t wrong, char **fields, struct err *err);

#endif
