/* Draws a diagram: computes the sizes of boxes and labels, and draws them where the layout has put them. */
#pragma once

#include <stdio.h>

#include "base/err.h"
#include "diagram/diagram.h"

void diagram_measure(struct diagram *d);
void diagram_draw(FILE *out, const struct diagram *d);

/* A diagram as inline SVG. Graphviz computes the layout in a separate process, which gets sizes but no texts; the
 * drawing is done here. Geometry and colours are attributes; text has the page's colour. */

/* Returns the drawing, which the caller frees; NULL with the reason in `why` if it cannot be made. Equal diagrams give
 * equal bytes with the same version of Graphviz. */
char *diagram_svg(struct diagram *d, struct err *why);
