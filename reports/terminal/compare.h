/* A comparison as text for a terminal. */
#ifndef TERMINAL_COMPARE_H
#define TERMINAL_COMPARE_H

#include <stdio.h>

#include "compare/against.h"
#include "compare/compare.h"
#include "terminal/lines.h"

/* More rows than this are only printed with `verbose`; those that need attention come first. */
enum { COMPARE_ROWS_MAX = 40 };

struct compare_look {
  int width;
  bool color, utf8;
  bool quiet;   /* only the sentence */
  bool verbose; /* all rows, and those that are on one side only */
};

void compare_table_print(const struct compare *compare, FILE *out, const struct compare_look *look);

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
