/* The process between the parent and one worker. It adopts all orphans of the worker (PR_SET_CHILD_SUBREAPER), in any
 * group or session. When the worker ends, or the parent is gone for any reason, the reaper kills all of them. Reaper
 * and worker each lead a process group: signals from the terminal or a shell to the parent's group reach neither. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "machine/scratch.h"

/* Remembers, in the host before it starts workers, its processor affinity, scheduling and resource limits. Further
 * calls do nothing. */
void inherited_take(void);

/* Restores them in a new worker, as far as permitted. */
void inherited_restore(void);

/* Fills in "cannot start a worker process: too many open files (limit 16)" for an errno. Returns -1. */
int exhausted_err(int error, struct err *err);

/* Returns 0 if there are enough free descriptors for a worker and its reaper; else -1 with errno set. */
int exhausted_files(void);

struct reaper {
  pid_t pid;    /* 0: none */
  pid_t worker; /* a child of the reaper */
  int leash;    /* a socket to the reaper; closes when this process ends */
};

/* Starts a reaper, which starts a worker: `enter` runs there as a child of the reaper and does not return. When the
 * worker and all that it started are gone, for any reason, the reaper removes the directory of `scratch`; NULL: none.
 */
int reaper_start(struct reaper *reaper, const struct scratch *scratch, void (*enter)(const void *context),
                 const void *context, struct err *err);

/* Waits for the worker to end. True: it has ended, nothing that it started is left, and `*status` is as from
 * wait(). */
bool reaper_wait(struct reaper *reaper, int patience_ms, int *status);

/* Kills the worker and all that it started. False: it cannot be killed, for example because a driver holds it; then the
 * reaper goes on trying. In both cases `reaper` is invalid afterwards. */
bool reaper_end(struct reaper *reaper, int *status);
