/* Stops a worker and all processes that it started (SIGSTOP) while another worker is measured, so that they take no
 * processor time from it; lets them continue afterwards. They need not continue before they are killed: SIGKILL also
 * ends stopped processes. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* Stops all descendants of the process `root`, but not `root` itself. Returns false if one of them could not be stopped
 * within a second, for example because it has become a process of another user. */
bool freeze_below(pid_t root);

/* Lets all descendants of the process `root` continue. */
void thaw_below(pid_t root);
