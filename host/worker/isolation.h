/* What keeps the foreign code of a worker from everybody else's memory, files and processes (--isolate). What a machine
 * does not offer is said, never left out in silence. */
#ifndef WORKER_ISOLATION_H
#define WORKER_ISOLATION_H

#include "machine/own_user.h"
#include "machine/scratch.h"

/* Set in the environment of a worker that is isolated. */
#define ISOLATION_VARIABLE "GPUBENCH_ISOLATED"

struct isolation {
  bool user;         /* each worker has a user of its own */
  int landlock;      /* its version; 0: none */
  char hidden[4096]; /* the folder of the run, which workers cannot read; absolute */
  char no_user[128]; /* why not */
  char missing[512]; /* what is not kept from workers here, in words; empty: nothing */
};

/* What can be had here; `hidden` need not exist yet. This process cannot be traced any more by others of its user. Exit
 * 2: there is nothing by which anything could be kept from workers. */
int isolation_find(struct isolation *isolation, const char *hidden, struct err *err);

/* "a user of its own each, landlock 7"; and what is missing. */
void isolation_text(const struct isolation *isolation, char *to, size_t size);

/* In the process that becomes a worker: makes its scratch directory, its home from now on, and is left with no right
 * but those of a worker. `user`: of uid 0 where it has none of its own. */
int isolation_enter(const struct isolation *isolation, const struct own_user *user, const struct scratch *scratch,
                    struct err *err);

/* In the worker, before foreign code runs: nobody can trace it or read its memory. */
void isolation_seal(void);

#endif
