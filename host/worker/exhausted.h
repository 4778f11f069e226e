/* Why no worker can be started. */
#ifndef WORKER_EXHAUSTED_H
#define WORKER_EXHAUSTED_H

#include "base/err.h"

/* "cannot start a worker process: too many open files (limit 16)"; `error` is an errno. -1. */
int exhausted_err(int error, struct err *err);

/* Are there as many descriptors as a worker and its reaper take? Else -1 and errno. */
int exhausted_files(void);

#endif
