/* A list of names and values. */
#include "base/pairs.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void pairs_add_text(struct pairs *pairs, const char *name, const char *value) {
  pairs->items = xgrow(pairs->items, pairs->count, sizeof *pairs->items);
  pairs->items[pairs->count++] = (struct pair){xstrdup(name), xstrdup(value)};
}

void pairs_add(struct pairs *pairs, const char *name, const char *format, ...) {
  char value[4096];
  va_list args;
  va_start(args, format);
  vsnprintf(value, sizeof value, format, args);
  va_end(args);
  pairs_add_text(pairs, name, value);
}

void pairs_set(struct pairs *pairs, const char *name, const char *value) {
  for (size_t i = 0; i < pairs->count; i++)
    if (strcmp(pairs->items[i].name, name) == 0) {
      free(pairs->items[i].value);
      pairs->items[i].value = xstrdup(value);
      return;
    }
  pairs_add_text(pairs, name, value);
}

const char *pairs_get(const struct pairs *pairs, const char *name) {
  for (size_t i = 0; i < pairs->count; i++)
    if (strcmp(pairs->items[i].name, name) == 0) return pairs->items[i].value;
  return NULL;
}

void pairs_free(struct pairs *pairs) {
  for (size_t i = 0; i < pairs->count; i++) {
    free(pairs->items[i].name);
    free(pairs->items[i].value);
  }
  free(pairs->items);
  *pairs = (struct pairs){0};
}
