/* Programs that run at the same time: this one, started anew. */
#ifndef JOBS_CHILD_H
#define JOBS_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/text.h"
#include "machine/cpus.h"

struct child {
  const char *label;       /* stands before each of its lines */
  struct strings words;    /* behind the program's name */
  char *folder;            /* where it begins; NULL: here */
  char *log;               /* what it says is appended to this file; NULL: it says it where we do */
  const struct cpus *cpus; /* where it runs; NULL: anywhere */
  bool quiet;              /* its lines go to the log alone */
  int status;              /* once it has ended: as of waitpid(); -1: it did not begin */
};

/* Starts all, copies what they say on stderr, and returns when all have ended. A signal to us is passed on to them. */
void children_run(struct child *children, size_t count);

/* What it exited with; 128 and more: a signal's number. */
int child_code(const struct child *child);
/* "was killed by SIGKILL", "ended with exit code 4". */
void child_end(const struct child *child, char *to, size_t size);
void child_free(struct child *child);

#endif
