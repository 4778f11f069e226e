/* against.csv. */
#ifndef RECORD_AGAINST_CSV_H
#define RECORD_AGAINST_CSV_H

#include <stdio.h>

#include "record/against.h"
#include "record/csv_table.h"
#include "record/run_data.h"

#define AGAINST_FILE "against.csv"

extern const struct csv_table against_csv;

int against_csv_write(const struct against *against, FILE *out, struct err *err);

/* Into the last run of `data`. */
int against_csv_read(FILE *in, const char *name, struct run_data *data, struct err *err);

#endif
