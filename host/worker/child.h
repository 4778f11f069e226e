/* The backend whose workers are processes. */
#ifndef WORKER_CHILD_H
#define WORKER_CHILD_H

#include "worker/backend.h"

/* Ends a worker, with all that it started, if it dies, closes its socket, sends invalid frames, exceeds its limits or
 * must stop. */
extern const struct backend child_backend;

#endif
