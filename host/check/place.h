/* A folder in which the worker processes run while plugins are checked, so that files that a plugin leaves behind are
 * found and removed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct place {
  char base[4096], work[4160], temporary[4160], scratch[4160];
};

/* Makes the folder. From now on worker processes run in it, their $TMPDIR is inside it, and malloc's thread cache is
 * off, so that growth of their heaps can be counted exactly. Fails with exit code 3 if it cannot be made. */
int place_make(struct place *place, struct err *err);
void place_remove(const struct place *place);

/* Removes one file that a plugin left in the folder, and writes which file it was, such as "'core' in its working
 * directory". Returns false if there is none. */
bool place_left(const struct place *place, char *to, size_t size);
