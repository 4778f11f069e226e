/* Output on a terminal: the tables of a run, the plain lines of -q, the lines of the edit loop (a user edits a kernel
 * and measures again), a comparison, and a trend. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "compare/compare.h"
#include "record/run_data.h"
#include "trend/trend.h"

/* A run with more rows than this gets one line for each case. */
enum { TABLE_ROWS_MAX = 40 };

/* Prints the tables of a run. `width` is in columns. The caller decides about colour (terminal, NO_COLOR) and UTF-8
 * (locale). */
void table_print(const struct run_data *data, FILE *out, int width, bool color, bool utf8);

/* Prints what -q prints: one line for each result and each error, and the result of a comparison with a baseline
 * run. */
void plain_print(const struct run_data *data, FILE *out, bool utf8);

/* Prints what the edit loop (a user edits a kernel and measures again) shows after each build: a line for each row, and
 * three more for each bench. The arguments are those of table_print(). */
void edit_print(const struct run_data *data, FILE *out, int width, bool color, bool utf8);

/* How many rows of a comparison are printed without `verbose`. Those that need attention come first. */
enum { COMPARE_ROWS_MAX = 40 };

/* How a comparison is printed. */
struct compare_look {
  int width;
  bool color, utf8;
  bool quiet;   /* true: prints only the sentence */
  bool verbose; /* true: prints all rows, and those that only one run has */
};

void compare_table_print(const struct compare *compare, FILE *out, const struct compare_look *look);

/* A trend (how times developed over nightly runs) is printed as a sentence, two lines for each series that has changed,
 * and lines about the nights. A series is the times of one variant in one case. */
enum { TREND_LINES_MAX = 20, TREND_SPARKS = 30 };

struct trend_look {
  bool color, utf8, quiet, verbose;
};

void trend_print(const struct trend *trend, FILE *out, const struct trend_look *look);
