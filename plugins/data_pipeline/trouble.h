/* Keeps the first error that any of several threads records. The thread in which the host called the plugin passes it
 * to the host later. Words in brackets say on which thread a function may be called. */
#ifndef DATA_PIPELINE_TROUBLE_H
#define DATA_PIPELINE_TROUBLE_H

#include <pthread.h>
#include <stdbool.h>

#include "services.h"

struct trouble {
  pthread_mutex_t lock;
  gb_status status; /* GB_OK: no error */
  char text[600];
};

#define TROUBLE_NONE \
  { .lock = PTHREAD_MUTEX_INITIALIZER, .status = GB_OK }

/* [on any thread] Records an error, unless one is recorded already. Returns -1. */
int trouble_set(struct trouble *t, gb_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
bool trouble_any(struct trouble *t);

/* [on the thread in which the host called the plugin, when no other thread works] Passes the recorded error to the host
 * and returns its status. */
gb_status trouble_tell(struct trouble *t, gb_case *c);

#endif
