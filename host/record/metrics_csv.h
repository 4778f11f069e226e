/* metrics.csv: what the metrics of variants came to, a row per metric and process. Read and written here. */
#ifndef RECORD_METRICS_CSV_H
#define RECORD_METRICS_CSV_H

#include <stdio.h>

#include "model/metric.h"
#include "record/csv.h"
#include "record/csv_table.h"
#include "record/run_data.h"

#define METRICS_FILE "metrics.csv"
extern const struct csv_table metrics_csv;

int metrics_csv_write(FILE *out, const struct csv_series *series, uint32_t epoch, const struct metric_result *result,
                      struct err *err);

/* Appends to the last run of `data`. A number that is none, or an unknown better or aggregate, is an error. */
int metrics_csv_read(FILE *in, const char *name, struct run_data *data, struct err *err);

#endif
