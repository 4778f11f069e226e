/* A folder where workers work while plugins are checked, so that whatever these leave behind is found, and goes. */
#ifndef CHECK_PLACE_H
#define CHECK_PLACE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct place {
  char base[4096], work[4160], temporary[4160], scratch[4160];
};

/* From here on workers work there, $TMPDIR is within it, and their heaps are counted to the byte. Exit 3: it cannot be
 * made. */
int place_make(struct place *place, struct err *err);
void place_remove(const struct place *place);

/* Names something that lies there and should not, and removes it: "work/core". False: there is nothing. */
bool place_left(const struct place *place, char *to, size_t size);

#endif
