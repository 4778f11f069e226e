/* What a run was compared with, on a terminal: cells of its rows, and lines below the tables. */
#ifndef TERMINAL_AGAINST_H
#define TERMINAL_AGAINST_H

#include <stdio.h>

#include "compare/against.h"
#include "terminal/columns.h"

struct columns_ratio against_table_columns(struct grid *grid, const struct run_data *data);
/* Nothing for a row that has no answer. */
void against_table_cells(struct grid *grid, const struct columns_ratio *at, const struct run_data *data,
                         const struct record *record, bool utf8);

/* Who, what came of it, what is not alike. */
void against_table_lines(const struct run_data *data, FILE *out, bool utf8);
/* Only what came of it, a line for each run. */
void against_sentences(const struct run_data *data, FILE *out, bool utf8);

#endif
