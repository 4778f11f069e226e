/* The program that lays out, as a child with limits: started without a shell, told nothing by the environment, bounded
 * in time, memory and output, and always buried. */
#ifndef DIAGRAM_CHILD_H
#define DIAGRAM_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include "base/err.h"

/* That program; NULL: lib/gpubench/gpubench-diagram beside the folder of this binary. Tests set it. */
extern const char *diagram_program;

/* Is the program here? Otherwise the reason. */
bool diagram_ready(struct err *why);
/* Hands it `request` and returns what it answers, to be freed; NULL and the reason. */
char *diagram_ask(const char *request, size_t size, struct err *err);

#endif
