/* --isolate, where it is asked for. */
#ifndef RUN_ISOLATE_H
#define RUN_ISOLATE_H

#include <stdio.h>

#include "base/pairs.h"
#include "worker/isolation.h"
#include "worker/pool.h"

struct run_isolation {
  bool asked;
  struct isolation found; /* what is kept from plugins */
  size_t processes;       /* at most at a time, */
  double most_bytes;      /* of tensors */
};

/* Finds what can be had here, before any plugin is looked at; `folder`: where the run's files will be. */
int run_isolate(struct run_isolation *isolation, const char *folder, struct err *err);
/* Leaves out cases for which there is not enough memory. */
int run_isolate_plan(struct run_isolation *isolation, struct pool *pool, const struct plan *plan, struct err *err);
/* What is kept from plugins, into run.ini and for the user. */
void run_isolate_note(const struct run_isolation *isolation, struct pairs *environment);
void run_isolate_print(const struct run_isolation *isolation, FILE *out);

#endif
