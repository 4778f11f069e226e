/* Where boxes and arrows lie: sizes to the program, places from it. Its answer is not trusted. */
#ifndef DIAGRAM_LAYOUT_H
#define DIAGRAM_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "diagram/diagram.h"

/* Fills in all places of a diagram whose boxes are measured. */
int diagram_layout(struct diagram *d, struct err *err);
/* Takes the answer of the program apart; false: it is none. */
bool diagram_parse(struct diagram *d, const char *answer);

/* The program that lays out, as a child with limits: started without a shell, told nothing by the environment, bounded
 * in time, memory and output, and always buried. */

/* That program; NULL: lib/gpubench/gpubench-diagram beside the folder of this binary. Tests set it. */
extern const char *diagram_program;

/* Is the program here? Otherwise the reason. */
bool diagram_ready(struct err *why);
/* Hands it `request` and returns what it answers, to be freed; NULL and the reason. */
char *diagram_ask(const char *request, size_t size, struct err *err);

#endif
