/* Names and values in the order of their adding. Pure. */
#ifndef BASE_PAIRS_H
#define BASE_PAIRS_H

#include <stddef.h>

#include "base/err.h"

struct pair {
  char *name, *value;
};

struct pairs {
  struct pair *items;
  size_t count;
};

/* Copies both. The value is printed, 4095 bytes of it at most; as a text it is taken as it is. */
void pairs_add(struct pairs *pairs, const char *name, const char *format, ...) ERR_PRINTF(3, 4);
void pairs_add_text(struct pairs *pairs, const char *name, const char *value);

/* In place of the first of this name, if there is one. */
void pairs_set(struct pairs *pairs, const char *name, const char *value);

/* The first value of this name, or NULL. */
const char *pairs_get(const struct pairs *pairs, const char *name);
void pairs_free(struct pairs *pairs);

#endif
