/* The parts of the terminal output that are not columns: headings, the summary lines. */
#ifndef TERMINAL_LINES_H
#define TERMINAL_LINES_H

#include <stdbool.h>
#include <stdio.h>

#include "base/grid.h"
#include "summary/summary.h"

/* Text of others, made inert; behind a label, or as a line of its own. */
void table_text(FILE *out, enum grid_style style, bool color, bool utf8, const char *text);
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
/* terminal/marks.c: what was not seen of rows that are ok, and of how many. */
void table_marks(const struct run_data *data, const struct run_bench *bench, FILE *out, bool utf8);
void table_summary(const struct run_data *data, const struct run_summary *summary, FILE *out, bool utf8);

/* terminal/devices.c: what each of several devices reaches, and which is the odd one out; nothing where there is one.
 */
void table_devices(const struct run_data *data, FILE *out, int width, bool color, bool utf8);

/* terminal/energy.c: joules, where they were asked for. */
void table_energy(const struct run_data *data, const struct run_bench *bench, FILE *out, bool utf8);

/* terminal/metrics.c: what variants measured beside the time; nothing where they did not. */
void table_metrics(const struct run_data *data, const struct run_bench *bench, FILE *out, size_t width, bool utf8);

#endif
