/* Child processes that run at the same time, each this program started anew. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/text.h"
#include "machine/cpus.h"

struct child {
  const char *label;       /* printed before each of its lines */
  struct strings words;    /* arguments after the program's name */
  char *folder;            /* working directory; NULL: unchanged */
  char *log;               /* stdout and stderr are appended to this file; NULL: they go where ours go */
  const struct cpus *cpus; /* processors to run on; NULL: any */
  bool quiet;              /* its lines go to the log only */
  int status;              /* from waitpid() once it has ended; -1: it could not be started */
};

/* Starts all children, copies their stderr to ours, and returns when all have ended. Signals to us are forwarded to
 * them. */
void children_run(struct child *children, size_t count);

/* Returns its exit code; 128 plus the number if a signal killed it. */
int child_code(const struct child *child);
/* Writes "was killed by SIGKILL" or "ended with exit code 4". */
void child_end(const struct child *child, char *to, size_t size);
void child_free(struct child *child);
