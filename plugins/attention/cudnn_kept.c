/* The list of cuDNN plans that are kept for later cases, oldest first. */
#include "cudnn_kept.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT = 8 };

static struct {
  pthread_mutex_t lock;
  struct cudnn_set *sets[KEPT];
  int count;
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct cudnn_set *remove_at(int place) {
  struct cudnn_set *set = kept.sets[place];
  kept.count--;
  memmove(&kept.sets[place], &kept.sets[place + 1], (size_t)(kept.count - place) * sizeof kept.sets[0]);
  return set;
}

static void close_set(struct cudnn_set *set) {
  if (set == NULL) return;
  while (set->count > 0)
    cudnn_plan_close(&set->plans, &set->built[--set->count]);
  cudnn_plans_close(&set->plans);
  free(set);
}

struct cudnn_set *cudnn_kept_take(int device, const struct cudnn_shape *shape) {
  struct cudnn_set *set = NULL;
  pthread_mutex_lock(&kept.lock);
  for (int i = 0; i < kept.count && set == NULL; i++)
    if (kept.sets[i]->device == device && cudnn_shape_same(&kept.sets[i]->plans.shape, shape)) set = remove_at(i);
  pthread_mutex_unlock(&kept.lock);
  return set;
}

void cudnn_kept_give(struct cudnn_set *set) {
  struct cudnn_set *old = set;
  if (set->choice[0] != '\0') {
    pthread_mutex_lock(&kept.lock);
    old = kept.count == KEPT ? remove_at(0) : NULL;
    kept.sets[kept.count++] = set;
    pthread_mutex_unlock(&kept.lock);
  }
  close_set(old);
}

void cudnn_kept_close(void) {
  while (kept.count > 0)
    close_set(remove_at(0));
}
