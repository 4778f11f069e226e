/* The terminal output of a trend: a sentence, the nights, two lines for each series that has changed. */
#ifndef TERMINAL_TREND_H
#define TERMINAL_TREND_H

#include <stdbool.h>
#include <stdio.h>

#include "trend/trend.h"

enum { TREND_LINES_MAX = 20, TREND_SPARKS = 30 };

struct trend_look {
  bool color, utf8, quiet, verbose;
};

void trend_print(const struct trend *trend, FILE *out, const struct trend_look *look);

#endif
