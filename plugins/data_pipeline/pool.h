/* Threads that wait for work between iterations: one call of `run` sends them all into one function. Knows nothing of
 * the plugin ABI. */
#ifndef DATA_PIPELINE_POOL_H
#define DATA_PIPELINE_POOL_H

struct pool;

/* For up to `most` threads, the caller among them; NULL: no memory, or no threads to be had. */
struct pool *pool_open(int most);
void pool_close(struct pool *pool); /* NULL is ignored */

/* `task(context, index)` for each index below `count`, on a thread of its own each; index 0 on the caller's. Returns
 * when all have returned. `count` is at most what the pool was opened for. */
void pool_run(struct pool *pool, int count, void (*task)(void *context, int index), void *context);

#endif
