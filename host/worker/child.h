/* The backend whose workers are processes. */
#pragma once

#include "worker/backend.h"

/* Ends a worker, with all that it started, if it dies, closes its socket, sends invalid frames, exceeds its limits or
 * must stop. */
extern const struct backend child_backend;
