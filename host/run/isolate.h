/* --isolate, if it is asked for. */
#pragma once

#include <stdio.h>

#include "base/pairs.h"
#include "worker/isolation.h"
#include "worker/pool.h"

struct run_isolation {
  bool asked;
  struct isolation found; /* what plugins are isolated from */
  size_t processes;       /* largest number at a time */
  double most_bytes;      /* of tensors, in these */
};

/* Finds what can be isolated here, before any plugin is looked at. `folder`: where the run's files will be. */
int run_isolate(struct run_isolation *isolation, const char *folder, struct err *err);
/* Skips cases for which there is not enough memory. */
int run_isolate_plan(struct run_isolation *isolation, struct pool *pool, const struct plan *plan, struct err *err);
/* Tell run.ini and the user what plugins are isolated from. */
void run_isolate_note(const struct run_isolation *isolation, struct pairs *environment);
void run_isolate_print(const struct run_isolation *isolation, FILE *out);
