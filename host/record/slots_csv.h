/* slots.csv: the state of the device in each slot of a run. Read and written here. */
#ifndef RECORD_SLOTS_CSV_H
#define RECORD_SLOTS_CSV_H

#include <stdio.h>

#include "record/csv.h"
#include "record/csv_table.h"
#include "record/run_data.h"

extern const struct csv_table slots_csv;

int slots_csv_write(FILE *out, const struct csv_series *series, const struct slot *slot, struct err *err);

/* After the samples: into their slots. */
int slots_csv_read(FILE *in, const char *name, struct run_data *data, struct err *err);

#endif
