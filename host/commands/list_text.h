/* `gpubench list`: prints what the plugins offer and which runs are stored, as text or JSON. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/pairs.h"
#include "model/model.h"
#include "plan/lineup.h"

struct stored_run {
  char *name;               /* name of its directory */
  struct pairs environment; /* of run.ini; empty: it cannot be read */
  bool latest;              /* it is the run that `latest` names */
};

struct stored_runs {
  struct stored_run *items; /* the newest first */
  size_t count, rest;       /* rest: number of older ones that were left out */
};

void stored_runs_read(size_t most, struct stored_runs *runs);
void stored_runs_free(struct stored_runs *runs);

/* The contents of a listing. */
struct listing {
  const struct catalog *catalog;
  const struct lineups *lineups; /* of the catalog */
  const bool *chosen;            /* true for the line-ups to list; NULL: all */
  const char *backend;           /* presets that are not default on it are only counted; NULL: all are listed */
  const struct device_facts *devices;
  size_t device_count;
  const struct stored_runs *runs; /* NULL: not asked for */
};

/* Returns an exit code: EXIT_FAILED if `out` could not be written. */
int list_print(const struct listing *listing, bool json, FILE *out);
