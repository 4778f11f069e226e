/* The drawing: how large boxes and labels are, and what they look like where the layout has put them. */
#ifndef DIAGRAM_DRAW_H
#define DIAGRAM_DRAW_H

#include <stdio.h>
#include "diagram/diagram.h"

void diagram_measure(struct diagram *d);
void diagram_draw(FILE *out, const struct diagram *d);

#endif
