/* The frame of a plot between two scales. */
#ifndef SVG_GRID_H
#define SVG_GRID_H

#include <stdio.h>

#include "svg/scale.h"

/* The uprights of x, and their numbers below them where there is room. */
void svg_columns(FILE *out, const struct svg_scale *x, double top, double bottom, bool bytes);
/* Both axes, a line and a number at each tick that has room for it; `below` is what x counts. */
void svg_grid(FILE *out, const struct svg_scale *x, const struct svg_scale *y, const char *below);

#endif
