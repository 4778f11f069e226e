/* Appending to a text. */
#include "base/phrase.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

void phrase_add(char *to, size_t size, const char *between, const char *format, ...) {
  size_t used = strlen(to);
  va_list args;
  if (used > 0) {
    text_copy(to + used, size - used, between);
    used = strlen(to);
  }
  va_start(args, format);
  vsnprintf(to + used, size - used, format, args);
  va_end(args);
}
