/* Isolation of plugins (--isolate): each provider (plugin) runs in a process of its own, with the protections that the
 * machine allows. */
#pragma once

#include <stdio.h>

#include "base/pairs.h"
#include "worker/isolation.h"
#include "worker/pool.h"

struct run_isolation {
  bool asked;
  struct isolation found; /* which protections are available */
  size_t processes;       /* the largest number of worker processes at a time */
  double most_bytes;      /* the largest number of bytes of tensors in these processes */
};

/* Finds out which protections are available, before any plugin is loaded. `folder` is where the run's files will be. */
int run_isolate(struct run_isolation *isolation, const char *folder, struct err *err);
/* Skips cases for which there is not enough memory. */
int run_isolate_plan(struct run_isolation *isolation, struct pool *pool, const struct plan *plan, struct err *err);
/* Write which protections isolate the plugins: to run.ini (`environment`), and to `out` for the user. */
void run_isolate_note(const struct run_isolation *isolation, struct pairs *environment);
void run_isolate_print(const struct run_isolation *isolation, FILE *out);
