/* The Python interpreter of workers that run scripts: the user's own, with its packages. */
#pragma once

#include "base/err.h"

struct interpreter {
  char path[4096], version[32]; /* the path of the interpreter, and its version, such as "3.11.2" */
};

/* Sets the interpreter. NULL: the one of the active virtual environment, else python3 on PATH. The text is kept, not
 * copied. */
void interpreter_choose(const char *given);

/* Starts the interpreter once to ask for its version and path. Returns -1 with exit code 2 and the reason if there is
 * no interpreter or it cannot be used. */
int interpreter_find(struct interpreter *found, struct err *err);
