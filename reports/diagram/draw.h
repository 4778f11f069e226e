/* The drawing: how large boxes and labels are, and what they look like where the layout has put them. */
#ifndef DIAGRAM_DRAW_H
#define DIAGRAM_DRAW_H

#include <stdio.h>

#include "base/err.h"
#include "diagram/diagram.h"

void diagram_measure(struct diagram *d);
void diagram_draw(FILE *out, const struct diagram *d);

/* A diagram as inline SVG. Where things lie is found by Graphviz in a process of its own, which is told sizes and no
 * text; they are drawn here. Geometry and colours are attributes, text takes the page's colour. */

/* The drawing, to be freed, or NULL and the reason why there is none. The same diagram gives the same bytes with the
 * same version of Graphviz. */
char *diagram_svg(struct diagram *d, struct err *why);

#endif
