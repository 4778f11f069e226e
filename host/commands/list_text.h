/* `gpubench list`: prints what the plugins offer and which runs are stored, as text or JSON. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/pairs.h"
#include "model/model.h"
#include "plan/lineup.h"

struct stored_run {
  char *name;               /* name of the run's directory */
  struct pairs environment; /* pairs from the run's file run.ini; empty if that cannot be read */
  bool latest;              /* true for the run that the link `latest` names */
};

struct stored_runs {
  struct stored_run *items; /* the stored runs, the newest first */
  size_t count, rest;       /* number of runs in the list, and number of older runs that were left out */
};

void stored_runs_read(size_t most, struct stored_runs *runs);
void stored_runs_free(struct stored_runs *runs);

/* The contents of a listing. */
struct listing {
  const struct catalog *catalog;
  const struct lineups *lineups; /* each bench of the catalog with its variants */
  const bool *chosen;            /* for each item of `lineups`, true if it is listed; NULL: all are listed */
  const char *backend; /* presets that are not default on this backend are only counted; NULL: all presets are listed */
  const struct device_facts *devices;
  size_t device_count;
  const struct stored_runs *runs; /* NULL: stored runs are not listed */
};

/* Prints the listing. Returns an exit code: EXIT_FAILED if `out` could not be written. */
int list_print(const struct listing *listing, bool json, FILE *out);
