/* Child processes that run at the same time; each is this program, started again. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/text.h"
#include "machine/cpus.h"

struct child {
  const char *label;    /* text that is printed before each line of the child's output */
  struct strings words; /* arguments after the program's name */
  char *folder;         /* working directory of the child; NULL: that of this process */
  char *log;            /* stdout and stderr are appended to this file; NULL: they go where those of this process go */
  const struct cpus *cpus; /* processors to run on; NULL: any */
  bool quiet;              /* true: the child's lines go to the log only */
  int status;              /* status from waitpid(), valid when the child has ended; -1: it could not be started */
};

/* Starts all children, copies their stderr to that of this process, and returns when all have ended. Forwards signals
 * to them. */
void children_run(struct child *children, size_t count);

/* Returns the child's exit code; 128 plus the number of the signal if one killed it. */
int child_code(const struct child *child);
/* Writes how the child ended: "was killed by SIGKILL" or "ended with exit code 4". */
void child_end(const struct child *child, char *to, size_t size);
void child_free(struct child *child);
