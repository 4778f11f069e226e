/* Output on a terminal: a run's tables, its plain lines, those of the edit loop; a comparison; a trend. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "compare/compare.h"
#include "record/run_data.h"
#include "trend/trend.h"

/* A run with more rows than this gets one line per case. */
enum { TABLE_ROWS_MAX = 40 };

/* `width` is in columns. The caller decides on colour (terminal, NO_COLOR) and UTF-8 (locale). */
void table_print(const struct run_data *data, FILE *out, int width, bool color, bool utf8);

/* -q: one line per result and per error, and the result of a comparison with another run. */
void plain_print(const struct run_data *data, FILE *out, bool utf8);

/* The edit loop's output after each build: a line per row, and three more per bench. The arguments and rows are those
 * of table_print(). */
void edit_print(const struct run_data *data, FILE *out, int width, bool color, bool utf8);

/* Further rows are only printed with `verbose`; those that need attention come first. */
enum { COMPARE_ROWS_MAX = 40 };

/* A comparison. */
struct compare_look {
  int width;
  bool color, utf8;
  bool quiet;   /* only the sentence */
  bool verbose; /* all rows, and those that only one run has */
};

void compare_table_print(const struct compare *compare, FILE *out, const struct compare_look *look);

/* A trend: a sentence, the nights, and two lines for each series that has changed. */
enum { TREND_LINES_MAX = 20, TREND_SPARKS = 30 };

struct trend_look {
  bool color, utf8, quiet, verbose;
};

void trend_print(const struct trend *trend, FILE *out, const struct trend_look *look);
