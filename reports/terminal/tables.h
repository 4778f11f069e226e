/* The result as a terminal table: one per bench, then the summary. */
#ifndef TERMINAL_TABLES_H
#define TERMINAL_TABLES_H

#include <stdbool.h>
#include <stdio.h>

#include "record/run_data.h"

/* More rows than this print one line per case. */
enum { TABLE_ROWS_MAX = 40 };

/* `width` in columns; the caller decides on colour (terminal, NO_COLOR) and UTF-8 (locale). */
void table_print(const struct run_data *data, FILE *out, int width, bool color, bool utf8);

#endif
