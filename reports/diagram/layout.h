/* The layout of a diagram: sends sizes to gpubench-diagram and reads coordinates from its answer, which is not
 * trusted. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "diagram/diagram.h"

/* Fills in all coordinates of a diagram. diagram_measure() must have filled in its sizes. */
int diagram_layout(struct diagram *d, struct err *err);
/* Reads the program's answer into the diagram. Returns false if the answer is malformed. */
bool diagram_parse(struct diagram *d, const char *answer);

/* The program gpubench-diagram runs as a child process. It is started without a shell and with an empty environment
 * except LC_ALL. Its time, memory and output are limited. When its answer has been read or a limit is reached, it is
 * ended and waited for. */

/* Path of the program; tests set it. NULL: lib/gpubench/gpubench-diagram next to the folder of this binary. */
extern const char *diagram_program;

/* Returns true if the program is installed; otherwise sets the reason. */
bool diagram_ready(struct err *why);
/* Sends `request` and returns the answer, which the caller frees; NULL and the reason on failure. */
char *diagram_ask(const char *request, size_t size, struct err *err);
