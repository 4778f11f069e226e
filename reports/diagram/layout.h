/* Where boxes and arrows lie: sizes to the program, places from it. Its answer is not trusted. */
#ifndef DIAGRAM_LAYOUT_H
#define DIAGRAM_LAYOUT_H

#include <stdbool.h>
#include "base/err.h"
#include "diagram/diagram.h"

/* Fills in all places of a diagram whose boxes are measured. */
int diagram_layout(struct diagram *d, struct err *err);
/* Takes the answer of the program apart; false: it is none. */
bool diagram_parse(struct diagram *d, const char *answer);

#endif
