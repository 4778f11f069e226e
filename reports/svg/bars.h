/* A chart of one category: a bar for each series. */
#ifndef SVG_BARS_H
#define SVG_BARS_H

#include "svg/svg.h"

void svg_bars(FILE *out, const struct svg_chart *chart);

#endif
