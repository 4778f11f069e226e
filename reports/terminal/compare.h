/* A comparison as text for a terminal. */
#ifndef TERMINAL_COMPARE_H
#define TERMINAL_COMPARE_H

#include <stdio.h>

#include "compare/compare.h"

/* More rows than this are only printed with `verbose`; those that need attention come first. */
enum { COMPARE_ROWS_MAX = 40 };

struct compare_look {
  int width;
  bool color, utf8;
  bool quiet;   /* only the sentence */
  bool verbose; /* all rows, and those that are on one side only */
};

void compare_table_print(const struct compare *compare, FILE *out, const struct compare_look *look);

#endif
