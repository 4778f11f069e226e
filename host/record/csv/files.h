/* The files of a run besides results.csv: samples.csv, slots.csv, metrics.csv, spans.csv, graph.csv and against.csv.
 * Each file is read and written by the source file of the same name. */
#pragma once

#include <stdio.h>

#include "model/services/metric.h"
#include "model/services/timeline.h"
#include "record/against.h"
#include "record/csv/csv.h"
#include "record/run_data.h"

/* ---- samples.csv: every time that a run measured, a row for each ---- */

extern const struct csv_table samples_csv;

int samples_csv_write(FILE *out, const struct csv_series *series, const struct slot *slot, struct err *err);

/* Appends the samples to the last run of `data`. */
int samples_csv_read(FILE *in, const char *name, struct run_data *data, struct err *err);

/* ---- slots.csv: the state of the device in each slot (consecutive samples of one variant) ---- */

extern const struct csv_table slots_csv;

int slots_csv_write(FILE *out, const struct csv_series *series, const struct slot *slot, struct err *err);

/* Fills in the device states of the slots that samples_csv_read() read. Call it after that function. */
int slots_csv_read(FILE *in, const char *name, struct run_data *data, struct err *err);

/* ---- metrics.csv: values that variants reported besides times, a row for each metric and process ---- */

#define METRICS_FILE "metrics.csv"
extern const struct csv_table metrics_csv;

int metrics_csv_write(FILE *out, const struct csv_series *series, uint32_t epoch, const struct metric_result *result,
                      struct err *err);

/* Appends the metrics to the last run of `data`. An invalid number is an error, and so is an unknown word in the column
 * `better` or `aggregate`. */
int metrics_csv_read(FILE *in, const char *name, struct run_data *data, struct err *err);

/* ---- spans.csv: intervals on the timelines of variants; their times count from the begin of the iteration ---- */

#define SPANS_FILE "spans.csv"
extern const struct csv_table spans_csv;

int spans_csv_write(FILE *out, const struct csv_series *series, uint32_t epoch, const struct timeline *timeline,
                    struct err *err);

/* Appends the spans to the last run of `data`. An invalid number or a span that ends before it begins is an error. */
int spans_csv_read(FILE *in, const char *name, struct run_data *data, struct err *err);

/* ---- graph.csv: graphs by which variants describe themselves, a row for each node and each edge ---- */

extern const struct csv_table graph_csv;

int graph_csv_write(FILE *out, const char *case_key, const char *variant, const struct graph_desc *graph,
                    struct err *err);

/* Appends the graphs to `data`. If the file repeats a graph for another mode, the graph is read only once. An edge to
 * or from an unknown node, an unknown kind of node or an invalid number is an error. */
int graph_csv_read(FILE *in, const char *name, struct run_data *data, struct err *err);

/* ---- against.csv: the comparison with a baseline run ---- */

#define AGAINST_FILE "against.csv"

extern const struct csv_table against_csv;

int against_csv_write(const struct against *against, FILE *out, struct err *err);

/* Reads the comparison into the last run of `data`. */
int against_csv_read(FILE *in, const char *name, struct run_data *data, struct err *err);
