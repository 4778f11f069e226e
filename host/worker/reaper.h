/* The process between the parent and one worker. The kernel hands it whatever the worker's children leave behind
 * (PR_SET_CHILD_SUBREAPER), in whatever group or session; when the worker ends, or the parent is gone however that
 * happened, the warden ends all of it. It leads a process group of its own and so does the worker: what the terminal
 * or a shell sends to the parent's group reaches neither. */
#ifndef WARDEN_H
#define WARDEN_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "machine/scratch.h"

struct warden {
  pid_t pid;    /* 0: none */
  pid_t worker; /* its child */
  int leash;    /* a socket to it; closes with this process */
};

/* Starts a warden, which starts a worker: `enter` runs there as a child of the warden and does not return. When the
 * worker and all it started are gone, whoever ended them, the warden removes the directory of `scratch`; NULL: none. */
int warden_start(struct warden *warden, const struct scratch *scratch, void (*enter)(const void *context),
                 const void *context, struct err *err);

/* Waits for the worker to end by itself. True: it did, nothing that it started is left, `*status` is as from wait(). */
bool warden_wait(struct warden *warden, int patience_ms, int *status);

/* Ends the worker and all that it started. False: it cannot be ended, as when a driver holds it; it is left to the
 * warden then. Either way the warden is of no more use. */
bool warden_end(struct warden *warden, int *status);

#endif
