#include "trouble.h"

int trouble_set(struct trouble *t, gb_status status, const char *format, ...) {
  pthread_mutex_lock(&t->lock);
  if (t->status == GB_OK) {
    va_list args;
    va_start(args, format);
    vsnprintf(t->text, sizeof t->text, format, args);
    va_end(args);
    t->status = status;
  }
  pthread_mutex_unlock(&t->lock);
  return -1;
}

bool trouble_any(struct trouble *t) {
  pthread_mutex_lock(&t->lock);
  const bool any = t->status != GB_OK;
  pthread_mutex_unlock(&t->lock);
  return any;
}

gb_status trouble_tell(struct trouble *t, gb_case *c) {
  return t->status == GB_OK ? GB_OK : gb_failf(&gb, c, t->status, "%s", t->text);
}
