/* The backend whose workers are processes. */
#pragma once

#include "worker/backend.h"

/* Each worker of this backend is a process. The worker and all processes that it started are killed if the worker
 * closes its socket, sends an invalid frame, exceeds a limit or does not stop when it is told to. If the worker dies,
 * the processes that it started are killed. */
extern const struct backend child_backend;
