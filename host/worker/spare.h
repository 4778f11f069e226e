/* Spare workers: each was started to load and describe one plugin, has done nothing else, and is kept for a later
 * request that needs only this plugin. That saves time, because loading a script may take seconds. Spare workers are
 * stopped (SIGSTOP) until they are taken. */
#pragma once

#include "worker/process.h"

/* Keeps spare workers from now on; by default none are kept. */
void spare_keep(void);

/* Stops the worker and keeps it. `order` says which plugin the worker has loaded, in the format of plugin/loader.h; it
 * must have done nothing else. Returns false if the worker is not kept; the caller still owns it then. */
bool spare_put(const char *order, struct worker_process *worker);

/* Returns a spare worker that has loaded this plugin, which the caller owns from then on. NULL: there is none. */
struct worker_process *spare_take(const char *order);

bool spare_has(const char *order);

/* Stops all spare workers again, in case another process has sent them SIGCONT. */
void spare_freeze(void);

/* Ends all spare workers, and keeps none from now on. */
void spare_end(void);
