/* The program gpubench-diagram, which runs as a child process. It is started without a shell and with an empty
 * environment except LC_ALL. Its time, memory and output are limited. It is killed if it takes too long. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* Path of the program; tests set it. NULL: lib/gpubench/gpubench-diagram next to the folder of this binary. */
extern const char *diagram_program;

/* Returns true if the program is installed; otherwise sets the reason. */
bool diagram_ready(struct err *why);
/* Gives the program a graph in DOT. Returns the SVG that the program wrote, which the caller frees; NULL with the
 * reason on failure. */
char *diagram_ask(const char *request, size_t size, struct err *err);
