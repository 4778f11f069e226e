/* Sentences put together piece by piece, in a place of fixed size. Pure. */
#ifndef BASE_PHRASE_H
#define BASE_PHRASE_H

#include <stddef.h>

#include "base/err.h"

/* Appends, with `between` before it unless it is the first; what does not fit is cut. */
void phrase_add(char *to, size_t size, const char *between, const char *format, ...) ERR_PRINTF(4, 5);

#endif
