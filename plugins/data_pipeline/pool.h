/* A pool of threads that are started once and wait for work. A call of pool_run() lets them run one function together.
 * This file does not use the plugin interface. */
#ifndef DATA_PIPELINE_POOL_H
#define DATA_PIPELINE_POOL_H

struct pool;

/* Opens a pool for up to `most` threads, of which one is the caller. Returns NULL if there is no memory, or if threads
 * cannot be started. */
struct pool *pool_open(int most);
void pool_close(struct pool *pool); /* NULL is ignored */

/* Calls task(context, index) for each index below `count`, each on a separate thread. Index 0 runs on the caller's
 * thread. Returns when all calls have returned. `count` must not exceed the number for which the pool was opened. */
void pool_run(struct pool *pool, int count, void (*task)(void *context, int index), void *context);

#endif
