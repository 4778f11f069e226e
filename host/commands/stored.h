/* The runs that are kept ($GPUBENCH_OUT or gpubench-out), in brief. */
#ifndef COMMANDS_STORED_H
#define COMMANDS_STORED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/pairs.h"

struct stored_run {
  char *name;               /* of its directory */
  struct pairs environment; /* of run.ini; empty: that cannot be read */
  bool latest;              /* what `latest` means */
};

struct stored_runs {
  struct stored_run *items; /* the newest first */
  size_t count, rest;       /* rest: older ones that were left out */
};

void stored_runs_read(size_t most, struct stored_runs *runs);
void stored_runs_free(struct stored_runs *runs);

#endif
