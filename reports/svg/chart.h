/* What the two drawings of a chart, lines and bars, share. */
#ifndef SVG_CHART_H
#define SVG_CHART_H

#include "svg/svg.h"

/* Place among the series that are no limits; colours, dashes and marks go by it. */
size_t svg_place(const struct svg_chart *chart, size_t series);
/* The range of all that the chart shows; a wide interval does not flatten the rest. */
void svg_range(const struct svg_chart *chart, double *lo, double *hi);

void svg_lines(FILE *out, const struct svg_chart *chart);
void svg_bars(FILE *out, const struct svg_chart *chart);

#endif
