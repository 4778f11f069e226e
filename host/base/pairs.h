/* A list of names and values in the order of insertion. No I/O. */
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

/* Append copies of name and value. The formatted value of pairs_add() is cut at 4095 bytes; pairs_add_text() stores any
 * length. */
void pairs_add(struct pairs *pairs, const char *name, const char *format, ...) ERR_PRINTF(3, 4);
void pairs_add_text(struct pairs *pairs, const char *name, const char *value);

/* Replaces the value of the first pair of this name, or appends one. */
void pairs_set(struct pairs *pairs, const char *name, const char *value);

/* Returns the first value of this name, or NULL. */
const char *pairs_get(const struct pairs *pairs, const char *name);
void pairs_free(struct pairs *pairs);
