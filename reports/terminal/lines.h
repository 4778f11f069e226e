/* Parts that the terminal's tables share: headings, lines, columns, the summary, and the comparison with a baseline
 * run. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/escape.h"
#include "base/grid.h"
#include "summary/summary.h"

/* These functions print untrusted text without control characters. table_text() prints the text alone, table_label()
 * prints it as a label, table_line() prints a line that begins with a label. */
void table_text(FILE *out, enum grid_style style, bool color, bool utf8, const char *text);
#define table_say(out, utf8, ...) escape_print(out, escape_for_terminal(utf8), __VA_ARGS__)
void table_label(FILE *out, bool utf8, const char *text);
void table_line(FILE *out, bool utf8, const char *label, const char *text);

void table_heading(const struct run_data *data, const struct run_summary *summary, const struct run_bench *bench,
                   FILE *out, bool color, bool utf8);
struct table_look {
  size_t width;
  bool color, utf8, brief; /* brief: the table has one line for each case */
};

/* terminal/tables.c: prints the column heads and the rows of a bench. */
void table_rows(const struct run_data *data, const struct run_bench *bench, const struct table_look *look, FILE *out);
/* Prints below a table why it has no speedups, if several variants were timed. */
void table_no_baseline(const struct run_bench *bench, FILE *out, bool utf8);
/* Prints how large the launch overhead is, below a table that has times without it. */
void table_overhead(const struct run_bench *bench, FILE *out, bool utf8);
/* Prints the marks of rows that are ok but partly unchecked, and how many rows have each mark. */
void table_marks(const struct run_data *data, const struct run_bench *bench, FILE *out, bool utf8);
void table_summary(const struct run_data *data, const struct run_summary *summary, FILE *out, bool utf8);

/* terminal/tables.c: prints joules if they were asked for. */
void table_energy(const struct run_data *data, const struct run_bench *bench, FILE *out, bool utf8);

/* Prints the metrics that variants measured in addition to the time; nothing if there are none. */
void table_metrics(const struct run_data *data, const struct run_bench *bench, FILE *out, size_t width, bool utf8);

/* Adds a column to a grid and sets its heading, in the grid's first row. */

size_t columns_add(struct grid *grid, enum grid_align align, int drop, const char *head);

/* The columns of a ratio, its interval and its verdict. `drop` says how early the column of the interval is left out if
 * the terminal is too narrow: see grid_column(). */
struct columns_ratio {
  size_t ratio, interval, word;
};
struct columns_ratio columns_add_ratio(struct grid *grid, const char *head, int drop);
/* Sets the cells of ratio and interval. The caller sets the cell of the verdict. */
void columns_set_ratio(struct grid *grid, const struct columns_ratio *at, enum grid_style style, double ratio,
                       double lo, double hi);

/* Adds the columns of the comparison with a baseline run to a bench's table. */

struct columns_ratio against_table_columns(struct grid *grid, const struct run_data *data);
/* Fills in the cells of the columns of against_table_columns(); they stay empty if the row was not compared. */
void against_table_cells(struct grid *grid, const struct columns_ratio *at, const struct run_data *data,
                         const struct record *record, bool utf8);

/* Prints the baseline run, the result of the comparison, and the conditions that differ. */
void against_table_lines(const struct run_data *data, FILE *out, bool utf8);
/* Prints only the results of the comparison, one line for each run. */
void against_sentences(const struct run_data *data, FILE *out, bool utf8);
