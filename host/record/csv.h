/* Writing results.csv, samples.csv and slots.csv: RFC 4180, rows end in CRLF. Text is quoted by libcsv, numbers are
 * bare. A text that a spreadsheet would take for a formula gets a leading apostrophe, which reading takes away again.
 */
#ifndef RECORD_CSV_H
#define RECORD_CSV_H

#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "record/record.h"
#include "stats/stats.h"

/* Whose samples. */
struct csv_series {
  const char *case_key, *variant, *mode;
};

/* Each call flushes, so that what is known survives a kill, and reports what the stream says. */
int csv_write_header(FILE *out, struct err *err);
int csv_write_record(FILE *out, const struct record *record, struct err *err);
int csv_write_samples_header(FILE *out, struct err *err);
int csv_write_samples(FILE *out, const struct csv_series *series, const struct slot *slot, struct err *err);
int csv_write_slots_header(FILE *out, struct err *err);
int csv_write_slot(FILE *out, const struct csv_series *series, const struct slot *slot, struct err *err);

#define CSV_SAMPLE_COLUMNS "case_key,variant,mode,epoch,round,index,ns"
#define CSV_SLOT_COLUMNS \
  "case_key,variant,mode,epoch,round,position,samples,sm_clock_mhz,temperature_c,power_w,throttle"

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
