/* Names and values in the order of their adding. Pure. */
#ifndef BASE_PAIRS_H
#define BASE_PAIRS_H

#include "base/err.h"
#include "base/text.h"

struct pairs {
  struct strings names, values;
};

/* Copies both. */
void pairs_add(struct pairs *pairs, const char *name, const char *format, ...) ERR_PRINTF(3, 4);
void pairs_free(struct pairs *pairs);

#endif
