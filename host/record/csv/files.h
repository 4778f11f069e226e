/* The files of a run beside results.csv: samples.csv, slots.csv, metrics.csv, spans.csv, graph.csv and against.csv,
 * each read and written in a file of its own. */
#ifndef RECORD_CSV_FILES_H
#define RECORD_CSV_FILES_H

#include <stdio.h>

#include "model/services/metric.h"
#include "model/services/timeline.h"
#include "record/against.h"
#include "record/csv/csv.h"
#include "record/run_data.h"

/* samples.csv: every sample of a run, a row each. Read and written here. */

extern const struct csv_table samples_csv;

int samples_csv_write(FILE *out, const struct csv_series *series, const struct slot *slot, struct err *err);

/* Appends to the last run of `data`. */
int samples_csv_read(FILE *in, const char *name, struct run_data *data, struct err *err);

/* slots.csv: the state of the device in each slot of a run. Read and written here. */

extern const struct csv_table slots_csv;

int slots_csv_write(FILE *out, const struct csv_series *series, const struct slot *slot, struct err *err);

/* After the samples: into their slots. */
int slots_csv_read(FILE *in, const char *name, struct run_data *data, struct err *err);

/* metrics.csv: what the metrics of variants came to, a row per metric and process. Read and written here. */

#define METRICS_FILE "metrics.csv"
extern const struct csv_table metrics_csv;

int metrics_csv_write(FILE *out, const struct csv_series *series, uint32_t epoch, const struct metric_result *result,
                      struct err *err);

/* Appends to the last run of `data`. A number that is none, or an unknown better or aggregate, is an error. */
int metrics_csv_read(FILE *in, const char *name, struct run_data *data, struct err *err);

/* spans.csv: the timelines of variants, a row per span, times from the begin of the iteration. Read and written here.
 */

#define SPANS_FILE "spans.csv"
extern const struct csv_table spans_csv;

int spans_csv_write(FILE *out, const struct csv_series *series, uint32_t epoch, const struct timeline *timeline,
                    struct err *err);

/* Appends to the last run of `data`. A number that is none, or a span that ends before it begins, is an error. */
int spans_csv_read(FILE *in, const char *name, struct run_data *data, struct err *err);

/* graph.csv: the graphs that variants stated, a row per node and per edge. Read and written here. */

extern const struct csv_table graph_csv;

int graph_csv_write(FILE *out, const char *case_key, const char *variant, const struct graph_desc *graph,
                    struct err *err);

/* Appends to `data`. What is stated again, in another mode, is read once. An edge whose ends are not there, an unknown
 * kind or a number that is none is an error. */
int graph_csv_read(FILE *in, const char *name, struct run_data *data, struct err *err);

/* against.csv. */

#define AGAINST_FILE "against.csv"

extern const struct csv_table against_csv;

int against_csv_write(const struct against *against, FILE *out, struct err *err);

/* Into the last run of `data`. */
int against_csv_read(FILE *in, const char *name, struct run_data *data, struct err *err);

#endif
