#include "shared.h"

#include <pthread.h>
#include <stdlib.h>

struct entry {
  gb_case *c;
  void *state;
  struct entry *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry *entries;

gb_status shared_put(gb_case *c, void *state) {
  struct entry *entry = malloc(sizeof *entry);
  if (entry == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no host memory");
  pthread_mutex_lock(&lock);
  *entry = (struct entry){c, state, entries};
  entries = entry;
  pthread_mutex_unlock(&lock);
  return GB_OK;
}

void *shared_get(gb_case *c) {
  void *state = NULL;
  pthread_mutex_lock(&lock);
  for (const struct entry *entry = entries; entry != NULL && state == NULL; entry = entry->next)
    if (entry->c == c) state = entry->state;
  pthread_mutex_unlock(&lock);
  return state;
}

void shared_drop(gb_case *c) {
  pthread_mutex_lock(&lock);
  struct entry **at = &entries;
  while (*at != NULL && (*at)->c != c)
    at = &(*at)->next;
  struct entry *found = *at;
  if (found != NULL) *at = found->next;
  pthread_mutex_unlock(&lock);
  free(found);
}
