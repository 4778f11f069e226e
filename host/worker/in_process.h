/* Workers that are no processes: requests are served in this one, for debuggers. */
#ifndef WORKER_IN_PROCESS_H
#define WORKER_IN_PROCESS_H

#include "worker/backend.h"

/* Knows no limit, and a crash is our own. */
extern const struct backend in_process_backend;

#endif
