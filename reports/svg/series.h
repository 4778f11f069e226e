/* What the two drawings of a chart, lines and bars, know of its series. */
#ifndef SVG_SERIES_H
#define SVG_SERIES_H

#include "svg/svg.h"

/* Place among the series that are no limits; colours, dashes and marks go by it. */
size_t svg_place(const struct svg_chart *chart, size_t series);
/* The range of all that the chart shows; a wide interval does not flatten the rest. */
void svg_range(const struct svg_chart *chart, double *lo, double *hi);

#endif
