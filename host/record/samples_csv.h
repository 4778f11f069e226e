/* samples.csv: every sample of a run, a row each. Read and written here. */
#ifndef RECORD_SAMPLES_CSV_H
#define RECORD_SAMPLES_CSV_H

#include <stdio.h>

#include "record/csv.h"
#include "record/csv_table.h"
#include "record/run_data.h"

extern const struct csv_table samples_csv;

int samples_csv_write(FILE *out, const struct csv_series *series, const struct slot *slot, struct err *err);

/* Appends to the last run of `data`. */
int samples_csv_read(FILE *in, const char *name, struct run_data *data, struct err *err);

#endif
