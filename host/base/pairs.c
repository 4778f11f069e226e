/* Pairs of strings. */
#include "base/pairs.h"

#include <stdarg.h>
#include <stdio.h>

void pairs_add(struct pairs *pairs, const char *name, const char *format, ...) {
  char value[4096];
  va_list args;
  va_start(args, format);
  vsnprintf(value, sizeof value, format, args);
  va_end(args);
  strings_add(&pairs->names, name);
  strings_add(&pairs->values, value);
}

void pairs_free(struct pairs *pairs) {
  strings_free(&pairs->names);
  strings_free(&pairs->values);
}
