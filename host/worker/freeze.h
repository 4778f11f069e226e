/* Stops a worker with all that it started, so that it takes nothing from another one that is measured, and lets it go
 * on. SIGKILL ends what is stopped as well: a reaper needs to know nothing of this. */
#ifndef WORKER_FREEZE_H
#define WORKER_FREEZE_H

#include <stdbool.h>
#include <sys/types.h>

/* Stops every process below `root`, which itself goes on. False: one of them could not be stopped within a second, as
 * one that became another user's. */
bool freeze_below(pid_t root);

/* Lets every process below `root` go on. */
void thaw_below(pid_t root);

#endif
