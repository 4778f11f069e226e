/* A diagram as inline SVG. Where things lie is found by Graphviz in a process of its own, which is told sizes and no
 * text; they are drawn here. Geometry and colours are attributes, text takes the page's colour. */
#ifndef DIAGRAM_SVG_H
#define DIAGRAM_SVG_H

#include "base/err.h"
#include "diagram/diagram.h"

/* The drawing, to be freed, or NULL and the reason why there is none. The same diagram gives the same bytes with the
 * same version of Graphviz. */
char *diagram_svg(struct diagram *d, struct err *why);

#endif
