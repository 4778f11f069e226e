/* The process between the parent and one worker. The kernel hands it whatever the worker's children leave behind
 * (PR_SET_CHILD_SUBREAPER), in whatever group or session; when the worker ends, or the parent is gone however that
 * happened, the reaper ends all of it. It leads a process group of its own and so does the worker: what the terminal
 * or a shell sends to the parent's group reaches neither. */
#ifndef WORKER_REAPER_H
#define WORKER_REAPER_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "machine/scratch.h"

/* In the host, before it has a worker; again: nothing. */
void inherited_take(void);

/* In a worker, before it does anything: as it was then, as far as it may be put back. */
void inherited_restore(void);

/* "cannot start a worker process: too many open files (limit 16)"; `error` is an errno. -1. */
int exhausted_err(int error, struct err *err);

/* Are there as many descriptors as a worker and its reaper take? Else -1 and errno. */
int exhausted_files(void);

struct reaper {
  pid_t pid;    /* 0: none */
  pid_t worker; /* its child */
  int leash;    /* a socket to it; closes with this process */
};

/* Starts a reaper, which starts a worker: `enter` runs there as a child of the reaper and does not return. When the
 * worker and all it started are gone, whoever ended them, the reaper removes the directory of `scratch`; NULL: none. */
int reaper_start(struct reaper *reaper, const struct scratch *scratch, void (*enter)(const void *context),
                 const void *context, struct err *err);

/* Waits for the worker to end by itself. True: it did, nothing that it started is left, `*status` is as from wait(). */
bool reaper_wait(struct reaper *reaper, int patience_ms, int *status);

/* Ends the worker and all that it started. False: it cannot be ended, as when a driver holds it; it is left to the
 * reaper then. Either way the reaper is of no more use. */
bool reaper_end(struct reaper *reaper, int *status);

#endif
