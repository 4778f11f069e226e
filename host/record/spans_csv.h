/* spans.csv: the timelines of variants, a row per span, times from the begin of the iteration. Read and written here.
 */
#ifndef RECORD_SPANS_CSV_H
#define RECORD_SPANS_CSV_H

#include <stdio.h>

#include "model/timeline.h"
#include "record/csv.h"
#include "record/csv_table.h"
#include "record/run_data.h"

#define SPANS_FILE "spans.csv"
extern const struct csv_table spans_csv;

int spans_csv_write(FILE *out, const struct csv_series *series, uint32_t epoch, const struct timeline *timeline,
                    struct err *err);

/* Appends to the last run of `data`. A number that is none, or a span that ends before it begins, is an error. */
int spans_csv_read(FILE *in, const char *name, struct run_data *data, struct err *err);

#endif
