/* The Python in which workers run that have scripts: the user's own, with the packages that it has. */
#ifndef WORKER_INTERPRETER_H
#define WORKER_INTERPRETER_H

#include <stdbool.h>

#include "base/err.h"

struct interpreter {
  char path[4096], version[32]; /* "3.11.2" */
};

/* --python, or NULL: that of the active virtual environment, else python3 on PATH. Kept, not copied. */
void interpreter_choose(const char *given);

/* It is started once and asked what it is. Exit 2 with the reason where there is none, or none that will do. */
int interpreter_find(struct interpreter *found, struct err *err);

#endif
