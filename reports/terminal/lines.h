/* What the tables of the terminal share: headings, lines, columns, the summary, and --against. */
#ifndef TERMINAL_LINES_H
#define TERMINAL_LINES_H

#include <stdbool.h>
#include <stdio.h>

#include "base/escape.h"
#include "base/grid.h"
#include "summary/summary.h"

/* Text of others, made inert; behind a label, or as a line of its own. */
void table_text(FILE *out, enum grid_style style, bool color, bool utf8, const char *text);
#define table_say(out, utf8, ...) escape_print(out, escape_for_terminal(utf8), __VA_ARGS__)
void table_label(FILE *out, bool utf8, const char *text);
void table_line(FILE *out, bool utf8, const char *label, const char *text);

void table_heading(const struct run_data *data, const struct run_summary *summary, const struct run_bench *bench,
                   FILE *out, bool color, bool utf8);
struct table_look {
  size_t width;
  bool color, utf8, brief; /* brief: a line for each case */
};

/* terminal/tables.c: the heads of a bench's columns, and its rows. */
void table_rows(const struct run_data *data, const struct run_bench *bench, const struct table_look *look, FILE *out);
/* Below a table without speedups, where several variants were timed: why. */
void table_no_baseline(const struct run_bench *bench, FILE *out, bool utf8);
/* Below a table with times less the floor: what that is. */
void table_floor(const struct run_bench *bench, FILE *out, bool utf8);
/* What was not seen of rows that are ok, and of how many. */
void table_marks(const struct run_data *data, const struct run_bench *bench, FILE *out, bool utf8);
void table_summary(const struct run_data *data, const struct run_summary *summary, FILE *out, bool utf8);

/* terminal/tables.c: joules, where they were asked for. */
void table_energy(const struct run_data *data, const struct run_bench *bench, FILE *out, bool utf8);

/* What variants measured beside the time; nothing where they did not. */
void table_metrics(const struct run_data *data, const struct run_bench *bench, FILE *out, size_t width, bool utf8);

/* Columns that several tables of the terminal have. Headings are in the grid's first row. */

size_t columns_add(struct grid *grid, enum grid_align align, int drop, const char *head);

/* A ratio, its interval and the word on it. `drop` is the interval's. */
struct columns_ratio {
  size_t ratio, interval, word;
};
struct columns_ratio columns_add_ratio(struct grid *grid, const char *head, int drop);
/* Callers set the word. */
void columns_set_ratio(struct grid *grid, const struct columns_ratio *at, enum grid_style style, double ratio,
                       double lo, double hi);

/* What a run was compared with, on a terminal: cells of its rows, and lines below the tables. */

struct columns_ratio against_table_columns(struct grid *grid, const struct run_data *data);
/* Nothing for a row that has no answer. */
void against_table_cells(struct grid *grid, const struct columns_ratio *at, const struct run_data *data,
                         const struct record *record, bool utf8);

/* Who, what came of it, what is not alike. */
void against_table_lines(const struct run_data *data, FILE *out, bool utf8);
/* Only what came of it, a line for each run. */
void against_sentences(const struct run_data *data, FILE *out, bool utf8);

#endif
