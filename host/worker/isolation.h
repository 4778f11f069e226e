/* Keeps the plugins in a worker from the memory, files and processes of everything else (--isolate). Reports every
 * protection that the machine does not offer. */
#pragma once

#include "machine/own_user.h"
#include "machine/scratch.h"

/* An environment variable that is set in isolated workers. */
#define ISOLATION_VARIABLE "GPUBENCH_ISOLATED"

struct isolation {
  bool user;         /* true if each worker gets a separate user */
  int landlock;      /* version of the kernel's Landlock; 0: the kernel has none */
  char hidden[4096]; /* absolute path of the run directory, which workers cannot read */
  char no_user[128]; /* if `user` is false, why workers get no separate users */
  char missing[512]; /* a list of the protections that this machine lacks; empty: none */
};

/* Finds out which protections are available; `hidden` need not exist yet. From then on other processes of this user
 * cannot trace this process. Returns -1 with exit code 2 if there is no protection at all. */
int isolation_find(struct isolation *isolation, const char *hidden, struct err *err);

/* Writes which protections are used ("a user of its own each, landlock 7") and which are missing. */
void isolation_text(const struct isolation *isolation, char *to, size_t size);

/* Called in the process that becomes a worker: makes its scratch directory, which is also its home, and drops all
 * rights that a worker does not need. The uid in `user` is 0 if the worker has no separate user. */
int isolation_enter(const struct isolation *isolation, const struct own_user *user, const struct scratch *scratch,
                    struct err *err);

/* Called in the worker before plugin code runs. Afterwards no process can trace the worker or read its memory. */
void isolation_seal(void);
