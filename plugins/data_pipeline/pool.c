#include "pool.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct worker {
  struct pool *pool;
  pthread_t thread;
  int index;
};

struct pool {
  pthread_mutex_t lock;
  pthread_cond_t begin, end;
  unsigned long turn; /* number of calls of pool_run() so far */
  int count, running; /* number of threads that the current call uses, and of those that still work */
  bool closing;
  void (*task)(void *context, int index);
  void *context;
  int started;
  struct worker workers[]; /* one for each thread; index 0 is unused, because it stands for the caller */
};

/* Waits until pool_run() has been called more often than `*turn` times, and sets `*turn` to the new number of calls.
 * Returns false if the pool closes. */
static bool wait_for_turn(struct pool *pool, unsigned long *turn) {
  pthread_mutex_lock(&pool->lock);
  while (pool->turn == *turn && !pool->closing)
    pthread_cond_wait(&pool->begin, &pool->lock);
  *turn = pool->turn;
  const bool go = !pool->closing;
  pthread_mutex_unlock(&pool->lock);
  return go;
}

static void *work_turns(void *argument) {
  const struct worker *worker = argument;
  struct pool *pool = worker->pool;
  unsigned long turn = 0;
  while (wait_for_turn(pool, &turn)) {
    if (worker->index < pool->count) pool->task(pool->context, worker->index);
    pthread_mutex_lock(&pool->lock);
    if (--pool->running == 0) pthread_cond_signal(&pool->end);
    pthread_mutex_unlock(&pool->lock);
  }
  return NULL;
}

struct pool *pool_open(int most) {
  struct pool *pool = calloc(1, sizeof *pool + (size_t)most * sizeof pool->workers[0]);
  if (pool == NULL) return NULL;
  pthread_mutex_init(&pool->lock, NULL);
  pthread_cond_init(&pool->begin, NULL);
  pthread_cond_init(&pool->end, NULL);
  for (pool->started = 1; pool->started < most; pool->started++) {
    struct worker *worker = &pool->workers[pool->started];
    *worker = (struct worker){.pool = pool, .index = pool->started};
    if (pthread_create(&worker->thread, NULL, work_turns, worker) == 0) continue;
    pool_close(pool);
    return NULL;
  }
  return pool;
}

void pool_close(struct pool *pool) {
  if (pool == NULL) return;
  pthread_mutex_lock(&pool->lock);
  pool->closing = true;
  pthread_cond_broadcast(&pool->begin);
  pthread_mutex_unlock(&pool->lock);
  for (int i = 1; i < pool->started; i++)
    pthread_join(pool->workers[i].thread, NULL);
  pthread_cond_destroy(&pool->end);
  pthread_cond_destroy(&pool->begin);
  pthread_mutex_destroy(&pool->lock);
  free(pool);
}

void pool_run(struct pool *pool, int count, void (*task)(void *context, int index), void *context) {
  if (count > 1) {
    pthread_mutex_lock(&pool->lock);
    pool->task = task;
    pool->context = context;
    pool->count = count;
    pool->running = pool->started - 1;
    pool->turn++;
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->lock);
  }
  task(context, 0);
  if (count <= 1) return;
  pthread_mutex_lock(&pool->lock);
  while (pool->running > 0)
    pthread_cond_wait(&pool->end, &pool->lock);
  pthread_mutex_unlock(&pool->lock);
}
