/* The reaper: a process between the parent and one worker. It adopts all orphans of the worker
 * (PR_SET_CHILD_SUBREAPER), and kills them when the worker ends or the parent is gone. Reaper and worker each lead a
 * process group, so that signals to the parent's group do not reach them. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "machine/scratch.h"

/* Remembers the processor affinity, scheduling and resource limits of this process. Called before workers are
 * started; further calls do nothing. */
void inherited_take(void);

/* Restores, in a new worker, what inherited_take() remembered, as far as permitted. */
void inherited_restore(void);

/* Makes an error of an errno: "cannot start a worker process: too many open files (limit 16)". Returns -1. */
int exhausted_err(int error, struct err *err);

/* Returns 0 if there are enough free descriptors for a worker and its reaper; else -1 with errno set. */
int exhausted_files(void);

struct reaper {
  pid_t pid;    /* pid of the reaper; 0: none */
  pid_t worker; /* pid of the worker, which is a child of the reaper */
  int leash;    /* a socket to the reaper, by which it sees that this process has ended */
};

/* Starts a reaper, which starts a worker: `enter` runs in a child of the reaper and does not return. When the worker
 * and all that it started are gone, for any reason, the reaper removes the directory of `scratch` (NULL: none). */
int reaper_start(struct reaper *reaper, const struct scratch *scratch, void (*enter)(const void *context),
                 const void *context, struct err *err);

/* Waits for the worker to end. Returns true if it has ended and nothing that it started is left; `*status` is then as
 * from wait(). */
bool reaper_wait(struct reaper *reaper, int patience_ms, int *status);

/* Kills the worker and all that it started. Returns false if the worker cannot be killed, for example because a driver
 * holds it; then the reaper goes on trying. In both cases `reaper` is invalid afterwards. */
bool reaper_end(struct reaper *reaper, int *status);
