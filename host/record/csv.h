/* Writing results.csv, and what all CSV files are written with: RFC 4180, rows end in CRLF. Text is quoted by libcsv,
 * numbers are bare. A text that a spreadsheet would take for a formula gets a leading apostrophe, which reading takes
 * away again.
 */
#ifndef RECORD_CSV_H
#define RECORD_CSV_H

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

/* The columns of results.csv as a Markdown table, for the README. */
void csv_print_columns(FILE *out);

#endif
