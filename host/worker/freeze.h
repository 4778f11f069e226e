/* Stops a worker with all processes that it started, so that it takes nothing from the worker that is measured, and
 * lets them continue. SIGKILL also ends stopped processes, so reapers need not know of this. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* Stops every process below `root`, but not `root` itself. False: one of them could not be stopped within a second, for
 * example because it became another user's. */
bool freeze_below(pid_t root);

/* Lets every process below `root` continue. */
void thaw_below(pid_t root);
