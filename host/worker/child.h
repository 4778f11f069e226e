/* The backend whose workers are processes. */
#ifndef WORKER_CHILD_H
#define WORKER_CHILD_H

#include "worker/backend.h"

/* Kills a worker that dies, closes its socket, sends invalid frames, exceeds its limits or must stop, with all that it
 * started. */
extern const struct backend child_backend;

#endif
