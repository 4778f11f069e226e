/* A chart of several categories along an axis of numbers: a line for each series. */
#ifndef SVG_LINES_H
#define SVG_LINES_H

#include "svg/svg.h"

void svg_lines(FILE *out, const struct svg_chart *chart);

#endif
