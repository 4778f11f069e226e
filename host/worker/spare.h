/* Workers that have loaded one plugin and done nothing else, kept for who needs that plugin alone: a script may import
 * for seconds, and what offers a plugin's description has done so already. They are stopped until they are taken. */
#ifndef WORKER_SPARE_H
#define WORKER_SPARE_H

#include "worker/process.h"

/* From now on workers are kept; at first none is. */
void spare_keep(void);

/* Stops and keeps the worker that has done this order and no other (plugin/loader.h). False: it is still the caller's.
 */
bool spare_put(const char *order, struct worker_process *worker);

/* A worker that has done this order; the caller's from now on. NULL: there is none. */
struct worker_process *spare_take(const char *order);

bool spare_has(const char *order);

/* Stops them again, whoever may have let them go on. */
void spare_freeze(void);

/* Ends all of them, and keeps none from now on. */
void spare_end(void);

#endif
