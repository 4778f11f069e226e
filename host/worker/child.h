/* Workers that are processes: started, watched, buried. */
#ifndef WORKER_CHILD_H
#define WORKER_CHILD_H

#include "worker/backend.h"

/* Ends a worker that dies, hangs up, sends nonsense, outlasts its limits or is to stop, with all that it started. */
extern const struct backend child_backend;

#endif
