/* What is printed on a terminal: a run's tables, its plain lines, those of an edit; a comparison; a trend. */
#ifndef TERMINAL_TERMINAL_H
#define TERMINAL_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

#include "compare/compare.h"
#include "record/run_data.h"
#include "trend/trend.h"

/* More rows than this print one line per case. */
enum { TABLE_ROWS_MAX = 40 };

/* `width` in columns; the caller decides on colour (terminal, NO_COLOR) and UTF-8 (locale). */
void table_print(const struct run_data *data, FILE *out, int width, bool color, bool utf8);

/* -q: a line for each result and for each error, and what came of comparing them with another run. */
void plain_print(const struct run_data *data, FILE *out, bool utf8);

/* What whoever edits a kernel reads after each build: a line for each row, and for a bench three more. As
 * table_print(), of the same rows. */
void edit_print(const struct run_data *data, FILE *out, int width, bool color, bool utf8);

/* More rows than this are only printed with `verbose`; those that need attention come first. */
enum { COMPARE_ROWS_MAX = 40 };

/* A comparison. */
struct compare_look {
  int width;
  bool color, utf8;
  bool quiet;   /* only the sentence */
  bool verbose; /* all rows, and those that are on one side only */
};

void compare_table_print(const struct compare *compare, FILE *out, const struct compare_look *look);

/* A trend: a sentence, the nights, two lines for each series that has changed. */
enum { TREND_LINES_MAX = 20, TREND_SPARKS = 30 };

struct trend_look {
  bool color, utf8, quiet, verbose;
};

void trend_print(const struct trend *trend, FILE *out, const struct trend_look *look);

#endif
