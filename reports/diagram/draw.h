/* A diagram as inline SVG. Graphviz draws it in a separate process. The functions below write the input of Graphviz
 * and turn its output into a part of the page. Colours and fonts are in the page's style sheet. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "diagram/diagram.h"

enum { DIAGRAM_CLUSTERS_MAX = 32, DIAGRAM_NODES_MAX = 96, DIAGRAM_EDGES_MAX = 160 };

/* Returns the drawing, which the caller frees; NULL with the reason in `why` if it cannot be made. Equal diagrams give
 * equal bytes with the same version of Graphviz. */
char *diagram_svg(const struct diagram *d, struct err *why);

/* The two steps of diagram_svg(). diagram_write() writes DOT. diagram_adopt() turns the SVG from Graphviz into SVG for
 * the page; it returns false and writes nothing if `svg` is no SVG of Graphviz. */
void diagram_write(FILE *dot, const struct diagram *d);
bool diagram_adopt(FILE *out, const struct diagram *d, char *svg);
