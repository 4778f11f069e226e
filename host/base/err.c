/* Errors as values: sets them and adds context. */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *err, int exit_code, const char *format, ...) {
  if (err->exit_code != 0) return -1;
  err->exit_code = exit_code;
  va_list args;
  va_start(args, format);
  vsnprintf(err->text, sizeof err->text, format, args);
  va_end(args);
  return -1;
}

int err_about(struct err *err, int about) {
  if (err->about == 0) err->about = about;
  return -1;
}

int err_context(struct err *err, const char *format, ...) {
  char former[sizeof err->text];
  memcpy(former, err->text, sizeof former);
  va_list args;
  va_start(args, format);
  vsnprintf(err->text, sizeof err->text, format, args);
  va_end(args);
  strncat(err->text, ": ", sizeof err->text - strlen(err->text) - 1);
  strncat(err->text, former, sizeof err->text - strlen(err->text) - 1);
  return -1;
}
