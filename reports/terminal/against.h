/* What a run was compared with, on a terminal: cells of its rows, and lines below the tables. */
#ifndef TERMINAL_AGAINST_H
#define TERMINAL_AGAINST_H

#include <stdio.h>

#include "base/grid.h"
#include "compare/against.h"

/* Where the columns of ratio, interval and word are. */
struct against_columns {
  size_t ratio, interval, word;
};

struct against_columns against_table_columns(struct grid *grid, const struct run_data *data);
/* Nothing for a row that has no answer. */
void against_table_cells(struct grid *grid, const struct against_columns *at, const struct run_data *data,
                         const struct record *record, bool utf8);

/* Who, what came of it, what is not alike. */
void against_table_lines(const struct run_data *data, FILE *out, bool utf8);

#endif
