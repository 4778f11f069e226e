/* What went wrong in one of several threads: the first sentence wins, and the thread of the callback hands it to the
 * host.
 */
#ifndef DATA_PIPELINE_TROUBLE_H
#define DATA_PIPELINE_TROUBLE_H

#include <pthread.h>
#include <stdbool.h>

#include "services.h"

struct trouble {
  pthread_mutex_t lock;
  gb_status status; /* GB_OK: none */
  char text[600];
};

#define TROUBLE_NONE \
  { .lock = PTHREAD_MUTEX_INITIALIZER, .status = GB_OK }

/* Returns -1. [any thread] */
int trouble_set(struct trouble *t, gb_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
bool trouble_any(struct trouble *t);

/* The status, with the sentence given to the host. [the callback's thread, when no other is at work] */
gb_status trouble_tell(struct trouble *t, gb_case *c);

#endif
