/* A chart of cases that no axis orders: a row for each, a mark in it for each series. */
#ifndef SVG_DOTS_H
#define SVG_DOTS_H

#include "svg/svg.h"

void svg_dots(FILE *out, const struct svg_chart *chart);

#endif
