/* The parts of the terminal output that are not columns: headings, words of verdicts, the summary lines. */
#ifndef TERMINAL_LINES_H
#define TERMINAL_LINES_H

#include <stdbool.h>
#include <stdio.h>

#include "base/grid.h"
#include "base/number.h"
#include "summary/summary.h"

/* A verdict is a glyph and a word, and a colour for those who see it. */
struct verdict_look {
  const char *glyph; /* with the space after it; may be empty */
  const char *word;
  enum grid_style style;
};
struct verdict_look verdict_look(const char *verdict, bool utf8);

/* One unit for a whole table: that of its middle time. */
struct number_unit table_time_unit(const struct run_bench *bench);

void table_heading(const struct run_data *data, const struct run_summary *summary, const struct run_bench *bench,
                   FILE *out, bool color, bool utf8);
void table_summary(const struct run_data *data, const struct run_summary *summary, FILE *out, bool utf8);

/* terminal/devices.c: what each of several devices reaches, and which is the odd one out; nothing where there is one.
 */
void table_devices(const struct run_data *data, FILE *out, int width, bool color, bool utf8);

/* terminal/energy.c: joules, where they were asked for. */
void table_energy(const struct run_data *data, const struct run_bench *bench, FILE *out, bool utf8);

/* terminal/metrics.c: what variants measured beside the time; nothing where they did not. */
void table_metrics(const struct run_data *data, const struct run_bench *bench, FILE *out, size_t width, bool utf8);

#endif
