/* The backend whose workers are processes. */
#pragma once

#include "worker/backend.h"

/* Workers are processes. A worker is ended, with all that it started, if it closes its socket, sends invalid frames,
 * exceeds its limits or must stop; if it dies, all that it started is ended. */
extern const struct backend child_backend;
