/* Stops a worker with all processes that it started, so that they take no processor time from the worker that is
 * measured, and lets them continue. The reaper, which kills them in the end, needs no extra code: SIGKILL also ends
 * stopped processes. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* Stops every process below `root`, but not `root` itself. Returns false if one of them could not be stopped within a
 * second, for example because it became another user's. */
bool freeze_below(pid_t root);

/* Lets every process below `root` continue. */
void thaw_below(pid_t root);
