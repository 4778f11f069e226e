/* A list of names and values in the order of insertion. Pure. */
#pragma once

#include <stddef.h>

#include "base/err.h"

struct pair {
  char *name, *value;
};

struct pairs {
  struct pair *items;
  size_t count;
};

/* Append copies of both. The formatted value is cut at 4095 bytes; a text is stored unchanged. */
void pairs_add(struct pairs *pairs, const char *name, const char *format, ...) ERR_PRINTF(3, 4);
void pairs_add_text(struct pairs *pairs, const char *name, const char *value);

/* Replaces the value of the first pair of this name, or appends one. */
void pairs_set(struct pairs *pairs, const char *name, const char *value);

/* Returns the first value of this name, or NULL. */
const char *pairs_get(const struct pairs *pairs, const char *name);
void pairs_free(struct pairs *pairs);
