/* The interval of a figure, whole, cut off at the edge of the plot, or not known. */
#ifndef SVG_INTERVAL_H
#define SVG_INTERVAL_H

#include "svg/scale.h"
#include "svg/svg.h"

/* Along the scale, at the place `across` it; an arrow where it goes on beyond the plot. Nothing where it is not known.
 */
void svg_interval(FILE *out, const struct svg_scale *scale, const struct svg_point *point, double across, bool upright,
                  const char *color);
/* A figure whose interval should be known and is not. */
bool svg_unsure(const struct svg_chart *chart, const struct svg_point *point);
/* What arrows and hollow marks mean, of those that the chart has; "" for none. */
const char *svg_interval_note(const struct svg_chart *chart, const struct svg_scale *scale);

#endif
