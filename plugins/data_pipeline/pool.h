/* A pool of threads that wait for work between iterations. A call of pool_run() lets them run one function together.
 * Independent of the plugin ABI. */
#ifndef DATA_PIPELINE_POOL_H
#define DATA_PIPELINE_POOL_H

struct pool;

/* Opens a pool for up to `most` threads, including the caller. Returns NULL if there is no memory, or if threads cannot
 * be started. */
struct pool *pool_open(int most);
void pool_close(struct pool *pool); /* NULL is ignored */

/* Calls task(context, index) for each index below `count`, each on a separate thread; index 0 runs on the caller's.
 * Returns when all calls have returned. `count` must not exceed the number for which the pool was opened. */
void pool_run(struct pool *pool, int count, void (*task)(void *context, int index), void *context);

#endif
