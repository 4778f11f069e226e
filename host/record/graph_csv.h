/* graph.csv: the graphs that variants stated, a row per node and per edge. Read and written here. */
#ifndef RECORD_GRAPH_CSV_H
#define RECORD_GRAPH_CSV_H

#include <stdio.h>

#include "record/csv_table.h"
#include "record/run_data.h"

extern const struct csv_table graph_csv;

int graph_csv_write(FILE *out, const char *case_key, const char *variant, const struct graph_desc *graph,
                    struct err *err);

/* Appends to `data`. What is stated again, in another mode, is read once. An edge whose ends are not there, an unknown
 * kind or a number that is none is an error. */
int graph_csv_read(FILE *in, const char *name, struct run_data *data, struct err *err);

#endif
