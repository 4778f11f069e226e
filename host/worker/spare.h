/* Workers that have loaded one plugin and done nothing else, kept for a later request that needs this plugin alone:
 * importing a script may take seconds, and the worker that described the plugin has done it already. They are stopped
 * until they are taken. */
#pragma once

#include "worker/process.h"

/* Keeps spare workers from now on; by default none are kept. */
void spare_keep(void);

/* Stops and keeps the worker, which has loaded this order (plugin/loader.h) and nothing else. False: it still belongs
 * to the caller. */
bool spare_put(const char *order, struct worker_process *worker);

/* Returns a worker that has loaded this order and hands it to the caller. NULL: there is none. */
struct worker_process *spare_take(const char *order);

bool spare_has(const char *order);

/* Stops them again, in case another process has sent them SIGCONT. */
void spare_freeze(void);

/* Ends all of them, and keeps none from now on. */
void spare_end(void);
